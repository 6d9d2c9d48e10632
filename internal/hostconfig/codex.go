package hostconfig

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// CodexHook is a hook of Gavel as Codex sees it. Codex runs only hooks whose hash is trusted,
// and says nothing about the others.
type CodexHook struct {
	Key     string `json:"key"`
	Hash    string `json:"currentHash"`
	Command string `json:"command"`
	Source  string `json:"sourcePath"`
	Trust   string `json:"trustStatus"`
	Enabled bool   `json:"enabled"`
}

// Trusted reports whether Codex runs the hook.
func (h CodexHook) Trusted() bool { return h.Enabled && (h.Trust == "trusted" || h.Trust == "managed") }

// codexAnswers is how long Codex may take to list its hooks.
const codexAnswers = 30 * time.Second

// CodexHooks asks Codex itself for the hooks of Gavel in a directory.
func CodexHooks(ctx context.Context, program, directory string) ([]CodexHook, error) {
	ctx, cancel := context.WithTimeout(ctx, codexAnswers)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "app-server") //nolint:gosec // the host's own program
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("ask Codex for its hooks: %w", err)
	}
	hooks, err := listHooks(in, out, directory)
	_ = in.Close() // it ends then
	cancel()
	_ = cmd.Wait() // it was killed
	if err != nil {
		return nil, fmt.Errorf("ask Codex for its hooks: %w", err)
	}
	return hooks, nil
}

func listHooks(in io.Writer, out io.Reader, directory string) ([]CodexHook, error) {
	requests := []any{
		map[string]any{"id": 1, "method": "initialize", "params": map[string]any{"clientInfo": map[string]string{"name": "gavel", "title": "Gavel", "version": "1"}}},
		map[string]any{"method": "initialized"},
		map[string]any{"id": 2, "method": "hooks/list", "params": map[string]any{"cwds": []string{directory}}},
	}
	for _, request := range requests {
		if err := json.NewEncoder(in).Encode(request); err != nil {
			return nil, err
		}
	}
	reader := bufio.NewReader(out)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("it did not answer: %w", err)
		}
		var message struct {
			ID     int
			Error  *struct{ Message string }
			Result struct{ Data []struct{ Hooks []CodexHook } }
		}
		if json.Unmarshal(line, &message) != nil || message.ID != 2 {
			continue
		}
		if message.Error != nil {
			return nil, errors.New(message.Error.Message)
		}
		var mine []CodexHook
		for _, data := range message.Result.Data {
			for _, hook := range data.Hooks {
				if isGavel(map[string]any{"command": hook.Command}) {
					mine = append(mine, hook)
				}
			}
		}
		return mine, nil
	}
}

// trust says which of Codex's hooks of Gavel are not trusted.
func (d Doctor) trust(ctx context.Context, r *Report) {
	if r.Program == "" {
		r.problem("cannot tell whether Codex trusts the hook: codex is not on PATH", "run gavel doctor where codex is on PATH")
		return
	}
	directory := d.Project
	if directory == "" {
		directory, _ = os.Getwd() // without one, Codex says so
	}
	hooks, err := CodexHooks(ctx, r.Program, directory)
	switch {
	case err != nil:
		r.problem(err.Error(), "run codex app-server by hand to see why")
	case len(hooks) == 0:
		r.problem("Codex lists no hook of Gavel, although its settings have one", "remove hooks = false below [features] in Codex's config.toml, or look at /hooks of Codex")
	}
	for _, hook := range hooks {
		if !hook.Trusted() {
			r.problem(fmt.Sprintf("Codex does not trust the hook %s, and skips it silently", hook.Key),
				"run gavel install codex, or trust it in /hooks of Codex")
		}
	}
}
