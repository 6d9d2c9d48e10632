package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"gavel/internal/strictjson"
)

// Request is the first line that a client writes.
type Request struct {
	Version   int    `json:"version"`
	Tool      string `json:"tool,omitempty"`
	Admin     string `json:"admin,omitempty"`
	Timestamp string `json:"timestamp"`
	HMAC      string `json:"hmac"`
	Nonce     string `json:"nonce"`
	Cwd       string `json:"cwd,omitempty"`
	// Args are nil if the request has none; an empty list is signed differently.
	Args *[]string         `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
	// UsePTY asks for a terminal. It is signed in the form with seven fields; in the form with
	// six it must be false.
	UsePTY bool `json:"use_pty,omitempty"`
	// WindowSize is not signed. It sets the size of a terminal, and nothing else.
	WindowSize *WindowSize `json:"window_size,omitempty"`
	// Proof asks the daemon to show, before anything else, that it knows the secret. It is of
	// Gavel; other daemons ignore it.
	Proof bool `json:"proof,omitempty"`
}

// WindowSize is the size of a terminal in characters.
type WindowSize struct {
	Rows uint16 `json:"rows"`
	Cols uint16 `json:"cols"`
}

// Arguments are the arguments, none if there is no list.
func (r *Request) Arguments() []string {
	if r.Args == nil {
		return nil
	}
	return *r.Args
}

// RefusedError is a request that is refused.
type RefusedError struct {
	// Text is the answer for the client.
	Text string
	// Framed says that the client expects the answer in a frame.
	Framed bool
	// Why is for the daemon's log.
	Why error
}

// Error returns why the request was refused, for the log.
func (e *RefusedError) Error() string { return fmt.Sprintf("%s: %v", e.Text, e.Why) }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Why }

// outline tells how a request wants to be answered, even if it is refused.
type outline struct {
	Admin *json.RawMessage `json:"admin"`
	HMAC  *json.RawMessage `json:"hmac"`
}

// ParseRequest reads a request. An error is a [*RefusedError]. The fields have the shape that the
// protocol demands; whether the signature is right, [Verify] says.
func ParseRequest(line []byte) (*Request, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil, &RefusedError{Text: TextEmpty, Why: errors.New("the line is empty")}
	}
	if !json.Valid(line) {
		return nil, &RefusedError{Text: TextNoJSON, Why: errors.New("the line is not JSON")}
	}
	var kind outline
	if err := strictjson.UnmarshalOpen(line, &kind); err != nil {
		return nil, &RefusedError{Text: TextInvalid, Why: err}
	}
	framed := kind.Admin == nil
	if framed && kind.HMAC == nil {
		return nil, &RefusedError{Text: TextNoProtocol, Why: errors.New("neither admin nor hmac is there")}
	}
	request := &Request{}
	if err := strictjson.Unmarshal(line, request); err != nil {
		return nil, &RefusedError{Text: TextInvalid, Framed: framed, Why: err}
	}
	if request.Version != Version {
		return nil, &RefusedError{Text: TextVersion, Framed: framed, Why: fmt.Errorf("version %d", request.Version)}
	}
	if err := request.check(); err != nil {
		return nil, &RefusedError{Text: TextInvalid, Framed: framed, Why: err}
	}
	return request, nil
}

// check says what is wrong with the shape of a request. These rules make both signed forms
// unambiguous: no field that is not JSON can contain the separator.
func (r *Request) check() error {
	switch {
	case !timestamps(r.Timestamp):
		return errors.New("timestamp: want the seconds since 1970, 10 to 12 digits")
	case !nonces(r.Nonce):
		return errors.New("nonce: want 16 bytes, as 32 lower-case hexadecimal digits or as base64")
	case len(r.Arguments()) > MaxArgs:
		return fmt.Errorf("args: more than %d", MaxArgs)
	case len(r.Env) > MaxVariables:
		return fmt.Errorf("env: more than %d variables", MaxVariables)
	case r.Admin != "":
		return r.checkAdmin()
	case !ToolName(r.Tool):
		return errors.New("tool: want letters, digits, dots, dashes and underscores")
	case !directory(r.Cwd):
		return errors.New("cwd: want valid UTF-8 without control characters")
	}
	for _, arg := range r.Arguments() {
		if !valid(arg) || strings.ContainsRune(arg, 0) {
			return errors.New("args: an argument is not valid UTF-8, or has a null character")
		}
	}
	for name, value := range r.Env {
		if !VariableName(name) {
			return errors.New("env: a name is not one of a variable: letters, digits and underscores, no digit first")
		}
		if !valid(value) || strings.ContainsRune(value, 0) {
			return errors.New("env: a value is not valid UTF-8, or has a null character")
		}
	}
	return nil
}

func (r *Request) checkAdmin() error {
	if r.Tool != "" || r.Cwd != "" || r.Args != nil || r.Env != nil || r.UsePTY || r.WindowSize != nil || r.Proof {
		return errors.New("admin: such a request has no tool, arguments, directory or variables")
	}
	if strings.TrimFunc(r.Admin, func(c rune) bool { return 'a' <= c && c <= 'z' || c == '-' }) != "" {
		return errors.New("admin: want lower-case letters")
	}
	return nil
}

// ToolName reports whether a text is the name of a tool. Names of directories are none.
func ToolName(text string) bool {
	return text != "" && text != "." && text != ".." && len(text) <= 128 &&
		strings.TrimFunc(text, func(c rune) bool {
			return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
		}) == ""
}

// VariableName reports whether a text is the name of an environment variable.
func VariableName(text string) bool {
	for i, c := range text {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != "" && len(text) <= 256
}

// directory reports whether a text may be signed as a directory.
func directory(text string) bool {
	return valid(text) && len(text) < 4096 && !strings.ContainsFunc(text, unicode.IsControl)
}

func timestamps(text string) bool {
	return len(text) >= 10 && len(text) <= 12 && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}
