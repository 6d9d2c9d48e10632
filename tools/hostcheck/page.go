package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recorded is a stored result. Results are stored between runs because a complete run takes
// long; testing one host at a time is enough.
type recorded struct{ Host, Version, Cell, Got, Want string }

func (t *tools) results() string { return filepath.Join(t.root, "build", "hosts", "results.jsonl") }

// record stores a result.
func (t *tools) record(r result) error {
	file, err := os.OpenFile(t.results(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // the write tells
	return json.NewEncoder(file).Encode(recorded{r.host.name, r.host.version, r.cell.name, r.got, r.want})
}

// writePage writes the last result of each cell.
func (t *tools) writePage(name string) error {
	text, err := os.ReadFile(t.results())
	if err != nil {
		return err
	}
	last := map[string]recorded{}
	for line := range strings.Lines(string(text)) {
		var r recorded
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return fmt.Errorf("read %s: %w", t.results(), err)
		}
		last[r.Host+" "+r.Version+" "+r.Cell] = r
	}
	return os.WriteFile(name, []byte(pageOf(last)), 0o644) //nolint:gosec // documentation
}

// pageOf returns the page with results by host, version and cell.
func pageOf(results map[string]recorded) string {
	of := func(h host, c cell) (recorded, bool) {
		r, found := results[h.name+" "+h.version+" "+c.name]
		return r, found
	}
	hosts := slices.DeleteFunc(hosts(), func(h host) bool {
		return !slices.ContainsFunc(cells(), func(c cell) bool { _, found := of(h, c); return found })
	})
	var b strings.Builder
	b.WriteString("# Hooks in real hosts\n\nWritten by `make hosts`, which installs each host from npm, installs the hooks with `gavel install`, and lets a scripted model make\n" +
		"calls in an empty home directory. *Ran* and *not run* say whether the file that the call would leave was there afterwards; *not run* also says that the\n" +
		"model made the call, and was told that the hook refused it, if it was told anything. A cell in **bold** is not as it should be. – means that the host\n" +
		"has no such tool, or no hook that could be told. Without Gavel there would be no sub-agent, so Gavel works until the sub-agent makes its call. OpenClaw's sub-agents ran on a gateway on\n" +
		"loopback, and everything else of OpenClaw with `agent --local`. Qwen Code cannot replace commands. Without a terminal, Gemini CLI waits forever when it is\n" +
		"to ask: it was ended after 75 seconds. What is denied or asked about has no cells for a Gavel that cannot answer: what is allowed is refused then.\n\n| call |")
	for _, h := range hosts {
		fmt.Fprintf(&b, " %s %s |", h.name, h.version)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(hosts)) + "\n")
	for _, c := range cells() {
		fmt.Fprintf(&b, "| %s |", c.about)
		for _, h := range hosts {
			switch r, found := of(h, c); {
			case !h.has(c):
				b.WriteString(" – |")
			case !found:
				b.WriteString(" not measured |")
			case r.Got != r.Want:
				fmt.Fprintf(&b, " **%s** |", r.Got)
			default:
				fmt.Fprintf(&b, " %s |", r.Got)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
