// Package outgoing has what every client of Gavel's that posts to somebody else's server
// shares: signatures, which addresses may be dialled, and the HTTP client itself.
package outgoing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Key is a secret that signs. The zero value signs nothing.
type Key struct {
	text    []byte // signs X-OpenClaw-Signature
	decoded []byte // signs the headers of Standard Webhooks
}

// ParseKey reads a secret: text, or whsec_ and base64 as Standard Webhooks writes it. Then the
// document's header is signed with the whole text, and the others with the decoded key.
func ParseKey(secret string) (Key, error) {
	k := Key{text: []byte(secret), decoded: []byte(secret)}
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if err != nil || len(decoded) == 0 {
			return Key{}, errors.New("the secret begins with whsec_ but is not base64")
		}
		k.decoded = decoded
	}
	return k, nil
}

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return len(k.text) == 0 }

// The headers that Sign sets and receivers check.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
	HeaderOpenClaw  = "X-OpenClaw-Signature"
)

// Sign sets id and timestamp, and the signatures of a request's body: OpenClaw's own header
// with the first key, and one entry of Standard Webhooks for each key. A receiver checks one
// of them over the raw body.
func Sign(header http.Header, keys []Key, id string, now time.Time, body []byte) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	header.Set(HeaderID, id)
	header.Set(HeaderTimestamp, stamp)
	var entries []string
	for _, key := range keys {
		if key.IsZero() {
			continue
		}
		if len(entries) == 0 {
			header.Set(HeaderOpenClaw, hex.EncodeToString(mac(key.text, body)))
		}
		entries = append(entries, entry(key, id+"."+stamp+".", body))
	}
	if len(entries) > 0 {
		header.Set(HeaderSignature, strings.Join(entries, " "))
	}
}

// answerPrefix separates the directions: a signed request is never a signed answer.
const answerPrefix = "response."

// SignAnswer sets the timestamp and the signature of an answer to the request with an id.
func SignAnswer(header http.Header, key Key, id string, now time.Time, body []byte) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	header.Set(HeaderTimestamp, stamp)
	header.Set(HeaderSignature, entry(key, answerPrefix+id+"."+stamp+".", body))
}

// VerifyAnswer returns why an answer is not signed by one of the keys for the request with an
// id, within a tolerance on either side of now; nil if it is.
func VerifyAnswer(header http.Header, keys []Key, id string, now time.Time, tolerance time.Duration, body []byte) error {
	return verify(header, keys, answerPrefix+id+".", now, tolerance, body)
}

// Verify is the same for a request, by the headers of Standard Webhooks.
func Verify(header http.Header, keys []Key, now time.Time, tolerance time.Duration, body []byte) error {
	id := header.Values(HeaderID)
	if len(id) != 1 || id[0] == "" || strings.Contains(id[0], ".") {
		return errors.New(HeaderID + " is missing or is not an id")
	}
	return verify(header, keys, id[0]+".", now, tolerance, body)
}

func verify(header http.Header, keys []Key, before string, now time.Time, tolerance time.Duration, body []byte) error {
	stamps, signatures := header.Values(HeaderTimestamp), header.Values(HeaderSignature)
	if len(stamps) != 1 || len(signatures) != 1 {
		return errors.New("the signature is missing: " + HeaderTimestamp + " and " + HeaderSignature + " must be there once")
	}
	seconds, err := strconv.ParseInt(stamps[0], 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != stamps[0] {
		return errors.New(HeaderTimestamp + " is not a time in seconds")
	}
	if !Fresh(time.Unix(seconds, 0), now, tolerance) {
		return errors.New("the signature is too old, or from the future")
	}
	list := strings.Split(signatures[0], " ")
	if len(list) > 8 {
		return errors.New("there are too many signatures")
	}
	valid := false
	for _, given := range list {
		sum, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(given, "v1,"))
		if err != nil || !strings.HasPrefix(given, "v1,") {
			continue // of another kind
		}
		for _, key := range keys {
			if !key.IsZero() && hmac.Equal(sum, mac(key.decoded, []byte(before+stamps[0]+"."), body)) {
				valid = true
			}
		}
	}
	if !valid {
		return errors.New("the signature is wrong")
	}
	return nil
}

// VerifyOpenClaw returns why the document's own header does not sign a body: lower-case
// hexadecimal digits, without a prefix.
func VerifyOpenClaw(header http.Header, keys []Key, body []byte) error {
	given := header.Values(HeaderOpenClaw)
	if len(given) != 1 {
		return errors.New(HeaderOpenClaw + " must be there once")
	}
	sum, err := hex.DecodeString(given[0])
	if err != nil || hex.EncodeToString(sum) != given[0] {
		return errors.New(HeaderOpenClaw + " is not lower-case hexadecimal")
	}
	valid := false
	for _, key := range keys {
		if !key.IsZero() && hmac.Equal(sum, mac(key.text, body)) {
			valid = true
		}
	}
	if !valid {
		return errors.New(HeaderOpenClaw + " is wrong")
	}
	return nil
}

// Fresh reports whether a time is within a tolerance of now, on either side, in whole seconds.
func Fresh(at, now time.Time, tolerance time.Duration) bool {
	apart := time.Duration(now.Unix()-at.Unix()) * time.Second
	return apart <= tolerance && apart >= -tolerance
}

func entry(key Key, before string, body []byte) string {
	return "v1," + base64.StdEncoding.EncodeToString(mac(key.decoded, []byte(before), body))
}

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// Public reports whether an address is on the internet: no address of this machine, of a
// private network, of a link, or of what a cloud tells its machines.
func Public(ip netip.Addr) bool {
	ip = ip.Unmap()
	reserved := func(prefix string) bool { return netip.MustParsePrefix(prefix).Contains(ip) }
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && (ip.Is4() || reserved("2000::/3")) && !slices.ContainsFunc(notPublic(), reserved)
}

// Loopback returns an error for an address that is not of this machine. The address is IP:port.
func Loopback(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("http is for addresses of this machine, and %s is none", address)
	}
	return nil
}

// notPublic are the other blocks that IANA reserves for special purposes and that are
// reachable, or lead to reachable addresses: 6to4 and Teredo embed IPv4 addresses. 168.63.129.16
// looks public, and is what Azure tells its machines.
func notPublic() []string {
	return []string{"0.0.0.0/8", "100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16"}
}
