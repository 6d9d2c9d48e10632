package webhook_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/verifiers/webhook"
)

const allowed = `{"decision":"allow"}`

// raw answers every request with these bytes, over TLS. With hold it keeps the connection open
// afterwards.
func raw(t *testing.T, text string, hold bool) *server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if !assert.NoError(t, err) {
			return
		}
		defer conn.Close() //nolint:errcheck // the client may have gone
		_, _ = io.WriteString(conn, text)
		if hold {
			_, _ = io.Copy(io.Discard, conn) // until the client goes
		}
	})
}

// said is an answer as bytes, with further lines in its header.
func said(body string, lines ...string) string {
	lines = append([]string{"HTTP/1.1 200 OK", fmt.Sprintf("Content-Length: %d", len(body))}, lines...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

const inJSON = "Content-Type: application/json"

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func utf16(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteByte(c)
		b.WriteByte(0)
	}
	return b.String()
}

// None of these allows, whatever failMode is, but for those whose outcome says so.
func TestAnAmbiguousAnswerNeverAllows(t *testing.T) {
	chunked := func(body string) string {
		return "HTTP/1.1 200 OK\r\n" + inJSON + "\r\nTransfer-Encoding: chunked\r\n" + body
	}
	for name, c := range map[string]struct{ text, outcome string }{
		"the plain answer, to compare with": {said(allowed, inJSON), "allowed"},
		"a header of 20 KiB":                {said(allowed, inJSON, "X: "+strings.Repeat("x", 20<<10)), "malformed"},
		"a thousand headers":                {said(allowed, append([]string{inJSON}, strings.Fields(strings.Repeat("X:yyyyyyyyyyyyyyyyyy ", 1000))...)...), "malformed"},
		"a header without an end":           {"HTTP/1.1 200 OK\r\n" + inJSON + "\r\n", "malformed"},
		"a first line that is not HTTP":     {"allow\r\n\r\n", "malformed"},
		"a flood of interim answers":        {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 1000) + said(allowed, inJSON), "malformed"},
		"one interim answer":                {"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + said(allowed, inJSON), "allowed"},
		"two lengths":                       {said(allowed, inJSON, "Content-Length: 5"), "malformed"},
		"a transfer coding":                 {said(allowed, inJSON, "Transfer-Encoding: gzip"), "malformed"},
		"two content types":                 {said(allowed, inJSON, "Content-Type: text/html"), "malformed"},
		"two content types in one line":     {said(allowed, inJSON+", text/html"), "malformed"},
		"another charset":                   {said(allowed, inJSON+"; charset=utf-16"), "malformed"},
		"the right charset":                 {said(allowed, inJSON+"; charset=UTF-8"), "allowed"},
		"a second coding":                   {said(allowed, inJSON, "Content-Encoding: identity", "Content-Encoding: gzip"), "malformed"},
		"a bomb that says it is one":        {said(packed(strings.Repeat(" ", 50<<20)), inJSON, "Content-Encoding: gzip"), "malformed"},
		"a compressed answer, unsaid":       {said(packed(allowed), inJSON), "malformed"},
		"chunks with long extensions":       {chunked("\r\n" + strings.Repeat("1;"+strings.Repeat("x", 3000)+"\r\n{\r\n", 30)), "malformed"},
		"a chunk of a negative size":        {chunked("\r\n-1\r\n" + allowed + "\r\n0\r\n\r\n"), "malformed"},
		"chunks, in order":                  {chunked(fmt.Sprintf("\r\n%x\r\n%s\r\n0\r\n\r\n", len(allowed), allowed)), "allowed"},
		"a byte order mark":                 {said("\xef\xbb\xbf"+allowed, inJSON), "malformed"},
		"UTF-16":                            {said("\xff\xfe"+utf16(allowed), inJSON), "malformed"},
		"UTF-16 without its mark":           {said(utf16(allowed), inJSON), "malformed"},
		"NaN":                               {said(`{"decision":"allow","score":NaN}`, inJSON), "malformed"},
		"a comment":                         {said(`{"decision":"allow"/*"deny"*/}`, inJSON), "malformed"},
		"a trailing comma":                  {said(`{"decision":"allow",}`, inJSON), "malformed"},
		"single quotes":                     {said(`{'decision':'allow'}`, inJSON), "malformed"},
		"half a surrogate pair":             {said(`{"decision":"allow","reason":"\ud800"}`, inJSON), "malformed"},
		"a zero byte":                       {said(allowed+"\x00", inJSON), "malformed"},
		"a duplicate key, far down":         {said(`{"decision":"allow","a":[{"b":{"c":1,"\u0063":2}}]}`, inJSON), "malformed"},
		"a list without an end":             {said(`{"decision":"allow","a":`+strings.Repeat("[", 60000), inJSON), "malformed"},
		"a deep list":                       {said(`{"decision":"allow","a":`+strings.Repeat("[", 30000)+strings.Repeat("]", 30000)+"}", inJSON), "malformed"},
		"a page that refreshes":             {said(allowed, "Content-Type: text/html", "Refresh: 0; url=/elsewhere"), "malformed"},
		"multiple choices":                  {strings.Replace(said(allowed, inJSON, "Location: /elsewhere"), "200 OK", "300 Multiple Choices", 1), "redirect"},
		"not modified":                      {"HTTP/1.1 304 Not Modified\r\n\r\n", "redirect"},
	} {
		t.Run(name, func(t *testing.T) {
			s := raw(t, c.text, false)
			got := s.client(t, nil).Ask(t.Context(), asked())
			assert.Equal(t, c.outcome, got.Outcome, got.Detail)
			assert.Equal(t, 1, got.Attempts)
			assert.Len(t, s.bodies, 1, "nobody is asked again, and nobody else")
		})
	}
}

// These end with the time of the question, and hold no connection afterwards.
func TestAnEndlessAnswerTimesOut(t *testing.T) {
	for name, text := range map[string]string{
		"no byte comes":              "",
		"the header stops":           "HTTP/1.1 200 OK\r\nContent-Ty",
		"the body stops":             said(allowed, inJSON)[:80],
		"a chunk stops":              "HTTP/1.1 200 OK\r\n" + inJSON + "\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n" + allowed,
		"interim answers and no end": "HTTP/1.1 102 Processing\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := raw(t, text, true)
			ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, gavel.ErrVerifierTime)
			defer cancel()
			assert.Equal(t, gavel.VerifierTimeout, s.client(t, nil).Ask(ctx, asked()).Outcome)
		})
	}
}

