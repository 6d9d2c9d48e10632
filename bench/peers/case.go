package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gavel"
)

// Case is a kind of call. Gavel and its peers allow every call of every case.
type Case struct {
	Name    string
	Tool    string
	Command string // for exec; each request has another word in place of the placeholder
}

// The names of the cases.
const (
	PlainCall    = "plain tool call"
	ExecEachNew  = "exec each new"
	ExecRepeated = "exec repeated"
	Pipeline     = "pipeline each new"
)

// placeholder stands for a word that differs in each request. It has the length of that word, so that
// the positions in the facts stay correct.
const placeholder = "TODO0000000"

// Cases lists the cases.
func Cases() []Case {
	return []Case{
		{Name: PlainCall, Tool: "read"},
		{Name: ExecEachNew, Tool: "exec", Command: "rg -n " + placeholder + " src/"},
		{Name: ExecRepeated, Tool: "exec", Command: "rg -n TODO src/"},
		{Name: Pipeline, Tool: "exec", Command: "cat x | grep -e " + placeholder + " | head -5 && git status"},
	}
}

// CaseNamed returns the case with a name, which must exist.
func CaseNamed(name string) Case {
	for _, c := range Cases() {
		if c.Name == name {
			return c
		}
	}
	panic("no case is called " + name)
}

// programs returns the programs in the commands, with their paths as the gateway states them.
func programs() map[string]string {
	return map[string]string{"rg": "/usr/bin/rg", "cat": "/usr/bin/cat", "grep": "/usr/bin/grep",
		"head": "/usr/bin/head", "git": "/usr/bin/git"}
}

// Calls returns a function that creates call n. The calls share the parts that are equal.
func (c Case) Calls() func(n uint64) gavel.Call {
	call := gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: c.Tool, Params: map[string]any{"path": "/srv/app/x"}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Executables: programs()}}
	before, after, eachNew := strings.Cut(c.Command, placeholder)
	if c.Command != "" {
		call.Tool.Params = map[string]any{"command": c.Command}
	}
	return func(n uint64) gavel.Call {
		numbered := call
		if eachNew {
			numbered.Tool.Params = map[string]any{"command": before + numberedWord(n) + after}
		}
		return numbered
	}
}

// numberedWord returns the word of request n. It has the length of placeholder.
func numberedWord(n uint64) string { return fmt.Sprintf("TODO%07d", n%10_000_000) }

// Facts returns the facts of call n, decoded from JSON.
func (c Case) Facts(ctx context.Context, analyzer gavel.Analyzer, n uint64) (map[string]any, error) {
	text, err := json.Marshal(analyzer.Analyze(ctx, c.Calls()(n), nil))
	if err != nil {
		return nil, fmt.Errorf("encode facts: %w", err)
	}
	var facts map[string]any
	return facts, json.Unmarshal(text, &facts)
}

// requestFormat is the format of a server's requests.
type requestFormat uint8

const (
	asCall  requestFormat = iota // POST /v1/decisions
	asFacts                      // OPA's API, with the facts of the shipped policy as input
	asTuned                      // OPA's API, with the input of testdata/tuned.rego
)

// requestBody returns a function that appends the body of request n.
func (c Case) requestBody(ctx context.Context, analyzer gavel.Analyzer, s requestFormat) (func([]byte, uint64) []byte, error) {
	body, err := c.requestValue(ctx, analyzer, s)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode a request: %w", err)
	}
	pieces := bytes.Split(text, []byte(placeholder))
	return func(buffer []byte, n uint64) []byte {
		buffer = append(buffer, pieces[0]...)
		for _, piece := range pieces[1:] {
			buffer = append(buffer, numberedWord(n)...)
			buffer = append(buffer, piece...)
		}
		return buffer
	}, nil
}

func (c Case) requestValue(ctx context.Context, analyzer gavel.Analyzer, s requestFormat) (any, error) {
	switch s {
	case asFacts:
		facts, err := c.Facts(ctx, analyzer, 0)
		return map[string]any{"input": facts}, err
	case asTuned:
		type segment struct {
			Program string   `json:"program"`
			Argv    []string `json:"argv"`
		}
		segments := []segment{}
		facts := analyzer.Analyze(ctx, c.Calls()(0), nil)
		if facts.Exec != nil {
			for _, s := range facts.Exec.Segments {
				segments = append(segments, segment{s.Executable.Real, s.Argv})
			}
		}
		return map[string]any{"input": map[string]any{"tool": facts.Tool.Name, "segments": segments}}, nil
	default:
		return c.Calls()(0), nil
	}
}
