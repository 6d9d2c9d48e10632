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

// Limits of what is read.
const (
	maxAnswer = 4 << 20
	maxToken  = 4 << 10
)

// Server is a running gavel serve, reached through its unix socket.
type Server struct {
	Socket string
	// claimed is true if the environment named it, and not the command line.
	claimed bool
	token   func() (string, error)
}

// Place says where to look for the server; each member may be "".
type Place struct {
	Socket string // of --socket
	State  string // of --state
}

// Find looks for a server: at the socket of the command line, at the socket in GAVEL_SOCKET, or
// in the state directory. It is found if a socket was named, or if the file exists. A server that
// is found but does not answer denies.
func Find(at Place, getenv func(string) string) (Server, bool) {
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
	claimed := at.Socket == "" && at.State == ""
	return Server{Socket: socket, claimed: claimed, token: func() (string, error) { return readToken(tokens, getenv) }}, true
}

// StateDirectory is the default state directory of gavel serve, or "" if there is none.
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

// readToken reads the token in GAVEL_TOKEN_FILE, or the gateway token beside the socket. A
// gateway token is needed because a hook states who is calling, and where.
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

// Fit says why the server must not decide about calls, or cannot: somebody else may be listening
// on the socket, or the environment named one of their project, see [Foreign].
func (s Server) Fit(calls []gavel.Call) error {
	switch err := private.CheckSocket(s.Socket, !s.claimed); {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("ask gavel serve: %w; start it", err)
	case err != nil:
		return fmt.Errorf("ask gavel serve: %w", err)
	}
	if !s.claimed {
		return nil
	}
	return Foreign(s.Socket, calls)
}

// Decide asks the server about all calls at once.
func (s Server) Decide(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
	if err := s.Fit(calls); err != nil {
		return nil, err
	}
	if len(calls) == 1 {
		var one answer
		if err := s.post(ctx, "/v1/decisions", calls[0], &one); err != nil {
			return nil, err
		}
		return checked([]answer{one}, 1)
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

// answer is a decision without what is only in explanations. A decoder that never learns those
// types starts in half of the time.
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
