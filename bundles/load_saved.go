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

// savedFormat is the version of what encodeCompiled writes. Change it whenever that changes.
const savedFormat = "gavel program 6"

// SaveCompiled saves the compiled Rego in the LoadCache of the load, so that the next process with
// the same Rego need not parse and compile it. It takes as long as a load, and does nothing if it
// was done before. If it fails, the next load takes longer, so it returns no error.
func (s *Snapshot) SaveCompiled() {
	if s.loadCache == nil || s.restored || s.inline || s.evaluator == Topdown || s.loadCache.Compiled(s.identity) != nil {
		return
	}
	_ = rescue.Call(func() error {
		s.Compile()
		text, err := s.encodeCompiled()
		if err == nil {
			s.loadCache.SaveCompiled(s.identity, text)
		}
		return err
	})
}

// encodeCompiled encodes compiled Rego. All queries must be compiled into one program.
func (s *Snapshot) encodeCompiled() ([]byte, error) {
	c := s.compiledRego
	w := &packed.Writer{}
	w.Text(savedFormat)
	w.Text(c.identity)
	for _, flag := range []bool{c.ownRego, c.replacesRoot, c.masks, c.skipIndex} {
		w.Bool(flag)
	}
	packed.WriteSlice(w, slices.Sorted(maps.Keys(c.texts)), func(code string) {
		t := c.texts[code]
		for _, text := range []string{code, t.title, t.description, t.message, t.fix, t.file, t.says, t.advises} {
			w.Text(text)
		}
	})
	packed.WriteSlice(w, slices.Sorted(maps.Keys(c.coveredTools)), w.Text)
	packed.WriteSlice(w, s.layers, w.Text)
	err := errors.Join(writeTerm(w, c.customPackages), writeTerm(w, ast.NewTerm(c.base)))
	queries := slices.Sorted(maps.Keys(c.plans.programs))
	if len(queries) == 0 || len(c.plans.uncompiled) > 0 {
		return nil, errors.New("not all queries are compiled")
	}
	program := c.plans.programs[queries[0]]
	for _, query := range queries {
		if c.plans.programs[query] != program {
			return nil, errors.New("the queries are not compiled into one program")
		}
	}
	packed.WriteSlice(w, queries, w.Text)
	text, saveErr := program.Save()
	w.Text(string(text))
	return w.Bytes(), errors.Join(err, saveErr)
}

// decodeCompiled decodes what encodeCompiled wrote. The caller must set compilation.create.
func decodeCompiled(text []byte, identity string) (*compiledRego, error) {
	r := packed.NewReader(text)
	if format, id := r.Text(), r.Text(); format != savedFormat || id != identity {
		return nil, errors.New("it has another format or identity")
	}
	c := &compiledRego{identity: identity, restored: true, texts: map[string]ruleText{}, coveredTools: map[string]bool{}}
	for _, flag := range []*bool{&c.ownRego, &c.replacesRoot, &c.masks, &c.skipIndex} {
		*flag = r.Bool()
	}
	packed.ReadSlice(r, func() bool {
		c.texts[r.Text()] = ruleText{r.Text(), r.Text(), r.Text(), r.Text(), r.Text(), r.Text(), r.Text()}
		return true
	})
	for _, name := range packed.ReadSlice(r, r.Text) {
		c.coveredTools[name] = true
	}
	names := packed.ReadSlice(r, r.Text)
	c.layerNames.Store(&names)
	c.customPackages = readTerm(r)
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
	options, err := c.regoirOptions()
	if err != nil {
		return nil, err
	}
	program, err := regoir.Restore(plan, options)
	if err != nil {
		return nil, err
	}
	c.defined = queries
	c.base, c.plans.programs = object, map[string]*regoir.Program{}
	for _, query := range queries {
		c.plans.programs[query] = program
	}
	c.plans.once.Do(func() {}) // nothing is left to compile
	c.plans.ready.Store(true)
	return c, nil
}

// restore completes a policy with the compiled Rego that an earlier process saved. It returns
// false if there is none. An earlier process has loaded the policy, so its configuration is
// valid.
func (p *policy) restore(cfg Config, identity string, policyFiles files) bool {
	if cfg.Evaluator != "" && cfg.Evaluator != Compiled {
		return false
	}
	text := cfg.LoadCache.Compiled(identity)
	if text == nil {
		return false
	}
	var compiled *compiledRego
	err := rescue.Call(func() (err error) {
		compiled, err = decodeCompiled(text, identity)
		return err
	})
	names := configFiles(policyFiles)
	if err != nil || len(names) != 1 {
		return false
	}
	document, problems := config.ReadValid(cfg.ConfigSchema, names[0], policyFiles[names[0]])
	if document == nil || len(problems) > 0 {
		return false // a complete load will report the problems
	}
	compiled.compilation.create = func() (*compilation, error) { return recompile(cfg, identity, policyFiles) }
	p.compiledRego, p.document, p.text = compiled, document, policyFiles[names[0]]
	return true
}

// regoirOptions returns how a restored plan is evaluated. Only Rego of a policy calls the bounded
// functions, which OPA passes on with any plan.
func (c *compiledRego) regoirOptions() (regoir.Options, error) {
	if !c.ownRego {
		return regoirOptions(nil), nil
	}
	plan, err := makePlan(rego.Query("true"))
	if err != nil {
		return regoir.Options{}, err
	}
	return plan.options, nil
}

// recompile parses and compiles the files of a policy once more.
func recompile(cfg Config, identity string, policyFiles files) (*compilation, error) {
	p := &policy{passedBefore: true}
	builtin, err := builtinFiles(cfg)
	if err == nil {
		err = p.parse(cfg, identity, builtin, policyFiles, 1)
	}
	if err == nil {
		err = p.compile(cfg)
	}
	if err != nil {
		return nil, fmt.Errorf("compile the policy again: %w", err)
	}
	return p.parsed, nil
}

// The kinds of encoded terms.
const (
	termNull = iota
	termFalse
	termTrue
	termNumber
	termText
	termArray
	termObject
)

// writeTerm encodes a term. Data has no sets, so a set is an error.
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
		return fmt.Errorf("a term of type %T cannot be encoded", v)
	}
	return err
}

// readTerm decodes what writeTerm encoded. Errors are in r.
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
