package forward

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	attemptTime = 10 * time.Second
	lastMoment  = 2 * time.Second // for a request on its way when Gavel stops
	maxAttempts = 6               // attempts per message, with 15 seconds of pauses in all
	maxAnswer   = 64 << 10        // bytes of a response that are read and discarded
	firstPause  = 500 * time.Millisecond
)

// newClient follows no redirects, ignores proxies from the environment, and connects to no
// private address. It checks the address that is dialled, not the name.
func (e *endpoint) newClient() *http.Client {
	dialer := &net.Dialer{Timeout: attemptTime}
	if !e.AllowPrivate {
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return public(address) }
	}
	return &http.Client{
		Timeout: attemptTime,
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// public refuses addresses that are not on the internet.
func public(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	reserved := func(prefix string) bool { return netip.MustParsePrefix(prefix).Contains(ip) }
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !reserved("2000::/3") || slices.ContainsFunc(notPublic(), reserved) {
		return errors.New("the address is private; set allowPrivate to permit it")
	}
	return nil
}

// notPublic are the other blocks that IANA reserves for special purposes and that are
// reachable, or lead to reachable addresses: 6to4 and Teredo embed IPv4 addresses.
func notPublic() []string {
	return []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16"}
}

// send posts a body, and retries temporary failures with the same id and bytes, so that a
// receiver can recognise duplicates. Errors never contain the URL, which may hold a token.
func (f *Forwarder) send(ctx context.Context, at *endpoint, id string, body []byte) error {
	wait := firstPause
	for n := 1; ; n++ {
		again := false
		err := f.queue.turn(ctx, func() (err error) {
			last, done := outlasting(ctx)
			defer done()
			again, err = f.attempt(last, at, id, body)
			return err
		})
		if err == nil || !again || n == maxAttempts || ctx.Err() != nil {
			return err
		}
		f.cfg.Pause(ctx, wait)
		wait *= 2
	}
}

// outlasting returns a context that ends a moment after ctx, so that a message being accepted
// when Gavel stops is not sent again after the next start.
func outlasting(ctx context.Context) (last context.Context, done func()) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		pause(last, lastMoment)
		cancel()
	})
	return last, func() { stop(); cancel() }
}

func (f *Forwarder) attempt(ctx context.Context, at *endpoint, id string, body []byte) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at.URL, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("the url cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "gavel")
	request.Header.Set("Idempotency-Key", id)
	if err := sign(request.Header, at.Secret, id, f.cfg.Now(), body); err != nil {
		return false, err
	}
	answer, err := at.client.Do(request)
	if err != nil {
		return true, unquoted(err)
	}
	defer answer.Body.Close()                                          //nolint:errcheck // it was only read
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // the response's content is ignored
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, status(answer.StatusCode)
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return false, status(answer.StatusCode)
	}
	return false, nil
}

func status(code int) error { return fmt.Errorf("the receiver answered with status %d", code) }

// unquoted is an error of the HTTP client without the URL.
func unquoted(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}

// sign adds the headers of Standard Webhooks and OpenClaw's own header, both with the same
// secret. A receiver checks one of them over the raw body.
func sign(header http.Header, secret, id string, now time.Time, body []byte) error {
	stamp := strconv.FormatInt(now.Unix(), 10)
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", stamp)
	if secret == "" {
		return nil
	}
	key := []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		var err error
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return errors.New("the secret begins with whsec_ but is not base64")
		}
	}
	header.Set("X-OpenClaw-Signature", hex.EncodeToString(mac(key, body)))
	signed := append([]byte(id+"."+stamp+"."), body...)
	header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac(key, signed)))
	return nil
}

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}