// With failMode allow, a question that is too late lets the call run.
func TestADenyInAnEndlessAnswerCounts(t *testing.T) {
	const deny = `{"decision":"deny","reason":"no"}`
	for _, body := range []string{
		"HTTP/1.1 200 OK\r\n" + inJSON + "\r\nContent-Length: 100\r\n\r\n" + deny,
		fmt.Sprintf("HTTP/1.1 200 OK\r\n%s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", inJSON, len(deny), deny),
	} {
		got := gavel.VerifierReply{Outcome: gavel.VerifierTimeout}
		for limit := 200 * time.Millisecond; got.Outcome == gavel.VerifierTimeout && limit < time.Minute; limit *= 4 { // a slow machine may not have read it at first
			ctx, cancel := context.WithTimeoutCause(t.Context(), limit, gavel.ErrVerifierTime)
			got = raw(t, body, true).client(t, nil).Ask(ctx, asked())
			cancel()
		}
		assert.Equal(t, gavel.VerifierDenied, got.Outcome)
		assert.Equal(t, "no", got.Detail)
	}
}

func TestAConnectionThatEndsWithoutAnAnswerIsRetried(t *testing.T) {
	s := raw(t, "", false)
	got := s.client(t, nil).Ask(t.Context(), asked())
	assert.Equal(t, gavel.VerifierUnreachable, got.Outcome, got.Detail)
	assert.Equal(t, 5, got.Attempts)
	assert.Len(t, s.bodies, 5)
}

