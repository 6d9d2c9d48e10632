package clientcases

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// startsWithin is how long gavel serve may take to listen; compiling the policy takes a
// second on a free core.
const startsWithin = time.Minute

// Servers are what the cases talk to. Environment passes them to a client of another language.
type Servers struct {
	URL, Socket string // of gavel serve
	Scripted    string // URL of the scripted server; a case is below it, by its index
	Tokens      string // directory with gateway.token, and wrong, empty
	process     *exec.Cmd
	stop        []func()
}

// Start builds gavel, and starts everything below dir. root is the repository.
func Start(ctx context.Context, root, dir string, cases []Case) (*Servers, error) {
	binary := filepath.Join(dir, "gavel")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/gavel")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build gavel: %w\n%s", err, out)
	}
	s := &Servers{}
	if err := s.serve(binary, filepath.Join(root, "clients", "policy.yaml"), filepath.Join(dir, "state")); err != nil {
		s.Stop()
		return nil, err
	}
	for name, text := range map[string]string{"wrong.token": "not-the-token", "empty.token": "\n"} {
		if err := os.WriteFile(filepath.Join(s.Tokens, name), []byte(text), 0o600); err != nil {
			s.Stop()
			return nil, fmt.Errorf("write a token: %w", err)
		}
	}
	if err := s.script(cases); err != nil {
		s.Stop()
		return nil, err
	}
	if err := s.person(ctx, cases); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Stop ends everything that Start started.
func (s *Servers) Stop() {
	for _, stop := range s.stop {
		stop()
	}
	s.stop = nil
}

// Environment is what a test in another language reads.
func (s *Servers) Environment() []string {
	return []string{"GAVEL_CASES_URL=" + s.URL, "GAVEL_CASES_SOCKET=" + s.Socket,
		"GAVEL_CASES_SCRIPTED=" + s.Scripted, "GAVEL_CASES_TOKENS=" + s.Tokens}
}

// serve starts gavel serve, and reads where it listens.
func (s *Servers) serve(binary, policy, state string) error {
	s.process = exec.Command(binary, "serve", "--output", "json", "--listen", "127.0.0.1:0", "--policy", policy, "--state", state) //nolint:noctx // Stop ends it
	out, err := s.process.StdoutPipe()
	if err != nil {
		return err
	}
	var errors strings.Builder
	s.process.Stderr = &errors
	if err := s.process.Start(); err != nil {
		return fmt.Errorf("start gavel serve: %w", err)
	}
	s.stop = append(s.stop, func() {
		_ = s.process.Process.Signal(syscall.SIGTERM) // it may be gone
		_ = s.process.Wait()
	})
	late := time.AfterFunc(startsWithin, func() { _ = s.process.Process.Kill() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	late.Stop()
	if err != nil {
		_ = s.process.Process.Kill()
		return fmt.Errorf("gavel serve does not say where it listens: %w; it said: %s", err, errors.String())
	}
	var said struct{ Listen, Socket, Tokens string }
	if err := json.Unmarshal(line, &said); err != nil {
		return fmt.Errorf("read %q: %w", line, err)
	}
	s.URL, s.Socket, s.Tokens = said.Listen, said.Socket, said.Tokens
	return nil
}

// person answers the questions that cases ask, until ctx ends or the servers stop.
func (s *Servers) person(ctx context.Context, cases []Case) error {
	token, err := os.ReadFile(filepath.Join(s.Tokens, "approve.token"))
	if err != nil {
		return fmt.Errorf("read the token of the person: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	s.stop = append([]func(){cancel, func() { <-ended }}, s.stop...)
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			s.answer(ctx, strings.TrimSpace(string(token)), cases)
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return nil
}

// answer looks at the open questions once. What fails is tried again: a case that gets no
// answer fails by itself.
func (s *Servers) answer(ctx context.Context, token string, cases []Case) {
	var open struct {
		Approvals []struct {
			ID      string
			Request struct{ Given string }
		}
	}
	if s.ask(ctx, token, http.MethodGet, "/v1/approvals", "", &open) != nil {
		return
	}
	for _, question := range open.Approvals {
		for _, tc := range cases {
			var call struct {
				Tool struct{ Params struct{ Command string } }
			}
			if tc.Person == "" || json.Unmarshal(tc.Call, &call) != nil || !strings.Contains(question.Request.Given, call.Tool.Params.Command) {
				continue
			}
			body, _ := json.Marshal(map[string]string{"decision": tc.Person, "comment": tc.Comment})
			_ = s.ask(ctx, token, http.MethodPost, "/v1/approvals/"+question.ID+"/resolve", string(body), nil)
		}
	}
}

func (s *Servers) ask(ctx context.Context, token, method, path, body string, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	if into == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
