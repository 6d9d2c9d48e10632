package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gavel"
)

// Case is one kind of question. Every question is allowed.
type Case struct {
	Name    string
	Tool    string
	Command string // for exec; each request replaces TODO0000000 by another word
}

// The names of the cases.
const (
	PlainCall    = "plain tool call"
	ExecEachNew  = "exec each new"
	ExecRepeated = "exec repeated"
	Pipeline     = "pipeline each new"
)

// mark is the placeholder for each request's number. It has the length of the number, so that
// the offsets in the facts stay correct.
const mark = "TODO0000000"

// Cases lists the questions for the servers.
func Cases() []Case {
	return []Case{
		{Name: PlainCall, Tool: "read"},
		{Name: ExecEachNew, Tool: "exec", Command: "rg -n " + mark + " src/"},
		{Name: ExecRepeated, Tool: "exec", Command: "rg -n TODO src/"},
		{Name: Pipeline, Tool: "exec", Command: "cat x | grep -e " + mark + " | head -5 && git status"},
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

// programs are the programs in the commands, with the real paths that the gateway claims.
func programs() map[string]string {
	return map[string]string{"rg": "/usr/bin/rg", "cat": "/usr/bin/cat", "grep": "/usr/bin/grep",
		"head": "/usr/bin/head", "git": "/usr/bin/git"}
}

// Calls returns a function that creates request n for Gavel. Requests share the parts that are
// equal in all of them.
func (c Case) Calls() func(n uint64) gavel.Call {
	call := gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: c.Tool, Params: map[string]any{"path": "/srv/app/x"}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Executables: programs()}}
	before, after, eachNew := strings.Cut(c.Command, mark)
	if c.Command != "" {
		call.Tool.Params = map[string]any{"command": c.Command}
	}
	return func(n uint64) gavel.Call {
		made := call
		if eachNew {
			made.Tool.Params = map[string]any{"command": before + word(n) + after}
		}
		return made
	}
}

// word has the length of mark.
func word(n uint64) string { return fmt.Sprintf("TODO%07d", n%10_000_000) }

// Facts returns what Gavel's analyzer observes for request n, as JSON types.
func (c Case) Facts(ctx context.Context, analyzer gavel.Analyzer, n uint64) (map[string]any, error) {
	text, err := json.Marshal(analyzer.Analyze(ctx, c.Calls()(n), nil))
	if err != nil {
		return nil, fmt.Errorf("write facts: %w", err)
	}
	var facts map[string]any
	return facts, json.Unmarshal(text, &facts)
}

// shape is the format in which a server expects a question.
type shape uint8

const (
	asCall  shape = iota // POST /v1/decisions
	asFacts              // OPA's API, with the facts of the shipped policy as input
	asTuned              // OPA's API, with the input of testdata/tuned.rego
)

// question returns a function that appends the body of request n.
func (c Case) question(ctx context.Context, analyzer gavel.Analyzer, s shape) (func([]byte, uint64) []byte, error) {
	body, err := c.body(ctx, analyzer, s)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write a request: %w", err)
	}
	pieces := bytes.Split(text, []byte(mark))
	return func(buffer []byte, n uint64) []byte {
		buffer = append(buffer, pieces[0]...)
		for _, piece := range pieces[1:] {
			buffer = append(buffer, word(n)...)
			buffer = append(buffer, piece...)
		}
		return buffer
	}, nil
}

func (c Case) body(ctx context.Context, analyzer gavel.Analyzer, s shape) (any, error) {
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
