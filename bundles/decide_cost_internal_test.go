package bundles

import (
	"context"
	"testing"

	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// expressionCounter is a tracer that counts evaluated expressions.
type expressionCounter int

func (*expressionCounter) Enabled() bool               { return true }
func (*expressionCounter) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (n *expressionCounter) TraceEvent(event topdown.Event) {
	if event.Op == topdown.EvalOp {
		*n++
	}
}

// The cost of a call that is not cached depends on how many expressions it evaluates, and that
// grows with every rule that is not limited to the calls it is about. Raise a bound only for rules
// that concern every call of its kind. Each bound is a tenth above the count when it was set.
func TestADecisionEvaluatesLittleOfThePolicy(t *testing.T) {
	t.Parallel()
	s := loadUncached(t, Config{})
	called := func(tool string) gavel.Facts {
		return gavel.Facts{Agent: gavel.AgentFacts{ID: "coder"}, Tool: gavel.ToolFacts{Name: tool}, Touches: []gavel.Touch{}, Resources: []gavel.Resource{},
			Caller: gavel.CallerFacts{Kind: "gateway", Agents: []string{"*"}, InSession: true},
			Stated: gavel.StatedFacts{Model: true, Group: true, Depth: true, Sandboxed: true, Sender: true}}
	}
	command := func(program string) gavel.Facts {
		facts := called("exec")
		facts.Environment = gavel.EnvironmentFacts{Cwd: "/srv/app", Home: "/home/u", Workspace: "/srv/app", Claimed: true}
		facts.Exec = &gavel.ExecFacts{Shell: "bash", Workdir: "/srv/app", Directory: "/srv/app", Parsed: true,
			Constructs: []gavel.Construct{}, Redirects: []gavel.Redirect{}, Assigned: []gavel.Assignment{},
			Segments: []gavel.Segment{segmentFor(program)}}
		return facts
	}
	for name, c := range map[string]struct {
		facts  gavel.Facts
		effect string
		most   int
	}{
		"another tool":           {called("session_status"), "allow", 280},
		"a file tool":            {called("read"), "allow", 410},
		"a permitted command":    {command("wc"), "allow", 795},
		"a command to ask about": {command("rm"), "ask", 1390},
	} {
		facts := c.facts
		known, err := s.complete(context.Background(), &facts)
		require.NoError(t, err)
		input, err := s.input(&facts, known)
		require.NoError(t, err)
		var n expressionCounter
		term, err := s.evalTopdown(context.Background(), queryResult, input, rego.EvalQueryTracer(&n))
		require.NoError(t, err)
		assert.Equal(t, c.effect, getString(term, "effect"), name)
		assert.LessOrEqual(t, int(n), c.most, name)
	}
}

// segmentFor returns a segment with a program in /usr/bin and no arguments.
func segmentFor(program string) gavel.Segment {
	path := "/usr/bin/" + program
	return gavel.Segment{Argv: []string{program}, Cwd: "/srv/app", CommandsKnown: "none", OptionsKnown: "none",
		Executable: gavel.Executable{Found: true, Name: program, Path: path, Real: path, RealName: program, Programs: []string{program}, Writable: []string{}},
		Wrappers:   []gavel.Wrapper{}, Hazards: []gavel.Hazard{}, Dynamic: []int{}, Numbered: []int{}, Made: []gavel.MadeWord{},
		Options: []gavel.GivenOption{}, Operands: []gavel.GivenOperand{}, Scripts: []gavel.Script{}, Unbound: []gavel.Unbound{}}
}
