package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
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

// Decide asks the server about all calls at once.
func (s Server) Decide(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
	if s.claimed {
		if err := Foreign(s.Socket, calls); err != nil {
			return nil, err
		}
	}
	if len(calls) == 1 {
		var d gavel.Decision
		if err := s.post(ctx, "/v1/decisions", calls[0], &d); err != nil {
			return nil, err
		}
		return checked([]gavel.Decision{d}, 1)
	}
	var answer struct {
		Decisions []gavel.Decision `json:"decisions"`
	}
	err := s.post(ctx, "/v1/decisions/batch", struct {
		Calls []gavel.Call `json:"calls"`
	}{calls}, &answer)
	if err != nil {
		return nil, err
	}
	return checked(answer.Decisions, len(calls))
}

// checked refuses incomplete answers.
func checked(list []gavel.Decision, want int) ([]gavel.Decision, error) {
	if len(list) != want {
		return nil, fmt.Errorf("gavel serve answered %d of %d calls", len(list), want)
	}
	for _, d := range list {
		if d.ID == "" || d.Revision == "" || len(d.Reasons) == 0 {
			return nil, errors.New("gavel serve sent something that is not a decision")
		}
	}
	return list, nil
}

// post makes one request on a new connection.
func (s Server) post(ctx context.Context, path string, body, into any) error {
	if _, err := os.Lstat(s.Socket); err != nil {
		return fmt.Errorf("ask gavel serve: %w; start it", err)
	}
	token, err := s.token()
	if err != nil {
		return err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the call: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+path, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("write the call: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", s.Socket)
	}}}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("ask gavel serve: %w; start it, or remove %s if it is gone", unwrapped(err), s.Socket)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	read, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("read the answer of gavel serve: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return refused(answer.StatusCode, read)
	}
	if err := json.Unmarshal(read, into); err != nil {
		return fmt.Errorf("read the answer of gavel serve: %w", err)
	}
	return nil
}

// unwrapped removes the method and the URL, which mean nothing to a person.
func unwrapped(err error) error {
	if cause := errors.Unwrap(err); cause != nil {
		return cause
	}
	return err
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
