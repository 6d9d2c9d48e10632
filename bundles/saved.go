package bundles

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"gavel/bundles/config"
	"gavel/internal/packed"
	"gavel/internal/regoir"
	"gavel/internal/rescue"
)

// savedForm changes whenever what save writes does.
const savedForm = "gavel program 6"

// Keep keeps the policy's program with the proofs of the load, so that the next process with the
// same Rego need not parse, compile and plan it. It takes as long as a load, and does nothing if
// it was done before. Without it the next load takes longer, so nothing is said if it fails.
func (s *Snapshot) Keep() {
	if s.proofs == nil || s.restored || s.inline || s.evaluator == Topdown || s.proofs.Program(s.identity) != nil {
		return
	}
	_ = rescue.Call(func() error {
		s.Compile()
		text, err := s.save()
		if err == nil {
			s.proofs.KeepProgram(s.identity, text)
		}
		return err
	})
}

// save writes a program all of whose queries are planned together.
func (s *Snapshot) save() ([]byte, error) {
	p := s.program
	w := &packed.Writer{}
	w.Text(savedForm)
	w.Text(p.identity)
	for _, flag := range []bool{p.ownRego, p.ownRoot, p.masks, p.misindexed} {
		w.Bool(flag)
	}
	packed.WriteSlice(w, slices.Sorted(maps.Keys(p.words)), func(code string) {
		of := p.words[code]
		for _, text := range []string{code, of.title, of.description, of.message, of.fix, of.file, of.says, of.advises} {
			w.Text(text)
		}
	})
	packed.WriteSlice(w, slices.Sorted(maps.Keys(p.known)), w.Text)
	packed.WriteSlice(w, s.layers, w.Text)
	err := errors.Join(writeTerm(w, p.customPackages), writeTerm(w, ast.NewTerm(p.base)))
	queries := slices.Sorted(maps.Keys(p.plans.programs))
	if len(queries) == 0 || len(p.plans.left) > 0 {
		return nil, errors.New("not everything is planned")
	}
	planned := p.plans.programs[queries[0]]
	for _, query := range queries {
		if p.plans.programs[query] != planned {
			return nil, errors.New("not everything is planned together")
		}
	}
	packed.WriteSlice(w, queries, w.Text)
	text, saveErr := planned.Save()
	w.Text(string(text))
	return w.Bytes(), errors.Join(err, saveErr)
}

// restore reads what save wrote. The program has no parts until somebody needs them.
func restore(text []byte, identity string) (*program, error) {
	r := packed.NewReader(text)
	if form, of := r.Text(), r.Text(); form != savedForm || of != identity {
		return nil, errors.New("it is another program")
	}
	p := &program{identity: identity, restored: true, words: map[string]words{}, known: map[string]bool{}}
	for _, flag := range []*bool{&p.ownRego, &p.ownRoot, &p.masks, &p.misindexed} {
		*flag = r.Bool()
	}
	packed.ReadSlice(r, func() bool {
		p.words[r.Text()] = words{r.Text(), r.Text(), r.Text(), r.Text(), r.Text(), r.Text(), r.Text()}
		return true
	})
	for _, name := range packed.ReadSlice(r, r.Text) {
		p.known[name] = true
	}
	names := packed.ReadSlice(r, r.Text)
	p.layerNames.Store(&names)
	p.customPackages = readTerm(r)
	base := readTerm(r)
	queries := packed.ReadSlice(r, r.Text)
	plan := r.Bytes()
	if err := r.Done(); err != nil {
		return nil, err
	}
	object, ok := base.Value.(ast.Object)
	if !ok || len(queries) == 0 {
		return nil, errors.New("it has no data, or no queries")
	}
	options, err := p.planOptions()
	if err != nil {
		return nil, err
	}
	planned, err := regoir.Restore(plan, options)
	if err != nil {
		return nil, err
	}
	p.defined = queries
	p.base, p.plans.programs = object, map[string]*regoir.Program{}
	for _, query := range queries {
		p.plans.programs[query] = planned
	}
	p.plans.once.Do(func() {})
	p.plans.ready.Store(true)
	return p, nil
}

