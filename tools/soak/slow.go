package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
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
	requests := bufio.NewReader(connection)
	for {
		request, err := http.ReadRequest(requests)
		if err == nil {
			_, err = io.Copy(io.Discard, request.Body)
		}
		if err == nil {
			time.Sleep(s.takes)
			_, err = io.WriteString(connection, allowing)
		}
		if err != nil {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = connection.Close()
	delete(s.open, connection)
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
