package bundles

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader/filter"

	"gavel"
	"gavel/bundles/config"
)

// policy is everything a snapshot is made from, read and parsed.
type policy struct {
	modules  map[string]*ast.Module // production modules, the built-in ones included
	tests    map[string]*ast.Module // the policy's own *_test.rego
	data     map[string]any
	document *config.Document
	wrong    []gavel.Problem // what the schema objects to; the rules may object to more
	revision string
	custom   bool // the policy brings Rego of its own
}

// read reads the policy that cfg names together with the built-in root.
func read(cfg Config) (*policy, error) {
	own, err := ownFiles(cfg)
	if err != nil {
		return nil, err
	}
	builtin, err := builtinFiles(cfg)
	if err != nil {
		return nil, err
	}
	reader, err := config.NewReader(cfg.ConfigSchema)
	if err != nil {
		return nil, internal("read the schema of the configuration", err)
	}
	brought, err := parse(own, cfg.Path)
	if err != nil {
		return nil, err
	}
	p := &policy{tests: map[string]*ast.Module{}, revision: revision(builtin, own, cfg)}
	if p.document, p.wrong, err = configuration(cfg, own, brought.Data, reader); err != nil {
		return nil, err
	}
	if err := p.add(builtin, brought); err != nil {
		return nil, err
	}
	p.data["config"] = map[string]any(p.document.Data)
	return p, nil
}

// ownFiles reads the policy path, or makes one up for the shipped default.
func ownFiles(cfg Config) (files, error) {
	if cfg.Path == "" {
		return files{"built-in/config.yaml": cfg.Default}, nil
	}
	return readPolicy(cfg.Path)
}

func builtinFiles(cfg Config) (files, error) {
	found := files{}
	err := fs.WalkDir(cfg.Builtin, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !relevant(name) || strings.HasSuffix(name, "_test.rego") {
			return err
		}
		text, err := fs.ReadFile(cfg.Builtin, name)
		found[name] = text
		return err
	})
	if err != nil {
		return nil, internal("read the built-in policy", err)
	}
	return found, nil
}

// add puts modules and data together. A policy with packages below gavel brings
// its own root, and then the built-in one is left out entirely.
func (p *policy) add(builtin files, brought bundle.Bundle) error {
	p.modules = map[string]*ast.Module{}
	var wrong []gavel.Problem
	ownRoot := false
	for _, file := range brought.Modules {
		at := file.Parsed.Package.Location
		switch name := packageName(file.Parsed); {
		case strings.HasSuffix(file.Path, "_test.rego"):
			p.tests[file.Path] = file.Parsed
			continue
		case below(name, "gavel"):
			ownRoot = true
		case !below(name, "custom") && name != "system.log":
			wrong = append(wrong, gavel.Problem{File: strings.TrimPrefix(at.File, "/"), Line: at.Row, Column: at.Col,
				Message: fmt.Sprintf("package %s is read by nothing", name),
				Fix:     "use package custom, or one below it, for rules deny and ask; system.log for mask"})
		}
		p.modules[file.Path] = file.Parsed
		p.custom = true
	}
	if err := problems(wrong); err != nil {
		return err
	}
	p.data = map[string]any{}
	if !ownRoot {
		root, err := parse(builtin, "built-in")
		if err != nil {
			return err
		}
		for _, file := range root.Modules {
			p.modules["built-in/"+strings.TrimPrefix(file.Path, "/")] = file.Parsed
		}
		maps.Copy(p.data, root.Data)
	}
	return p.addData(brought.Data, ownRoot)
}

func (p *policy) addData(data map[string]any, ownRoot bool) error {
	for key, value := range data {
		reserved := key == "custom" || key == "system" || (key == "gavel" && !ownRoot)
		if reserved {
			return problem("data", fmt.Sprintf("the policy's data has the key %q, which belongs to Gavel", key), "use another key")
		}
		p.data[key] = value
	}
	return nil
}

// configuration finds and reads the one configuration of a policy. What is wrong
// with it is an error only when there is nothing that could be looked at further.
func configuration(cfg Config, own files, data map[string]any, reader *config.Reader) (*config.Document, []gavel.Problem, error) {
	name, text, err := configFile(own, data)
	if err != nil {
		return nil, nil, err
	}
	if name == "" {
		return nil, nil, problem(cfg.Path, "the policy has no configuration", "add one of "+strings.Join(configNames(), ", "))
	}
	document, wrong := reader.Read(name, text)
	if document == nil {
		return nil, nil, problems(wrong)
	}
	return document, wrong, nil
}

