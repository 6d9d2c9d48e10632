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

// slowVerifier allows every call after a delay. Outside this test, a verifier runs on another
// machine, so this one uses as little processor time as possible: it does not parse requests, and
// answers them all with the same bytes.
type slowVerifier struct {
	delay time.Duration

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]bool
}

// maxRequest is larger than any request in bytes.
const maxRequest = 16 << 10

const allowResponse = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n" + `{"decision":"allow"}`

// newSlowVerifier starts a slow verifier.
func newSlowVerifier(takes time.Duration) (*verifier, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start a verifier: %w", err)
	}
	s := &slowVerifier{delay: takes, open: map[net.Conn]bool{}}
	go s.accept(listener)
	return &verifier{url: "http://" + listener.Addr().String() + "/", close: func() { _ = listener.Close(); s.close() }}, nil
}

func (s *slowVerifier) accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			_ = connection.Close()
		}
		s.open[connection] = true
		s.mu.Unlock()
		go s.answer(connection)
	}
}

// answer answers the requests of a connection until it is closed.
func (s *slowVerifier) answer(connection net.Conn) {
	space := make([]byte, maxRequest)
	for readRequest(connection, space) == nil {
		time.Sleep(s.delay)
		if _, err := io.WriteString(connection, allowResponse); err != nil {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = connection.Close()
	delete(s.open, connection)
}

// readRequest reads one HTTP request into space. It parses only the Content-Length header, which the
// request must have.
func readRequest(from io.Reader, space []byte) error {
	have, want := 0, -1
	for have != want {
		n, err := from.Read(space[have:])
		if err != nil {
			return err
		}
		have += n
		header, _, complete := bytes.Cut(space[:have], []byte("\r\n\r\n"))
		if want < 0 && complete {
			_, after, _ := bytes.Cut(header, []byte("\r\nContent-Length: "))
			line, _, _ := bytes.Cut(after, []byte("\r\n"))
			length, err := strconv.Atoi(string(line))
			if err != nil {
				return fmt.Errorf("read the length of a request: %w", err)
			}
			want = len(header) + len("\r\n\r\n") + length
		}
		if have == len(space) && have != want {
			return errors.New("a request is larger than maxRequest")
		}
	}
	return nil
}

// close closes all connections.
func (s *slowVerifier) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for connection := range s.open {
		_ = connection.Close()
	}
}
