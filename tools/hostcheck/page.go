package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// storedResult is a result in the file of results. The file is kept between runs, so that the page
// can be measured one host at a time.
type storedResult struct{ Host, Version, Cell, Got, Want string }

func (t *runner) resultsFile() string {
	return filepath.Join(t.root, "build", "hosts", "results.jsonl")
}

// store appends a result to the file of results.
func (t *runner) store(r result) error {
	file, err := os.OpenFile(t.resultsFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // the write is checked
	return json.NewEncoder(file).Encode(storedResult{r.host.name, r.host.version, r.cell.name, r.got, r.want})
}

// writePage writes the page with the last result of each cell.
func (t *runner) writePage(name string) error {
	text, err := os.ReadFile(t.resultsFile())
	if err != nil {
		return err
	}
	last := map[string]storedResult{}
	for line := range strings.Lines(string(text)) {
		var r storedResult
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return fmt.Errorf("read %s: %w", t.resultsFile(), err)
		}
		last[r.Host+" "+r.Version+" "+r.Cell] = r
	}
	return os.WriteFile(name, []byte(formatPage(last)), 0o644) //nolint:gosec // documentation
}

// formatPage returns the page. The keys of results consist of host, version and cell.
func formatPage(results map[string]storedResult) string {
	find := func(h host, c cell) (storedResult, bool) {
		r, found := results[h.name+" "+h.version+" "+c.name]
		return r, found
	}
	hosts := slices.DeleteFunc(hosts(), func(h host) bool {
		return !slices.ContainsFunc(cells(), func(c cell) bool { _, found := find(h, c); return found })
	})
	var b strings.Builder
	b.WriteString("# Hooks in real hosts\n\n`make hosts` writes this page. It installs each host from npm, installs the hooks with `gavel install`, and lets a scripted model make\n" +
		"calls in an empty home directory.\n\n" +
		"- *ran*: the file that the call creates was there afterwards.\n" +
		"- *not run*: the model made the call, and the file was not there. If the model got a result, it was the refusal of the hook.\n" +
		"- *ran, not as judged*: the host ran the original command instead of the one that Gavel judged.\n" +
		"- **bold**: the result is not the expected one.\n" +
		"- –: the host has no such tool, or its plugin does not take the option.\n\n" +
		"Without Gavel, the main agent could not spawn a sub-agent, so Gavel works until the sub-agent makes its call. OpenClaw's sub-agents ran on a gateway on\n" +
		"loopback, and everything else in OpenClaw with `agent --local`. Qwen Code cannot replace commands. Without a terminal, Gemini CLI waits forever for an answer,\n" +
		"so it was killed after 75 seconds. When Gavel cannot answer, even allowed calls are refused, so there are no rows for denied calls then.\n\n| call |")
	for _, h := range hosts {
		fmt.Fprintf(&b, " %s %s |", h.name, h.version)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(hosts)) + "\n")
	for _, c := range cells() {
		fmt.Fprintf(&b, "| %s |", c.description)
		for _, h := range hosts {
			switch r, found := find(h, c); {
			case !h.supports(c):
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
