package gavel

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Asks says which verifiers must be asked before a call may run, and how. The policy writes it;
// whoever decides without asking denies.
type Asks struct {
	Verifiers []AskedVerifier
	// Timeout limits how long all of them may take together.
	Timeout time.Duration
	// Redact are JSON pointers, relative to the parameters, of what no verifier sees.
	Redact []string
	// Remember is how long an allow counts for the same question; 0 is not at all.
	Remember time.Duration
	// Scope is the path of the setting that selected the tool.
	Scope string
	// Reasons say what permits the call so far.
	Reasons []Reason
}

// AskedVerifier is one verifier that must agree.
type AskedVerifier struct {
	Name     string // webhook or telegram
	Endpoint string // the configuration path of its settings
	Timeout  time.Duration
}

// VerifierSettings are the settings of the verifiers of one policy. Secrets are references.
type VerifierSettings struct {
	MaxWaiting int `json:"maxWaiting"` // calls that may wait for verifiers at a time
	// Webhooks and Telegrams are by the path of their settings.
	Webhooks  map[string]WebhookSettings  `json:"webhooks"`
	Telegrams map[string]TelegramSettings `json:"telegrams"`
	// Tools are the names of tools that Gavel knows, each with the name that it stands for.
	Tools map[string]string `json:"tools"`
}

// TelegramSettings are the settings of one chat in Telegram, with every default filled in.
type TelegramSettings struct {
	BotToken       SecretReference `json:"botToken"`
	ChatID         string          `json:"chatId"` // a number
	TimeoutSeconds int             `json:"timeout"`
	AllowedUserIDs []int64         `json:"allowedUserIds"`
	APIBase        string          `json:"apiBase"` // "" is the public Bot API
	MaxWaiting     int             `json:"maxWaiting"`
}

// WebhookSettings are the settings of one webhook, with every default filled in.
type WebhookSettings struct {
	URL                  string            `json:"url"` // may have ${VARIABLE}s
	TimeoutSeconds       int               `json:"timeout"`
	Headers              map[string]string `json:"headers"` // may have ${VARIABLE}s
	Secret               SecretReference   `json:"secret"`
	PreviousSecret       SecretReference   `json:"previousSecret"`
	ResponseSecret       SecretReference   `json:"responseSecret"`
	RequireRequestIDEcho bool              `json:"requireRequestIdEcho"`
	AllowHTTP            string            `json:"allowHttp"`      // "" or loopback
	AllowAddresses       []string          `json:"allowAddresses"` // networks
	MaxWaiting           int               `json:"maxWaiting"`
	TLS                  struct {
		CA   string `json:"ca"`
		Cert string `json:"cert"`
		Key  string `json:"key"`
	} `json:"tls"` // files
}

// SecretReference says where a secret is; the zero value says that there is none.
type SecretReference struct {
	Variable string   // ${NAME}, as it is written
	File     string   `json:"file"`
	Command  []string `json:"command"`
}

// UnmarshalJSON reads a text as a variable, and an object as a file or a command.
func (r *SecretReference) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &r.Variable)
	}
	type plain SecretReference
	return json.Unmarshal(text, (*plain)(r))
}

// IsZero reports whether there is no secret.
func (r *SecretReference) IsZero() bool {
	return r.Variable == "" && r.File == "" && len(r.Command) == 0
}

// Outcomes of asking a verifier, as in VerifierAnswer. What each means is the policy's
// (rego/gavel/catalog/verifier).
const (
	VerifierAllowed     = "allowed"
	VerifierDenied      = "denied"
	VerifierRemembered  = "remembered"  // it allowed the same question a moment ago
	VerifierEnded       = "ended"       // another one denied, or the caller has gone
	VerifierUnreachable = "unreachable" // no connection, or none that answers
	VerifierTimeout     = "timeout"
	VerifierStatus      = "status" // an HTTP error
	VerifierRedirect    = "redirect"
	VerifierOversize    = "oversize"
	VerifierMalformed   = "malformed"
	VerifierMismatch    = "mismatch" // of the requestId or the signature
	VerifierBusy        = "busy"     // too many calls wait for it
)

// Verifiers ask outside authorities about calls. They are safe for concurrent use.
type Verifiers interface {
	// Ask asks all verifiers that a decision needs at once, and returns what they said, in the
	// order of the decision's Asks. The first deny ends the others. It waits, for as long as the
	// decision's Asks say and ctx lasts; it never fails: a question that cannot be asked has an
	// outcome that does not allow. The decision and the facts are read before it returns, and
	// never modified.
	Ask(ctx context.Context, decision *Decision, facts *Facts) []VerifierAnswer
}

// Verifier asks one outside authority. It is safe for concurrent use.
type Verifier interface {
	// Ask asks once, with retries of its own, until ctx ends. The cause of the end says whether
	// it was this verifier's time that was over (ErrVerifierTime).
	Ask(ctx context.Context, q *VerifierQuestion) VerifierReply
}

// ErrVerifierTime is the cause of the end of a context when a verifier's time is over.
var ErrVerifierTime = errors.New("the verifier's time is over")

// VerifierQuestion is what a verifier is asked.
type VerifierQuestion struct {
	RequestID string // a fresh UUID
	At        time.Time
	ExpiresAt time.Time
	Tool      string
	Params    map[string]any // redacted
	Agent     string
	Session   string
	Provider  string // the sender's channel
	Directory string // where the call runs; "" if that is unknown
	Digest    string // SHA-256 in hexadecimal, over the canonical form (RFC 8785) of the unredacted parameters
	Redacted  []string
	Revision  string   // of the policy that asks
	Reasons   []Reason // what permits the call so far, without secrets
	Probe     bool     // of gavel verifier test: no tool runs, whatever the answer is
}

// VerifierReply is what asking came to. Detail is sanitised and never holds a secret or a URL.
type VerifierReply struct {
	Outcome  string
	Detail   string
	Status   int // of HTTP; 0 for none
	Attempts int
}

// VerifierState is what happened at one verifier since Gavel started.
type VerifierState struct {
	Verifier string            `json:"verifier"`
	Path     string            `json:"path"` // of its settings
	Waiting  int               `json:"waiting"`
	Asked    uint64            `json:"asked"`
	Outcomes map[string]uint64 `json:"outcomes"`
	Last     string            `json:"last,omitempty"` // outcome
	LastAt   time.Time         `json:"lastAt,omitzero"`
}
