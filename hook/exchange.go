package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// statusOK is the HTTP status of a decision.
const statusOK = 200

// maxHead limits the header of an answer, in bytes.
const maxHead = 16 << 10

// exchange posts a body, and returns the status and the body of the answer. It speaks HTTP/1.0:
// one request, and an answer that ends with the connection. net/http would do the same, but a
// hook is a process for one request, and starting with net/http takes a third of its time.
func (s Server) exchange(ctx context.Context, path, token string, body []byte) (status int, answer []byte, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", s.Socket)
	if err != nil {
		return 0, nil, fmt.Errorf("ask gavel serve: %w; start it, or remove %s if it is gone", err, s.Socket)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		stop()
		_ = conn.Close() // the answer is complete, or useless
		if ctx.Err() != nil {
			err = fmt.Errorf("ask gavel serve: %w", ctx.Err())
		}
	}()
	request := "POST " + path + " HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer " + token +
		"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	if _, err := conn.Write(append([]byte(request), body...)); err != nil {
		return 0, nil, fmt.Errorf("ask gavel serve: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(conn, maxHead+maxAnswer+1))
	if err != nil {
		return 0, nil, fmt.Errorf("read the answer of gavel serve: %w", err)
	}
	return readAnswer(text)
}

// readAnswer parses an HTTP answer that ends with its connection. An answer with another length than its
// header says is an error.
func readAnswer(text []byte) (status int, body []byte, err error) {
	head, body, whole := bytes.Cut(text, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	version, rest, _ := strings.Cut(lines[0], " ")
	code, _, _ := strings.Cut(rest, " ")
	status, err = strconv.Atoi(code)
	if !whole || err != nil || !strings.HasPrefix(version, "HTTP/1.") || len(body) > maxAnswer {
		return 0, nil, errors.New("what listens on the socket does not answer as gavel serve does")
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		switch strings.ToLower(name) {
		case "content-length":
			if size, err := strconv.Atoi(strings.TrimSpace(value)); err != nil || size != len(body) {
				return 0, nil, fmt.Errorf("read the answer of gavel serve: %d bytes came, of %s", len(body), strings.TrimSpace(value))
			}
		case "transfer-encoding":
			return 0, nil, errors.New("what listens on the socket does not answer as gavel serve does: it sends parts")
		}
	}
	return status, body, nil
}
