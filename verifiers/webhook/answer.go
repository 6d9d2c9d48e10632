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

// answer is the body of a verifier's answer. Other members are ignored.
type answer struct {
	Decision  *string `json:"decision"`
	Reason    *string `json:"reason"`
	RequestID *string `json:"requestId"`
}

// read reads one response. A deny counts whatever else is wrong with its response, because an
// attacker gains nothing by forging one.
func (c *Client) read(ctx context.Context, q *gavel.VerifierQuestion, response *http.Response) gavel.VerifierReply {
	if response.StatusCode >= 300 && response.StatusCode <= 399 {
		return gavel.VerifierReply{Outcome: gavel.VerifierRedirect, Detail: statusText(response.StatusCode)}
	}
	success := response.StatusCode >= 200 && response.StatusCode <= 299
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case !success:
		if parsed, _, wrong := parse(response.Header, text); wrong == "" && err == nil && len(text) <= maxAnswer && *parsed.Decision == "deny" {
			return c.denied(parsed)
		}
		return gavel.VerifierReply{Outcome: gavel.VerifierStatus, Detail: statusText(response.StatusCode)}
	case ctx.Err() != nil: // even without an error, the text may be incomplete
		if parsed, _, wrong := parse(response.Header, text); wrong == "" && len(text) <= maxAnswer && *parsed.Decision == "deny" {
			return c.denied(parsed)
		}
		return endedReply(ctx)
	case err != nil: // the incomplete text may have been a deny
		return malformed("it ended too early")
	case len(text) > maxAnswer:
		return gavel.VerifierReply{Outcome: gavel.VerifierOversize, Detail: "more than 64 KiB"}
	}
	parsed, allow, wrong := parse(response.Header, text)
	switch {
	case wrong != "":
		return malformed(wrong)
	case !allow:
		return c.denied(parsed)
	}
	if err := c.checkMatch(q, parsed, response.Header, text); err != nil {
		return gavel.VerifierReply{Outcome: gavel.VerifierMismatch, Detail: err.Error()}
	}
	return gavel.VerifierReply{Outcome: gavel.VerifierAllowed, Detail: c.reason(parsed)}
}

// parse parses an answer. If the answer is invalid or ambiguous, wrong has the reason.
func parse(header http.Header, text []byte) (parsed answer, allow bool, wrong string) {
	kind, more, err := mime.ParseMediaType(strings.Join(header.Values("Content-Type"), ", ")) // two are an error
	switch {
	case err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		return parsed, false, "its Content-Type is not JSON"
	case more["charset"] != "" && !strings.EqualFold(more["charset"], "utf-8"):
		return parsed, false, "its charset is not UTF-8"
	case slices.ContainsFunc(header.Values("Content-Encoding"), func(coding string) bool { return coding != "identity" }):
		return parsed, false, "it is compressed"
	}
	if err := strictjson.UnmarshalOpen(text, &parsed); err != nil {
		var about *strictjson.Error
		if errors.As(err, &about) {
			return parsed, false, display.Clean(about.Message, maxReason).Text
		}
		return parsed, false, "it is not JSON"
	}
	if parsed.Decision == nil || *parsed.Decision != "allow" && *parsed.Decision != "deny" {
		return parsed, false, "decision is neither allow nor deny"
	}
	return parsed, *parsed.Decision == "allow", ""
}

// checkMatch returns an error if an allow is not for this question.
func (c *Client) checkMatch(q *gavel.VerifierQuestion, said answer, header http.Header, text []byte) error {
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

// reason returns the verifier's own text, sanitised for people and agents. If the verifier repeats
// the credential of the request, it is masked.
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
