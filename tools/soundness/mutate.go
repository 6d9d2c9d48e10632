//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// mutate changes a command a few times at random positions.
func (g *generator) mutate(text string, times int) string {
	for range times {
		at := g.IntN(len(text) + 1)
		switch g.IntN(9) {
		case 0: // insert
			text = text[:at] + g.token() + text[at:]
		case 1: // delete
			end := min(len(text), at+1+g.IntN(4))
			text = text[:at] + text[end:]
		case 2: // replace
			end := min(len(text), at+1)
			text = text[:at] + g.token() + text[end:]
		case 3: // splice with another
			other := g.pick(g.corpus)
			text = text[:at] + other[g.IntN(len(other)+1):]
		case 4: // flip a quote
			text = flip(text, at)
		case 5: // insert a word of another
			if words := strings.Fields(g.pick(g.corpus)); len(words) > 0 {
				text = text[:at] + " " + g.pick(words) + " " + text[at:]
			}
		case 6: // insert a command before or after it
			other := g.script(odd)
			text = g.oneOf(text+g.operator(odd)+other, other+g.operator(odd)+text)
		case 7: // replace the first word by a stub
			if _, rest, found := strings.Cut(text, " "); found {
				text = g.program(odd) + " " + rest
			}
		case 8: // insert characters that parsers treat differently
			text = text[:at] + g.oneOf("\r", "\x00", "\\\n", "\\\r\n", "\\", "\n", "\t", "\v", "#", "\\\n#", "#\\\n") + text[at:]
		}
	}
	return text
}

func (g *generator) token() string {
	return g.oneOf(";", "&", "|", "&&", "||", "'", `"`, "`", "$", "$(", ")", "(", "{", "}", "<", ">", "\\", "\n", "#", " ", "!", "~", "*", "=", "\\\n", "$'", "<<", "<(", "''", `""`, "\\'", `\"`, "[", "]")
}

// flip changes the kind of the next quote after a position.
func flip(text string, at int) string {
	i := strings.IndexAny(text[at:], `'"`)
	if i < 0 {
		return text
	}
	other := `'`
	if text[at+i] == '\'' {
		other = `"`
	}
	return text[:at+i] + other + text[at+i+1:]
}

// readCommands reads the commands from a file of queries.
func readCommands(name string) ([]string, error) {
	queries, err := readQueries(name)
	list := make([]string, len(queries))
	for i, q := range queries {
		list[i] = q.command
	}
	return list, err
}

// readQueries reads a file with one {"command": …, "env": …} per line. A missing file is treated as
// empty.
func readQueries(name string) ([]query, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read commands: %w", err)
	}
	var list []query
	for line := range bytes.Lines(data) {
		var entry struct {
			Command string            `json:"command"`
			Env     map[string]string `json:"env"`
			Workdir string            `json:"workdir"`
			Pty     bool              `json:"pty"`
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			return nil, fmt.Errorf("read commands: %s: %w", name, err)
		}
		list = append(list, query{command: entry.Command, env: entry.Env, workdir: entry.Workdir, pty: entry.Pty})
	}
	return list, nil
}

// stubs returns the programs of a root: programs that the corpora call, and programs that shells also
// have as builtins.
func stubs() []string {
	return append(multicalls(), strings.Fields(`git ls cat go curl npm sed grep head python3 sort find jq rm tar tail perl rg wc node make id
		awk cut tr uniq tee diff date stat file mkdir cp mv ln touch chmod less base64 ssh hit true false echo printf test [
		pwd kill type command cd eval exec env sh bash nice timeout xargs time export set
		watch flock strace sudo doas npx nohup setsid unshare man systemctl journalctl`)...)
}
