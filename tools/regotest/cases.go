package main

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// cases records the names of the cases that a test evaluates, in order. A name has one part in
// test_x[name], and two in test_x[a][b]. It is a tracer that does not request the values of
// variables, because collecting them would take most of the time.
type cases [][]string

// Enabled implements topdown.QueryTracer.
func (*cases) Enabled() bool { return true }

// Config implements topdown.QueryTracer.
func (*cases) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

// TraceEvent implements topdown.QueryTracer. The event of a case contains its name.
func (c *cases) TraceEvent(event topdown.Event) {
	if event.Op != topdown.TestCaseOp {
		return
	}
	call, ok := event.Node.(*ast.Expr)
	if !ok {
		return
	}
	parts, ok := call.Operand(0).Value.(*ast.Array)
	if !ok {
		return
	}
	var name []string
	parts.Foreach(func(part *ast.Term) {
		text, err := ast.JSON(part.Value)
		if err != nil {
			text = part.String()
		}
		name = append(name, fmt.Sprint(text))
	})
	*c = append(*c, name)
}

// failed lists the cases that are not true in the value of a test, or returns "".
func (c *cases) failed(value any) string {
	var failed []string
	for _, name := range *c {
		if lookup(value, name) != true {
			failed = append(failed, "the case "+strings.Join(name, "/")+" is not true")
		}
	}
	return strings.Join(failed, "\n")
}

// lookup returns the value at a path of keys in nested objects, or nil.
func lookup(value any, keys []string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}
