package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gavel"
	"gavel/internal/private"
)

// Limits of files and answers, in bytes.
const (
	maxAnswer = 4 << 20
	maxToken  = 4 << 10
)

// Server is a running gavel serve, reached through its unix socket.
type Server struct {
	Socket string
	// fromEnvironment is true if the environment named the socket, and not the command line.
	fromEnvironment bool
	token           func() (string, error)
}

// Location has where the command line says that the server is; each field may be "".
type Location struct {
	Socket string // of --socket
	State  string // of --state
}

// Find looks for a server: at the socket of the command line, at the socket in GAVEL_SOCKET, or
// in the state directory. It is found if a socket was named, or if the file exists. A server that
// is found but does not answer denies.
func Find(at Location, getenv func(string) string) (Server, bool) {
	state, socket := at.State, at.Socket
	if state == "" {
		state = StateDirectory(getenv)
	}
	if socket == "" && at.State == "" {
		socket = getenv("GAVEL_SOCKET")
	}
	named := socket != ""
	if !named && state != "" {
		socket = filepath.Join(state, "gavel.sock")
	}
	if socket == "" {
		return Server{}, false
	}
	if _, err := os.Lstat(socket); !named && errors.Is(err, os.ErrNotExist) {
		return Server{}, false
	}
	tokens := filepath.Dir(socket)
	if at.State != "" {
		tokens = at.State
	}
	fromEnvironment := at.Socket == "" && at.State == ""
	return Server{Socket: socket, fromEnvironment: fromEnvironment, token: func() (string, error) { return readToken(tokens, getenv) }}, true
}

// StateDirectory returns the default state directory of gavel serve, or "" if there is none.
func StateDirectory(getenv func(string) string) string {
	base := getenv("XDG_STATE_HOME")
	if home := getenv("HOME"); !filepath.IsAbs(base) && filepath.IsAbs(home) {
		base = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "gavel")
}

// readToken reads the token in GAVEL_TOKEN_FILE, or the gateway token next to the socket. It must
// be a gateway token, because a hook states which agent calls, and where.
func readToken(dir string, getenv func(string) string) (string, error) {
	file := getenv("GAVEL_TOKEN_FILE")
	if file == "" {
		file = filepath.Join(dir, "tokens", "gateway.token")
	}
	text, err := private.ReadFile(file, maxToken)
	if err != nil {
		return "", fmt.Errorf("read the token for gavel serve: %w (GAVEL_TOKEN_FILE names another file)", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \r\n\t") {
		return "", fmt.Errorf("%s does not hold a token", file)
	}
	return token, nil
}

// Token reads the credential for the server.
func (s Server) Token() (string, error) { return s.token() }

// Check returns an error if the server cannot or must not decide about calls: another user may be
// listening on the socket, or the socket belongs to their project, see [CheckOrigin].
func (s Server) Check(calls []gavel.Call) error {
	switch err := private.CheckSocket(s.Socket, !s.fromEnvironment); {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("ask gavel serve: %w; start it", err)
	case err != nil:
		return fmt.Errorf("ask gavel serve: %w", err)
	}
	if !s.fromEnvironment {
		return nil
	}
	return CheckOrigin(s.Socket, calls)
}

// Decide asks the server about all calls at once.
func (s Server) Decide(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
	if err := s.Check(calls); err != nil {
		return nil, err
	}
	if len(calls) == 1 {
		var single answer
		if err := s.post(ctx, "/v1/decisions", calls[0], &single); err != nil {
			return nil, err
		}
		return checked([]answer{single}, 1)
	}
	var all struct {
		Decisions []answer `json:"decisions"`
	}
	err := s.post(ctx, "/v1/decisions/batch", struct {
		Calls []gavel.Call `json:"calls"`
	}{calls}, &all)
	if err != nil {
		return nil, err
	}
	return checked(all.Decisions, len(calls))
}

// answer is a decision without the members of explanations. Decoding starts in half of the time if it
// does not have to analyze their types.
type answer struct {
	gavel.Decision
	Layers json.RawMessage `json:"layers"`
	Facts  json.RawMessage `json:"facts"`
}

// checked refuses incomplete answers.
func checked(list []answer, want int) ([]gavel.Decision, error) {
	if len(list) != want {
		return nil, fmt.Errorf("gavel serve answered %d of %d calls", len(list), want)
	}
	decisions := make([]gavel.Decision, len(list))
	for i, d := range list {
		if d.ID == "" || d.Revision == "" || len(d.Reasons) == 0 {
			return nil, errors.New("gavel serve sent something that is not a decision")
		}
		decisions[i] = d.Decision
	}
	return decisions, nil
}

// post makes one request on a new connection.
func (s Server) post(ctx context.Context, path string, body, into any) error {
	token, err := s.token()
	if err != nil {
		return err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the call: %w", err)
	}
	status, read, err := s.exchange(ctx, path, token, text)
	if err != nil {
		return err
	}
	if status != statusOK {
		return refused(status, read)
	}
	if err := json.Unmarshal(read, into); err != nil {
		return fmt.Errorf("read the answer of gavel serve: %w", err)
	}
	return nil
}

// refused returns an error that the server sent, in its own words.
func refused(status int, body []byte) error {
	var answer struct {
		Error struct{ Code, Message, Fix string } `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error.Message == "" {
		return fmt.Errorf("gavel serve answered with the status %d", status)
	}
	text := answer.Error.Code + ": " + answer.Error.Message
	if answer.Error.Fix != "" {
		text += "; " + answer.Error.Fix
	}
	return errors.New(text)
}