// restore makes a policy of a program that an earlier process kept, and returns false if there
// is none. The policy is proven, so its configuration was found good.
func (p *policy) restore(cfg Config, identity string, own files) bool {
	if cfg.Evaluator != "" && cfg.Evaluator != Compiled {
		return false
	}
	text := cfg.Proofs.Program(identity)
	if text == nil {
		return false
	}
	var kept *program
	err := rescue.Call(func() (err error) {
		kept, err = restore(text, identity)
		return err
	})
	names := configFiles(own)
	if err != nil || len(names) != 1 {
		return false
	}
	document, wrong := config.Reread(cfg.ConfigSchema, names[0], own[names[0]])
	if document == nil || len(wrong) > 0 {
		return false // the load from the start says what is wrong
	}
	kept.parts.create = func() (*parts, error) { return again(cfg, identity, own) }
	p.program, p.document, p.text = kept, document, own[names[0]]
	return true
}

// planOptions are how the plan of a restored program is evaluated. Only a policy's own Rego
// calls functions that OPA does not have.
func (p *program) planOptions() (regoir.Options, error) {
	if !p.ownRego {
		return planOptions(nil), nil
	}
	kept, err := planFor(rego.Query("true"))
	if err != nil {
		return regoir.Options{}, err
	}
	return kept.options, nil
}

// again parses and compiles a program once more, from what it was made from.
func again(cfg Config, identity string, own files) (*parts, error) {
	p := &policy{proven: true}
	builtin, err := builtinFiles(cfg)
	if err == nil {
		err = p.parse(cfg, identity, builtin, own, 1)
	}
	if err == nil {
		err = p.compile(cfg)
	}
	if err != nil {
		return nil, fmt.Errorf("compile the policy again: %w", err)
	}
	return p.made, nil
}

// rules returns the compiled rules.
func (p *program) rules() (*ast.Compiler, error) {
	made, err := p.parts.get()
	if err != nil {
		return nil, err
	}
	return made.compiler, nil
}

// The kinds of terms.
const (
	termNull = iota
	termFalse
	termTrue
	termNumber
	termText
	termArray
	termObject
)

// writeTerm writes a term that JSON could say.
func writeTerm(w *packed.Writer, t *ast.Term) error {
	var err error
	switch v := t.Value.(type) {
	case ast.Null:
		w.Int(termNull)
	case ast.Boolean:
		w.Int(map[bool]int64{false: termFalse, true: termTrue}[bool(v)])
	case ast.Number:
		w.Int(termNumber)
		w.Text(string(v))
	case ast.String:
		w.Int(termText)
		w.Text(string(v))
	case *ast.Array:
		w.Int(termArray)
		w.Int(int64(v.Len()))
		v.Foreach(func(element *ast.Term) { err = errors.Join(err, writeTerm(w, element)) })
	case ast.Object:
		w.Int(termObject)
		w.Int(int64(v.Len()))
		v.Foreach(func(key, value *ast.Term) { err = errors.Join(err, writeTerm(w, key), writeTerm(w, value)) })
	default:
		return fmt.Errorf("a %T is not known", v)
	}
	return err
}

// readTerm reads what writeTerm wrote.
func readTerm(r *packed.Reader) *ast.Term {
	switch r.Int() {
	case termNull:
		return ast.InternedNullTerm
	case termFalse:
		return ast.InternedTerm(false)
	case termTrue:
		return ast.InternedTerm(true)
	case termNumber:
		return ast.NewTerm(ast.Number(r.Text()))
	case termText:
		return ast.InternedTerm(r.Text())
	case termArray:
		return ast.ArrayTerm(packed.ReadSlice(r, func() *ast.Term { return readTerm(r) })...)
	case termObject:
		return ast.ObjectTerm(packed.ReadSlice(r, func() [2]*ast.Term { return [2]*ast.Term{readTerm(r), readTerm(r)} })...)
	}
	r.Fail(errors.New("an unknown kind of term"))
	return ast.InternedNullTerm
}
