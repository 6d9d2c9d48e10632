package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

// A request may wait for people as long as it takes, and nobody waits for its body.
func TestAWaitingRequestHasNoTimeLimitButItsBodyHas(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	cfg := config(t)
	cfg.ReadTimeout, cfg.WriteTimeout = limit, limit
	cfg.Handlers = map[string]server.Handler{"POST /rpc": func(w http.ResponseWriter, r *http.Request, _ gavel.Caller) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return &gavel.BodyError{Err: err}
		}
		select {
		case <-r.Context().Done():
			return r.Context().Err()
		case <-time.After(3 * limit):
		}
		_, err = w.Write(body)
		return err
	}}
	addr, _ := tcp(t, newServer(t, cfg))

	var waiting sync.WaitGroup
	defer waiting.Wait()
	for name, body := range map[string]string{"a body": "hello", "no body": ""} {
		c := client(t, "")
		waiting.Go(func() {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/rpc", strings.NewReader(body))
			assert.NoError(t, err)
			request.Header.Set("Authorization", "Bearer "+decideToken)
			answer, err := c.Do(request)
			if !assert.NoError(t, err, name) {
				return
			}
			text, err := io.ReadAll(answer.Body)
			assert.NoError(t, err, name)
			assert.NoError(t, answer.Body.Close())
			assert.Equal(t, body, string(text), name)
		})
	}

	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	defer conn.Close() //nolint:errcheck // it ends with the test
	_, err = fmt.Fprintf(conn, "POST /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\nhalf", decideToken)
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	got := make([]byte, 12)
	_, err = io.ReadFull(conn, got)
	require.NoError(t, err, "a body that never ends is given up")
	assert.Equal(t, "HTTP/1.1 408", string(got))
}

// The caller is told what to do, and the log why.
func TestWhyApprovalsCannotBeUsedIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	cfg := config(t)
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	cfg.Handlers = map[string]server.Handler{"GET /v1/grants/key": func(http.ResponseWriter, *http.Request, gavel.Caller) error {
		return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "the approval could not be stored", Err: errors.New("no space left on device")}
	}}
	w := get("/v1/grants/key", decideToken).do(newServer(t, cfg))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.NotContains(t, w.Body.String(), "no space left")
	assert.Contains(t, log.String(), "no space left")
}
