//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gavel"
)

// calls writes the commands of a campaign as calls, one a line, and the policy of its agents,
// below dir: what gavel decide reads. Two builds that decide them can be compared. The shells
// of the calls take turns.
func (c campaign) calls(ctx context.Context, dir string) error {
	w := newWorld("", c.seed)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make a directory for the calls: %w", err)
	}
	if _, err := w.policy(dir); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, "calls.jsonl"))
	if err != nil {
		return fmt.Errorf("write the calls: %w", err)
	}
	out := bufio.NewWriter(file)
	lines := json.NewEncoder(out)
	found, _ := shells(c.shells)
	spoken := probes{speak(ctx, found)}
	for position := range uint64(c.n) {
		g := newGenerator(c.seed, position, c.corpus, w.programs)
		g.probes = spoken
		q := g.question()
		q.dialect = dialects()[position%uint64(len(dialects()))]
		call := w.call(q)
		call.ID, call.Environment.Executables = strconv.FormatUint(position, 10), w.executables()
		if err = lines.Encode(call); err != nil {
			break
		}
	}
	if err := errors.Join(err, out.Flush(), file.Close()); err != nil {
		return fmt.Errorf("write the calls: %w", err)
	}
	return nil
}

// executables are the programs of the world as a gateway claims them, by name and by path.
func (w world) executables() map[string]string {
	claimed := map[string]string{"/work/tool": "/work/tool"}
	for _, name := range w.programs {
		claimed[name], claimed["/usr/bin/"+name] = "/usr/bin/"+name, "/usr/bin/"+name
	}
	return claimed
}

// call is a question as a gateway puts it.
func (w world) call(q question) gavel.Call {
	params := map[string]any{"command": q.command}
	if len(q.env) > 0 {
		env := map[string]any{}
		for name, value := range q.env {
			env[name] = value
		}
		params["env"] = env
	}
	if q.pty {
		params["pty"] = true
	}
	if q.workdir != "" {
		params["workdir"] = q.workdir
	}
	return gavel.Call{Agent: gavel.Agent{ID: q.agent}, Tool: gavel.Tool{Name: "exec", Params: params}, Environment: w.environment(q.dialect)}
}
