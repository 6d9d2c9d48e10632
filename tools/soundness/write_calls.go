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

// writeCalls writes the commands of a campaign below dir as calls for gavel decide, one per line, and
// the policy of the agents. With these files, the decisions of two builds can be compared. The calls
// use the dialects in turn.
func (c campaign) writeCalls(ctx context.Context, dir string) error {
	w := newWorld("", c.seed)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create a directory for the calls: %w", err)
	}
	if _, err := w.writePolicy(dir); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, "calls.jsonl"))
	if err != nil {
		return fmt.Errorf("write the calls: %w", err)
	}
	out := bufio.NewWriter(file)
	lines := json.NewEncoder(out)
	found, _ := shells(c.shells)
	vocabulary := probes{readVocabulary(ctx, found)}
	for position := range uint64(c.n) {
		g := newGenerator(c.seed, position, c.corpus, w.programs)
		g.probes = vocabulary
		q := g.query()
		q.dialect = dialects()[position%uint64(len(dialects()))]
		call := w.gavelCall(q)
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

// executables returns the programs of the world as a gateway states them, by name and by path.
func (w world) executables() map[string]string {
	stated := map[string]string{"/work/tool": "/work/tool"}
	for _, name := range w.programs {
		stated[name], stated["/usr/bin/"+name] = "/usr/bin/"+name, "/usr/bin/"+name
	}
	return stated
}

// gavelCall returns a query as a call of a gateway.
func (w world) gavelCall(q query) gavel.Call {
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
