package wire

import "strings"

// The commands of administrators.
const (
	AdminList  = "list"
	AdminCheck = "check"
)

// ToolList answers list.
type ToolList struct {
	Tools   map[string]ToolEntry `json:"tools"`
	Version string               `json:"version"`
}

// ToolEntry is one tool.
type ToolEntry struct {
	Binary string `json:"binary"`
	Mode   string `json:"mode"` // env or config_file
}

// CredentialCheck answers check.
type CredentialCheck struct {
	Credentials map[string]CredentialState `json:"credentials"`
	Version     string                     `json:"version"`
}

// CredentialState says whether a credential could be read.
type CredentialState struct {
	Status  string `json:"status"` // ok or failed
	Preview string `json:"preview,omitempty"`
}

// Preview shows that a value is the expected one without showing it: the first two and the last two
// of at least eight characters, and nothing of a shorter value.
func Preview(value string) string {
	runes := []rune(value)
	if len(runes) < 8 {
		return "****...****"
	}
	return string(runes[:2]) + strings.Repeat(".", 5) + string(runes[len(runes)-2:])
}
