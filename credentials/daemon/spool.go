package daemon

import (
	"errors"
	"io"
	"os"
	"slices"
	"sync"
)

// spoolLimit is how many bytes of output wait in a file for a slow client. When they do, the tool
// waits as well.
const spoolLimit = 64 << 20

// spool is output on its way to a client, in order: in memory first, then in a file without a name.
type spool struct {
	mu     sync.Mutex
	change sync.Cond
	make   func() (*os.File, error)
	inline int64 // bytes in memory

	memory  [][]byte
	held    int64 // bytes of memory
	file    *os.File
	read    int64
	written int64
	sizes   []int    // of the pieces in the file
	spare   [][]byte // memory for pieces
	closed  bool     // nothing more comes
	broken  error    // the client is gone, or the file failed
}

func newSpool(inline int64, makeFile func() (*os.File, error)) *spool {
	s := &spool{make: makeFile, inline: inline}
	s.change.L = &s.mu
	return s
}

// maxSpare is how many pieces' memory is kept: much output makes much garbage otherwise.
const maxSpare = 8

// room returns memory for a piece.
func (s *spool) room() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.spare)
	if n == 0 {
		return nil
	}
	piece := s.spare[n-1]
	s.spare = s.spare[:n-1]
	return piece[:0]
}

// done takes back the memory of a piece that is no longer needed.
func (s *spool) done(piece []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(piece)
}

// keep is done; the caller holds the lock.
func (s *spool) keep(piece []byte) {
	if len(s.spare) < maxSpare {
		s.spare = append(s.spare, piece)
	}
}

// push adds a piece, which it keeps. It waits while too much waits already, and fails after the reader has gone.
func (s *spool) push(piece []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.broken == nil && s.written-s.read > 0 && s.written+int64(len(piece)) > spoolLimit {
		s.change.Wait()
	}
	if s.broken != nil {
		return s.broken
	}
	defer s.change.Broadcast()
	if len(s.sizes) == 0 && (s.held == 0 || s.held+int64(len(piece)) <= s.inline) {
		s.memory = append(s.memory, piece)
		s.held += int64(len(piece))
		return nil
	}
	if s.file == nil {
		if s.file, s.broken = s.make(); s.broken != nil {
			return s.broken
		}
	}
	if _, err := s.file.WriteAt(piece, s.written); err != nil {
		s.broken = err
		return err
	}
	s.written += int64(len(piece))
	s.sizes = append(s.sizes, len(piece))
	s.keep(piece)
	return nil
}

// pop returns the next piece, or io.EOF after the last one.
func (s *spool) pop() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.broken != nil:
			return nil, s.broken
		case len(s.memory) > 0:
			piece := s.memory[0]
			s.memory = s.memory[1:]
			s.held -= int64(len(piece))
			s.change.Broadcast()
			return piece, nil
		case len(s.sizes) > 0:
			return s.fromFile()
		case s.closed:
			return nil, io.EOF
		}
		s.change.Wait()
	}
}

func (s *spool) fromFile() ([]byte, error) {
	var piece []byte
	if n := len(s.spare); n > 0 {
		piece, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	piece = slices.Grow(piece[:0], s.sizes[0])[:s.sizes[0]]
	if _, err := s.file.ReadAt(piece, s.read); err != nil {
		s.broken = err
		return nil, err
	}
	s.read += int64(len(piece))
	s.sizes = s.sizes[1:]
	if len(s.sizes) == 0 { // all of it is sent: memory again
		s.read, s.written = 0, 0
		if err := s.file.Truncate(0); err != nil {
			s.broken = err
			return nil, err
		}
	}
	s.change.Broadcast()
	return piece, nil
}

// end says that nothing more comes.
func (s *spool) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.change.Broadcast()
}

// fail records that the reader has gone.
func (s *spool) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = errors.Join(err, s.broken)
	s.change.Broadcast()
}

// free releases the file. Neither push nor pop may be called afterwards.
func (s *spool) free() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = io.ErrClosedPipe
	}
	s.change.Broadcast()
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
