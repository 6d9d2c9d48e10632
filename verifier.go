package gavel

import (
	"encoding/json"
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
}

// AskedVerifier is one verifier that must agree.
type AskedVerifier struct {
	Name     string // webhook or telegram
	Endpoint string // the configuration path of its settings
	Timeout  time.Duration
}

// VerifierSettings are the settings of the verifiers of one policy. Secrets are references.
type VerifierSettings struct {
	MaxWaiting int                        `json:"maxWaiting"` // calls that may wait for verifiers at a time
	Webhooks   map[string]WebhookSettings `json:"webhooks"`   // by the path of their settings
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
