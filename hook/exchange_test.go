package hook_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hook"
)

// listen answers every connection of a socket with a text, and closes it unless it is to stay.
func listen(t *testing.T, text string, stay bool) hook.Server {
	t.Helper()
	dir := state(t)
	ln, err := net.Listen("unix", filepath.Join(dir, "gavel.sock"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 64<<10))
			_, _ = conn.Write([]byte(text))
			if !stay {
				_ = conn.Close()
			}
		}
	}()
	found, ok := hook.Find(hook.Location{State: dir}, none)
	require.True(t, ok)
	return found
}

func TestAnAnswerThatEndsEarlyOrIsNotHTTPIsAnError(t *testing.T) {
	size := fmt.Sprint(len(whole))
	for about, text := range map[string]string{
		"nothing":                           "",
		"a status and no more":              "HTTP/1.0 200 OK\r\n",
		"no end of the head":                "HTTP/1.0 200 OK\r\nContent-Length: " + size + "\r\n" + whole,
		"fewer bytes than it says":          "HTTP/1.0 200 OK\r\nContent-Length: 4000\r\n\r\n" + whole,
		"more bytes than it says":           "HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\n" + whole,
		"a length that is not a number":     "HTTP/1.0 200 OK\r\nContent-Length: x\r\n\r\n" + whole,
		"two lengths":                       "HTTP/1.0 200 OK\r\nContent-Length: " + size + "\r\nContent-Length: 1\r\n\r\n" + whole,
		"parts":                             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + whole,
		"another protocol":                  "SSH-2.0-OpenSSH\r\n\r\n" + whole,
		"a decision without a head":         whole,
		"another status":                    "HTTP/1.0 202 Accepted\r\n\r\n" + whole,
		"a status that is not a number":     "HTTP/1.0 200x OK\r\n\r\n" + whole,
		"a body of five million bytes":      "HTTP/1.0 200 OK\r\n\r\n" + strings.Repeat(" ", 5<<20) + whole,
		"two decisions after one another":   "HTTP/1.0 200 OK\r\n\r\n" + whole + whole,
		"a decision with its end cut off":   "HTTP/1.0 200 OK\r\n\r\n" + whole[:len(whole)-1],
		"a decision in a list nobody wants": "HTTP/1.0 200 OK\r\n\r\n[" + whole + "]",
	} {
		t.Run(about, func(t *testing.T) {
			_, err := listen(t, text, false).Decide(t.Context(), calls()[:1])
			assert.Error(t, err)
		})
	}
}

func TestAnAnswerMayComeWithoutItsLength(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.0 200 OK\r\n\r\n" + whole,
		"HTTP/1.1 200 OK\r\ncontent-length:" + fmt.Sprint(len(whole)) + "\r\nX-More: a: b\r\n\r\n" + whole,
	} {
		list, err := listen(t, text, false).Decide(t.Context(), calls()[:1])
		require.NoError(t, err)
		assert.Equal(t, gavel.Allow, list[0].Effect)
	}
}

func TestAServerThatHangsInTheMiddleOfItsAnswerIsTooLate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := listen(t, "HTTP/1.0 200 OK\r\n\r\n"+whole, true).Decide(ctx, calls()[:1])
	assert.ErrorIs(t, err, context.DeadlineExceeded, "it may still send more")
}
