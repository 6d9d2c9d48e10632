package gavel

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Asks defines which verifiers must be asked before a call may run, and how. The policy sets it. A
// decision for which they are not asked is a deny.
type Asks struct {
	Verifiers []AskedVerifier
	// Timeout limits how long all of them may take together.
	Timeout time.Duration
	// Redact has the JSON pointers of the parameters that no verifier may see.
	Redact []string
	// Remember is how long an allow counts for the same question; 0 means not at all.
	Remember time.Duration
	// Scope is the path of the setting that selected the tool.
	Scope string
	// Reasons are why the call is permitted so far.
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
	// Webhooks and Telegrams have their settings by configuration path.
	Webhooks  map[string]WebhookSettings  `json:"webhooks"`
	Telegrams map[string]TelegramSettings `json:"telegrams"`
	// Tools maps each name of a tool that Gavel knows to its canonical name.
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

// SecretReference is where a secret is. The zero value means that there is none.
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

// Outcomes of asking a verifier, as in VerifierAnswer. The policy defines what each of them means
// (rego/gavel/catalog/verifier).
const (
	VerifierAllowed     = "allowed"
	VerifierDenied      = "denied"
	VerifierRemembered  = "remembered"  // it allowed the same question recently
	VerifierEnded       = "ended"       // another verifier denied, or the caller has gone
	VerifierUnreachable = "unreachable" // no connection, or no answer
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
	// Ask asks all verifiers of the decision's Asks at once, and returns their answers in that
	// order. The first deny ends the others. It waits until the time limit of Asks, or until ctx
	// ends. It never fails: a question that cannot be asked has an outcome that does not allow. It
	// does not modify the decision and the facts, nor use them after it has returned.
	Ask(ctx context.Context, decision *Decision, facts *Facts) []VerifierAnswer
}

// Verifier asks one outside authority. It is safe for concurrent use.
type Verifier interface {
	// Ask asks one question, with retries, until ctx ends. If the verifier's own time limit ends
	// ctx, the cause is ErrVerifierTime.
	Ask(ctx context.Context, q *VerifierQuestion) VerifierReply
}

// ErrVerifierTime is the cause of a context that ended because of a verifier's time limit.
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
	Reasons   []Reason // why the call is permitted so far, without secrets
	Probe     bool     // a question of gavel verifier test: no tool runs, whatever the answer is
}

// VerifierReply is the result of asking. Detail is sanitised, and never contains a secret or a URL.
type VerifierReply struct {
	Outcome  string
	Detail   string
	Status   int // of HTTP; 0 for none
	Attempts int
}

// VerifierState has the statistics of one verifier since Gavel started.
type VerifierState struct {
	Verifier string            `json:"verifier"`
	Path     string            `json:"path"` // of its settings
	Waiting  int               `json:"waiting"`
	Asked    uint64            `json:"asked"`
	Outcomes map[string]uint64 `json:"outcomes"`
	Last     string            `json:"last,omitempty"` // outcome
	LastAt   time.Time         `json:"lastAt,omitzero"`
}
