package wire

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Form is which fields of a request are signed.
type Form int

// The forms.
const (
	SixFields   Form = iota // as documented
	SevenFields             // of later clients: whether a terminal is wanted is the seventh
)

// MAC is a signature, and what a request is known by.
type MAC [sha256.Size]byte

// Why a signature does not count. A client learns neither.
var (
	ErrTime      = errors.New("invalid or expired timestamp")
	ErrSignature = errors.New("invalid signature")
)

// nonceSize is the number of bytes in a nonce.
const nonceSize = 16

// NewNonce returns a nonce in the documented spelling.
func NewNonce() string {
	var nonce [nonceSize]byte
	_, _ = rand.Read(nonce[:]) // it never fails
	return hex.EncodeToString(nonce[:])
}

// nonces reports whether a text is a nonce in one of its two spellings.
func nonces(text string) bool {
	if len(text) == hex.EncodedLen(nonceSize) {
		return strings.Trim(text, "0123456789abcdef") == ""
	}
	bytes, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && len(bytes) == nonceSize && base64.StdEncoding.EncodeToString(bytes) == text
}

// Sign sets the signature of a request.
func (r *Request) Sign(secret []byte, form Form) {
	mac := r.mac(secret, form, short)
	r.HMAC = base64.StdEncoding.EncodeToString(mac[:])
}

func (r *Request) mac(secret []byte, form Form, s spelling) (sum MAC) {
	tool := r.Tool
	if r.Admin != "" {
		tool = "admin:" + r.Admin
	}
	fields := []string{r.Timestamp, tool, canonicalArgs(r.Args, s), r.Cwd, canonicalEnv(r.Env, s), r.Nonce}
	if form == SevenFields {
		pty := "0"
		if r.UsePTY {
			pty = "1"
		}
		fields = append(fields, pty)
	}
	h := hmac.New(sha256.New, secret)
	_, _ = h.Write([]byte(strings.Join(fields, "\n"))) // it never fails
	return MAC(h.Sum(sum[:0]))
}

// Verify checks the time and the signature of a request that [ParseRequest] returned. The result
// identifies the request, however its signature is written.
func (r *Request) Verify(secret []byte, now time.Time) (MAC, error) {
	if err := fresh(r.Timestamp, now); err != nil {
		return MAC{}, err
	}
	given, err := decodeMAC(r.HMAC)
	if err != nil {
		return MAC{}, err
	}
	for _, s := range spellings(r.Args, r.Env) {
		for _, form := range []Form{SixFields, SevenFields} {
			if form == SixFields && r.UsePTY {
				continue // it would not be signed
			}
			if sum := r.mac(secret, form, s); hmac.Equal(sum[:], given[:]) {
				return given, nil
			}
		}
	}
	return MAC{}, ErrSignature
}

// decodeMAC reads a signature in its one spelling.
func decodeMAC(text string) (mac MAC, err error) {
	bytes, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(bytes) != len(mac) || base64.StdEncoding.EncodeToString(bytes) != text {
		return mac, ErrSignature
	}
	return MAC(bytes), nil
}

// fresh checks the time of a request against the clock.
func fresh(timestamp string, now time.Time) error {
	if !timestamps(timestamp) {
		return ErrTime
	}
	if apart := now.Unix() - seconds(timestamp); apart > int64(Fresh/time.Second) || apart < -int64(Fresh/time.Second) {
		return ErrTime
	}
	return nil
}

// Made is when a request says that it was made, in seconds since 1970.
func (r *Request) Made() int64 { return seconds(r.Timestamp) }

// seconds reads a time that [timestamps] has seen: 12 digits always fit.
func seconds(timestamp string) int64 {
	n, _ := strconv.ParseInt(timestamp, 10, 64)
	return n
}

// Proof is what a daemon shows to prove that it knows the secret, for one request.
func Proof(secret []byte, mac MAC) []byte {
	h := hmac.New(sha256.New, secret)
	_, _ = h.Write([]byte("gavel daemon\n"))
	_, _ = h.Write(mac[:])
	return h.Sum(nil)
}

// Proves reports whether a proof is right for a request that was signed with this secret.
func (r *Request) Proves(secret, proof []byte) bool {
	mac, err := decodeMAC(r.HMAC)
	return err == nil && hmac.Equal(Proof(secret, mac), proof)
}
