package regoir

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Options say how a plan is evaluated. The zero value is topdown's default.
type Options struct {
	// Strict makes an error of a built-in function end the evaluation. Otherwise the
	// expression is undefined.
	Strict bool
	// Builtins are functions that OPA does not have, by name, as rego.Function declares
	// them (PrepareConfig.BuiltinFuncs hands them to a target plugin).
	Builtins map[string]*topdown.Builtin
	// Context is called once for each evaluation that uses a built-in function, and may
	// set what such functions use: caches, the runtime, the source of randomness. May be
	// nil.
	InitContext func(*topdown.BuiltinContext)
}

// UnsupportedError is a plan that this package cannot evaluate.
type UnsupportedError struct {
	What string // what it does not know
	Rule string // where
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the plan of %s has %s, which is not supported", e.Rule, e.What)
}

// Program is a compiled plan. It never changes, and is safe for concurrent use.
type Program struct {
	options             Options
	strings             []*ast.Term
	files               []string
	byName              map[string]*function
	functions           []*function  // by number
	lastSlot            atomic.Int32 // how many functions have one
	paths               pathTable
	ruleTree            *ruleNode
	query               *function // of the query
	trueTerm, falseTerm *ast.Term
	shapes              ShapeTable   // of the objects that rules make
	emptyBuilders       [3]*ast.Term // by kind: what a collection is while it has no member; never changed
}

// function is a planned rule or function. A rule has no parameters but input and data.
type function struct {
	code     code
	isRule   bool
	dataOnly bool // its value depends on nothing but the data
	id       int
	program  *Program
	name     string // as people write it
	source   *ir.Func
	encoded  []byte    // the blocks of source, which Restore left unread, and what was found of them
	analysis *analysis // nil until it is needed
}

// queryName is how people know the function of the query.
const queryName = "the query"

// node is a part of the tree of rules that data references with variables select from.
type ruleNode struct {
	children map[string]*ruleNode
	function *function
}

// Compile translates a plan. The error is an [UnsupportedError]. Only the first plan of a policy
// with several is used.
func Compile(policy *ir.Policy, options Options) (*Program, error) {
	p := newProgram(options)
	if policy == nil || policy.Plans == nil || len(policy.Plans.Plans) == 0 {
		return nil, &UnsupportedError{What: "no query", Rule: "the policy"}
	}
	if policy.Static != nil {
		for _, s := range policy.Static.Strings {
			p.strings = append(p.strings, ast.InternedTerm(s.Value))
		}
		for _, s := range policy.Static.Files {
			p.files = append(p.files, s.Value)
		}
	}
	if policy.Funcs != nil {
		for _, f := range policy.Funcs.Funcs {
			p.addFunction(f)
		}
	}
	plan := policy.Plans.Plans[0]
	p.query = &function{program: p, id: len(p.functions), name: queryName,
		source: &ir.Func{Name: plan.Name, Params: []ir.Local{ir.Input, ir.Data}, Return: -1, Blocks: plan.Blocks}}
	for _, f := range append(p.functions[:len(p.functions):len(p.functions)], p.query) {
		if err := p.validate(f); err != nil {
			return nil, err
		}
	}
	p.findDataOnly()
	return p, nil
}

func newProgram(options Options) *Program {
	return &Program{options: options, byName: map[string]*function{}, ruleTree: &ruleNode{},
		trueTerm: ast.InternedTerm(true), falseTerm: ast.InternedTerm(false),
		emptyBuilders: [3]*ast.Term{kindArray: newBuilder(kindArray), kindObject: newBuilder(kindObject), kindSet: newBuilder(kindSet)}}
}

func (p *Program) addFunction(source *ir.Func) *function {
	_, name, _ := strings.Cut(source.Name, ".")
	f := &function{program: p, id: len(p.functions), name: name, source: source, isRule: len(source.Params) == 2}
	p.functions = append(p.functions, f)
	p.byName[source.Name] = f
	if len(source.Path) == 0 {
		return f
	}
	at := p.ruleTree
	for _, part := range source.Path {
		if at.children == nil {
			at.children = map[string]*ruleNode{}
		}
		if at.children[part] == nil {
			at.children[part] = &ruleNode{}
		}
		at = at.children[part]
	}
	at.function = f
	return f
}

// rule is the planned rule of a name such as data.a.b, or nil. Its generation is the first:
// others are for what a "with" replaces.
func (p *Program) rule(name string) *function {
	if f := p.byName["g0."+name]; f != nil && f.isRule {
		return f
	}
	return nil
}

// HasRule reports whether the plan contains a rule, named as data.a.b. The plan contains what
// its query needs.
func (p *Program) HasRule(name string) bool { return p.rule(name) != nil }

// room is how many slots there may be: of the functions, of the query, and none.
func (p *Program) numSlots() int { return len(p.functions) + 2 }

// location of a statement, for messages.
func (p *Program) location(s ir.Stmt) *ast.Location {
	at := s.GetLocation()
	if at == nil {
		return nil
	}
	location := &ast.Location{Row: at.Row, Col: at.Col, Text: at.Text}
	if at.File >= 0 && at.File < len(p.files) {
		location.File = p.files[at.File]
	}
	return location
}