func configFile(own files, data map[string]any) (string, []byte, error) {
	var names []string
	for _, name := range own.names() {
		base := path.Base(name)
		if isConfigName(base) && base != "data.json" && base != "data.yaml" && base != "data.yml" {
			names = append(names, name)
		}
	}
	inline, hasInline := data["config"]
	switch {
	case len(names) > 1 || (len(names) == 1 && hasInline):
		return "", nil, problem(names[0], "the policy has more than one configuration: "+strings.Join(names, ", ")+inlineNote(hasInline),
			"keep one of them")
	case len(names) == 1:
		return names[0], own[names[0]], nil
	case hasInline:
		text, err := json.MarshalIndent(inline, "", "  ")
		return "data.json", text, err
	}
	return "", nil, nil
}

func inlineNote(hasInline bool) string {
	if hasInline {
		return ", and data.config"
	}
	return ""
}

// parse reads Rego and data as OPA reads a bundle.
func parse(content files, name string) (bundle.Bundle, error) {
	loaded, err := bundle.NewCustomReader(newLoader(content)).
		WithSkipBundleVerification(true).WithProcessAnnotations(true).
		WithRegoVersion(ast.RegoV1).WithCapabilities(capabilities()).WithBundleName(name).Read()
	if err != nil {
		return bundle.Bundle{}, problems(opaProblems(err))
	}
	if loaded.Data == nil {
		loaded.Data = map[string]any{}
	}
	return loaded, nil
}

// opaProblems turns OPA's errors into problems with their places.
func opaProblems(err error) []gavel.Problem {
	var several ast.Errors
	if !errors.As(err, &several) {
		return []gavel.Problem{{Message: err.Error()}}
	}
	list := make([]gavel.Problem, 0, len(several))
	for _, e := range several {
		p := gavel.Problem{Message: fmt.Sprintf("%s: %s", e.Code, e.Message)}
		if e.Location != nil {
			p.File, p.Line, p.Column = strings.TrimPrefix(e.Location.File, "/"), e.Location.Row, e.Location.Col
		}
		list = append(list, p)
	}
	return list
}

func packageName(m *ast.Module) string { return strings.TrimPrefix(m.Package.Path.String(), "data.") }

func below(name, root string) bool { return name == root || strings.HasPrefix(name, root+".") }

// revision hashes everything a snapshot is made from, names and contents in a
// fixed order with their lengths, so that no two policies share one by accident.
func revision(builtin, own files, cfg Config) string {
	hash := sha256.New()
	field := func(text []byte) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		hash.Write(size[:])
		hash.Write(text)
	}
	for _, content := range []files{builtin, own} {
		for _, name := range content.names() {
			field([]byte(name))
			field(content[name])
		}
		field(nil)
	}
	field(cfg.ConfigSchema)
	field(cfg.FactsSchema)
	return hex.EncodeToString(hash.Sum(nil))
}

// loader feeds files that are already read to OPA's bundle reader, in order.
type loader struct {
	content files
	names   []string
	filter  filter.LoaderFilter
}

func newLoader(content files) *loader {
	l := &loader{content: content}
	for _, name := range content.names() {
		if base := path.Base(name); strings.HasSuffix(base, ".rego") || base == ".manifest" || strings.HasPrefix(base, "data.") {
			l.names = append(l.names, name)
		}
	}
	return l
}

// NextFile implements bundle.DirectoryLoader.
func (l *loader) NextFile() (*bundle.Descriptor, error) {
	if len(l.names) == 0 {
		return nil, io.EOF
	}
	name := l.names[0]
	l.names = l.names[1:]
	return bundle.NewDescriptor(name, "/"+name, strings.NewReader(string(l.content[name]))), nil
}

// WithFilter implements bundle.DirectoryLoader; files were filtered when read.
func (l *loader) WithFilter(f filter.LoaderFilter) bundle.DirectoryLoader {
	l.filter = f
	return l
}

// WithPathFormat implements bundle.DirectoryLoader; paths have one form here.
func (l *loader) WithPathFormat(bundle.PathFormat) bundle.DirectoryLoader { return l }

// WithSizeLimitBytes implements bundle.DirectoryLoader; sizes were limited when read.
func (l *loader) WithSizeLimitBytes(int64) bundle.DirectoryLoader { return l }

// WithFollowSymlinks implements bundle.DirectoryLoader; links were followed when read.
func (l *loader) WithFollowSymlinks(bool) bundle.DirectoryLoader { return l }
