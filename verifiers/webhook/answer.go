package webhook

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"gavel"
	"gavel/internal/display"
	"gavel/internal/outgoing"
	"gavel/internal/strictjson"
)

const (
	maxAnswer = 64 << 10 // bytes of an answer
	maxReason = 500      // characters of its reason that are kept
	tolerance = 5 * time.Minute
)

// answer is what a verifier says. Members that are not here are ignored.
type answer struct {
	Decision  *string `json:"decision"`
	Reason    *string `json:"reason"`
	RequestID *string `json:"requestId"`
}

// read reads one response. A deny counts whatever else is wrong with the response that carries
// it, because nothing can be gained with a false one.
func (c *Client) read(ctx context.Context, q *gavel.VerifierQuestion, response *http.Response) gavel.VerifierReply {
	if response.StatusCode >= 300 && response.StatusCode <= 399 {
		return gavel.VerifierReply{Outcome: gavel.VerifierRedirect, Detail: statusText(response.StatusCode)}
	}
	success := response.StatusCode >= 200 && response.StatusCode <= 299
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case !success:
		if said, _, wrong := parse(response.Header, text); wrong == "" && err == nil && len(text) <= maxAnswer && *said.Decision == "deny" {
			return c.denied(said)
		}
		return gavel.VerifierReply{Outcome: gavel.VerifierStatus, Detail: statusText(response.StatusCode)}
	case ctx.Err() != nil: // what was read may be a part, even without an error
		if said, _, wrong := parse(response.Header, text); wrong == "" && len(text) <= maxAnswer && *said.Decision == "deny" {
			return c.denied(said)
		}
		return over(ctx)
	case err != nil: // the part that came may be of a deny
		return malformed("it ended too early")
	case len(text) > maxAnswer:
		return gavel.VerifierReply{Outcome: gavel.VerifierOversize, Detail: "more than 64 KiB"}
	}
	said, allow, wrong := parse(response.Header, text)
	switch {
	case wrong != "":
		return malformed(wrong)
	case !allow:
		return c.denied(said)
	}
	if err := c.belongs(q, said, response.Header, text); err != nil {
		return gavel.VerifierReply{Outcome: gavel.VerifierMismatch, Detail: err.Error()}
	}
	return gavel.VerifierReply{Outcome: gavel.VerifierAllowed, Detail: c.reason(said)}
}

// parse reads an answer. wrong says why it cannot be read in exactly one way.
func parse(header http.Header, text []byte) (said answer, allow bool, wrong string) {
	kind, more, err := mime.ParseMediaType(strings.Join(header.Values("Content-Type"), ", ")) // two are an error
	switch {
	case err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		return said, false, "its Content-Type is not JSON"
	case more["charset"] != "" && !strings.EqualFold(more["charset"], "utf-8"):
		return said, false, "its charset is not UTF-8"
	case slices.ContainsFunc(header.Values("Content-Encoding"), func(coding string) bool { return coding != "identity" }):
		return said, false, "it is compressed"
	}
	if err := strictjson.UnmarshalOpen(text, &said); err != nil {
		var about *strictjson.Error
		if errors.As(err, &about) {
			return said, false, display.Clean(about.Message, maxReason).Text
		}
		return said, false, "it is not JSON"
	}
	if said.Decision == nil || *said.Decision != "allow" && *said.Decision != "deny" {
		return said, false, "decision is neither allow nor deny"
	}
	return said, *said.Decision == "allow", ""
}

// belongs returns why an allow is not for this question.
func (c *Client) belongs(q *gavel.VerifierQuestion, said answer, header http.Header, text []byte) error {
	switch {
	case said.RequestID != nil && *said.RequestID != q.RequestID:
		return errors.New("its requestId is another one")
	case said.RequestID == nil && c.cfg.RequireEcho:
		return errors.New("it does not repeat the requestId")
	case c.cfg.Response.IsZero():
		return nil
	}
	return outgoing.VerifyAnswer(header, []outgoing.Key{c.cfg.Response}, q.RequestID, c.cfg.Now(), tolerance, text)
}

func (c *Client) denied(said answer) gavel.VerifierReply {
	return gavel.VerifierReply{Outcome: gavel.VerifierDenied, Detail: c.reason(said)}
}

func malformed(why string) gavel.VerifierReply {
	return gavel.VerifierReply{Outcome: gavel.VerifierMalformed, Detail: why}
}

// reason is the verifier's own text, for people and agents. A verifier that repeats the
// credential of the request does not show it to them.
func (c *Client) reason(said answer) string {
	if said.Reason == nil {
		return ""
	}
	whole := *said.Reason
	for _, credential := range c.cfg.Credentials {
		whole = strings.ReplaceAll(whole, credential, "[REDACTED]")
	}
	text := []rune(strings.TrimSpace(whole))
	return display.Clean(string(text[:min(len(text), maxReason)]), 4*maxReason).Text
}
