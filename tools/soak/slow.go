package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// slowVerifier allows every call after a time. A verifier is another machine, so it does as little
// work as possible here: it reads requests, and writes the same bytes to all.
type slowVerifier struct {
	takes time.Duration

	mu    sync.Mutex
	ended bool
	open  map[net.Conn]bool
}

// mostOfRequest is more bytes than any request has here.
const mostOfRequest = 16 << 10

const allowing = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n" + `{"decision":"allow"}`

// newSlowVerifier starts one.
func newSlowVerifier(takes time.Duration) (*verifier, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start a verifier: %w", err)
	}
	s := &slowVerifier{takes: takes, open: map[net.Conn]bool{}}
	go s.accept(listener)
	return &verifier{url: "http://" + listener.Addr().String() + "/", close: func() { _ = listener.Close(); s.end() }}, nil
}

func (s *slowVerifier) accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.ended {
			_ = connection.Close()
		}
		s.open[connection] = true
		s.mu.Unlock()
		go s.answer(connection)
	}
}

// answer answers the requests of one connection until it is closed.
func (s *slowVerifier) answer(connection net.Conn) {
	space := make([]byte, mostOfRequest)
	for receive(connection, space) == nil {
		time.Sleep(s.takes)
		if _, err := io.WriteString(connection, allowing); err != nil {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = connection.Close()
	delete(s.open, connection)
}

// receive reads one request into space, whose body has the length that its header says. It looks
// at nothing else of it: what it does itself takes processor time from the server.
func receive(from io.Reader, space []byte) error {
	have, want := 0, -1
	for have != want {
		n, err := from.Read(space[have:])
		if err != nil {
			return err
		}
		have += n
		header, _, whole := bytes.Cut(space[:have], []byte("\r\n\r\n"))
		if want < 0 && whole {
			_, after, _ := bytes.Cut(header, []byte("\r\nContent-Length: "))
			line, _, _ := bytes.Cut(after, []byte("\r\n"))
			length, err := strconv.Atoi(string(line))
			if err != nil {
				return fmt.Errorf("read the length of a request: %w", err)
			}
			want = len(header) + len("\r\n\r\n") + length
		}
		if have == len(space) && have != want {
			return errors.New("a request is longer than any that is made here")
		}
	}
	return nil
}

// end closes every connection.
func (s *slowVerifier) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for connection := range s.open {
		_ = connection.Close()
	}
}