func TestAProtocolSwitchIsNotAnAnswer(t *testing.T) {
	s := raw(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"+allowed, false)
	assert.Equal(t, gavel.VerifierStatus, s.client(t, nil).Ask(t.Context(), asked()).Outcome)
}

func TestASignatureInATrailerIsIgnored(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "webhook-timestamp, webhook-signature")
		answering(allowed)(w, r)
		signing(t, allowed, nil)(headerOnly{w}, r)
	})
	got := s.client(t, func(cfg *webhook.Config) { cfg.Response = key(t, "answers") }).Ask(t.Context(), asked())
	assert.Equal(t, gavel.VerifierMismatch, got.Outcome, got.Detail)
}

// headerOnly sets headers, and writes nothing.
type headerOnly struct{ http.ResponseWriter }

func (h headerOnly) Write(p []byte) (int, error) { return len(p), nil }

func TestCookiesOfAVerifierAreNotSentBack(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Header().Set("Alt-Svc", `h2="elsewhere.example:443"`)
		answering(allowed)(w, r)
	})
	c := s.client(t, nil)
	for range 2 {
		assert.Equal(t, gavel.VerifierAllowed, c.Ask(t.Context(), asked()).Outcome)
	}
	assert.Empty(t, s.headers[1].Get("Cookie"))
}

func overHTTP2(t *testing.T, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{Server: httptest.NewUnstartedServer(handle)}
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func TestHTTP2AnswersAreReadJustAsStrictly(t *testing.T) {
	for name, c := range map[string]struct {
		handle  http.HandlerFunc
		outcome string
	}{
		"the plain answer": {func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, 2, r.ProtoMajor)
			answering(allowed)(w, r)
		}, "allowed"},
		"a header of 40 KiB": {func(w http.ResponseWriter, r *http.Request) {
			for i := range 10 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 4<<10))
			}
			answering(allowed)(w, r)
		}, "malformed"},
		"a trailer of 40 KiB": {func(w http.ResponseWriter, r *http.Request) {
			answering(allowed)(w, r)
			for i := range 10 {
				w.Header().Set(fmt.Sprint(http.TrailerPrefix, "X-", i), strings.Repeat("x", 4<<10))
			}
		}, "malformed"},
		"a stream that is reset": {func(w http.ResponseWriter, r *http.Request) {
			answering(`{"decision":"al`)(w, r)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "malformed"},
		"too much": {answering(`{"decision":"allow","x":"` + strings.Repeat("x", 70<<10) + `"}`), "oversize"},
	} {
		t.Run(name, func(t *testing.T) {
			got := overHTTP2(t, c.handle).client(t, nil).Ask(t.Context(), asked())
			assert.Equal(t, c.outcome, got.Outcome, got.Detail)
		})
	}
}

func TestEverySpellingOfAPrivateAddressIsRefused(t *testing.T) {
	s := serve(t, answering(allowed))
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "localhost", "[::1]", "[fe80::1%25lo]", "0.0.0.0", "[::]", "169.254.169.254"} {
		got := s.client(t, func(cfg *webhook.Config) {
			cfg.URL, cfg.Networks = "https://"+net.JoinHostPort(strings.Trim(host, "[]"), port)+"/", []string{"10.0.0.0/8"}
			if strings.HasPrefix(host, "[") {
				cfg.URL = "https://" + host + ":" + port + "/"
			}
		}).Ask(t.Context(), asked())
		assert.Equal(t, gavel.VerifierUnreachable, got.Outcome, host)
		assert.Contains(t, got.Detail, "is not public", host)
	}
	assert.Empty(t, s.bodies)
}

// A name may lead elsewhere each time that it is looked up. What is dialled is checked, each time.
func TestTheAddressOfANameIsCheckedForEachConnection(t *testing.T) {
	s := serve(t, answering(allowed))
	permitted := s.client(t, nil)
	assert.Equal(t, gavel.VerifierAllowed, permitted.Ask(t.Context(), asked()).Outcome)
	refused := s.client(t, func(cfg *webhook.Config) {
		cfg.URL, cfg.Networks = strings.Replace(cfg.URL, "127.0.0.1", "localhost", 1), []string{"127.0.0.2/32"}
	})
	for range 2 {
		assert.Contains(t, refused.Ask(t.Context(), asked()).Detail, "is not public")
	}
	assert.Len(t, s.bodies, 1)
}
