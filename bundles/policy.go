package bundles

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	strictJSON "github.com/go-json-experiment/json"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"go.yaml.in/yaml/v3"

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
	if err := checkData(own); err != nil {
		return nil, err
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
			wrong = append(wrong, misplaced(file.Parsed)...)
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

func configFile(own files, data map[string]any) (name string, text []byte, err error) {
	var names []string
	for _, name := range own.names() {
		if isConfigName(path.Base(name)) && !isData(name) {
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
		// OPA has put data.config together, perhaps of several files, and one line
		// is all that is left of their lines.
		text, err := json.Marshal(inline)
		return inlineName, text, err
	}
	return "", nil, nil
}

// inlineName stands for a configuration that is data of a bundle.
const inlineName = "data.config.json"

func isData(name string) bool {
	switch path.Base(name) {
	case "data.json", "data.yaml", "data.yml":
		return true
	}
	return false
}

// checkData refuses data in which a key stands twice: OPA would take the last one.
func checkData(own files) error {
	var wrong []gavel.Problem
	for _, name := range own.names() {
		if !isData(name) {
			continue
		}
		var value any
		var err error
		if strings.HasSuffix(name, ".json") {
			err = strictJSON.Unmarshal(own[name], &value)
		} else {
			err = yaml.Unmarshal(own[name], &value)
		}
		if err != nil {
			wrong = append(wrong, gavel.Problem{File: name, Message: err.Error(), Fix: "correct the data; every key may stand once"})
		}
	}
	return problems(wrong)
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
