package regoir

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Options configure the evaluation of a plan. The zero value behaves like topdown's defaults.
type Options struct {
	// Strict makes an error in a built-in function end the evaluation. Otherwise the
	// expression that called the function is undefined.
	Strict bool
	// Builtins are custom built-in functions by name, as declared with rego.Function. A target
	// plugin receives them through PrepareConfig.BuiltinFuncs.
	Builtins map[string]*topdown.Builtin
	// InitContext is called before the first built-in function call of an evaluation. It may
	// set what built-in functions use, such as caches, the runtime and the random source. It
	// may be nil.
	InitContext func(*topdown.BuiltinContext)
}

// UnsupportedError reports a plan that this package cannot evaluate.
type UnsupportedError struct {
	What string // the unsupported part of the plan
	Rule string // the rule or function that contains it
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the plan of %s has %s, which is not supported", e.Rule, e.What)
}

// Program is a compiled plan. It is immutable and safe for concurrent use.
type Program struct {
	options   Options
	strings   []*ast.Term // the plan's string constants
	files     []string
	byName    map[string]*function
	functions []*function  // by id
	lastSlot  atomic.Int32 // the last slot that was assigned to a translated function
	paths     pathTable
	ruleTree  *ruleNode
	query     *function

	trueTerm, falseTerm *ast.Term

	shapes        ShapeTable   // of the objects that rules construct
	emptyBuilders [3]*ast.Term // by kind: stand for a builder until its first element; never modified
}

// function is one function of the plan. The planner turns a rule into a function whose only
// parameters are input and data.
type function struct {
	code     code
	isRule   bool
	dataOnly bool // its value depends only on data
	id       int  // index in Program.functions
	program  *Program
	name     string // for messages, without the planner's generation prefix
	source   *ir.Func
	encoded  []byte    // the blocks of source with their analysis, until decodeBody reads them
	analysis *analysis // nil until it is needed, and after translation
}

// queryName stands for the plan's query in messages.
const queryName = "the query"

// ruleNode is a node of the tree of rules from which dynamic calls select.
type ruleNode struct {
	children map[string]*ruleNode
	function *function
}

// Compile translates a policy's first plan. Its error is an [UnsupportedError].
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
	p.markDataOnly()
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
	node := p.ruleTree
	for _, key := range source.Path {
		if node.children == nil {
			node.children = map[string]*ruleNode{}
		}
		if node.children[key] == nil {
			node.children[key] = &ruleNode{}
		}
		node = node.children[key]
	}
	node.function = f
	return f
}

// rule returns the rule with a name such as data.a.b, or nil. The planner prefixes names with a
// generation; later ones than g0 belong to rules that "with" replaces.
func (p *Program) rule(name string) *function {
	if f := p.byName["g0."+name]; f != nil && f.isRule {
		return f
	}
	return nil
}

// HasRule reports whether the plan contains a rule with a name such as data.a.b. A plan contains
// only the rules that its query needs.
func (p *Program) HasRule(name string) bool { return p.rule(name) != nil }

// numSlots counts one slot for each function, one for the query, and slot 0, which stays empty: it
// is the slot of every function that is not translated yet.
func (p *Program) numSlots() int { return len(p.functions) + 2 }

// location returns where a statement comes from, for error messages.
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
