package bundles

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	strictJSON "github.com/go-json-experiment/json"
	"github.com/open-policy-agent/opa/v1/ast"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/bundles/config"
)

// policy is everything a snapshot is made from, read and parsed.
type policy struct {
	*program
	made     *parts // of the program, if it was parsed for this policy
	document *config.Document
	text     []byte          // of the configuration's file; nil if it has none
	wrong    []gavel.Problem // what the schema objects to; the rules may object to more
	revision string
	proven   bool // an earlier process loaded exactly this policy
}

// read reads the policy of cfg together with the built-in root. If only the configuration
// differs from the previous policy, or from one whose program is cached, that program is
// reused.
func read(cfg Config, before *program) (*policy, error) {
	own, err := ownFiles(cfg)
	if err != nil {
		return nil, err
	}
	builtin, err := builtinFiles(cfg)
	if err != nil {
		return nil, err
	}
	p := &policy{revision: hashed(cfg, builtin, own, overriding(cfg.Overrides))}
	identity := hashed(cfg, builtin, own.without(configFiles(own)))
	same := before
	if same == nil || same.identity != identity || same.inline || same.restored {
		same = cfg.Programs.find(identity)
	}
	if same != nil {
		p.program = same
		if p.document, p.wrong, err = configuration(cfg, own, nil, same.reader); err == nil {
			p.text = own[p.document.File]
		}
		return p, err
	}
	if p.proven = cfg.Proofs != nil && cfg.Proofs.Holds(p.revision); p.proven {
		own = own.without(tests(own))
		if p.restore(cfg, identity, own) {
			return p, nil
		}
	}
	atOnce := runtime.GOMAXPROCS(0)
	if before != nil {
		atOnce = 1 // requests are answered in the meantime
	}
	return p, p.parse(cfg, identity, builtin, own, atOnce)
}

// parse parses everything with limited concurrency, and creates a program.
func (p *policy) parse(cfg Config, identity string, builtin, own files, atOnce int) error {
	reader, err := config.NewReader(cfg.ConfigSchema)
	if err != nil {
		return internal("read the schema of the configuration", err)
	}
	if err := checkData(own); err != nil {
		return err
	}
	brought, err := parse(own, cfg.Path, atOnce)
	if err != nil {
		return err
	}
	p.made = &parts{reader: reader, tests: map[string]*ast.Module{}}
	p.program = &program{identity: identity, reader: reader}
	p.parts.create = func() (*parts, error) { return again(cfg, identity, own) }
	if p.document, p.wrong, err = configuration(cfg, own, brought.Data, reader); err != nil {
		return err
	}
	p.text = own[p.document.File]
	_, p.inline = brought.Data["config"]
	delete(brought.Data, "config") // it is the document now
	return p.add(cfg.Programs, builtin, brought, atOnce)
}

// ownFiles reads the policy path, or creates files for the shipped default.
func ownFiles(cfg Config) (files, error) {
	if cfg.Path == "" {
		return files{"built-in/config.yaml": cfg.Default}, nil
	}
	return readPolicy(cfg)
}

func builtinFiles(cfg Config) (files, error) {
	found := files{}
	err := fs.WalkDir(cfg.Builtin, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !relevant(name) && !ofAnalyzer(name) || strings.HasSuffix(name, "_test.rego") {
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

// configuration finds and reads the policy's configuration. A problem in it is an error only
// if nothing more can be checked.
func configuration(cfg Config, own files, data map[string]any, reader *config.Reader) (*config.Document, []gavel.Problem, error) {
	name, text, err := configFile(own, data)
	if err != nil {
		return nil, nil, err
	}
	if name == "" {
		return nil, nil, noConfiguration(cfg.Path)
	}
	document, wrong := reader.Read(name, text)
	if document == nil {
		return nil, nil, problems(wrong)
	}
	return document, wrong, nil
}

// noConfiguration says how a policy without a configuration gets one. opa build leaves out
// every file that is not Rego, data.json or data.yaml.
func noConfiguration(name string) error {
	if isArchive(name) {
		return problem(name, "the bundle has no configuration: opa build packs only Rego, data.json and data.yaml, and leaves out "+configNames()[0],
			"put the configuration into data.yaml, below the key config, and build it again; or pack the directory with: tar czf "+path.Base(name)+" -C DIR .")
	}
	return problem(name, "the policy has no configuration", "add one of "+strings.Join(configNames(), ", "))
}

func configFile(own files, data map[string]any) (name string, text []byte, err error) {
	names := configFiles(own)
	inline, hasInline := data["config"]
	switch {
	case len(names) > 1 || (len(names) == 1 && hasInline):
		return "", nil, problem(names[0], "the policy has more than one configuration: "+strings.Join(names, ", ")+inlineNote(hasInline),
			"keep one of them")
	case len(names) == 1:
		return names[0], own[names[0]], nil
	case hasInline:
		// OPA has assembled data.config, perhaps from several files, so only one line number
		// is left.
		text, err := json.Marshal(inline)
		return inlineName, text, err
	}
	return "", nil, nil
}

// configFiles are the names of files that are a configuration.
func configFiles(own files) []string {
	return slices.DeleteFunc(own.names(), func(name string) bool { return !isConfigName(path.Base(name)) || isData(name) })
}

// inlineName is the name of a configuration that is data of a bundle.
const inlineName = "data.config.json"

func isData(name string) bool {
	switch path.Base(name) {
	case "data.json", "data.yaml", "data.yml":
		return true
	}
	return false
}

// checkData refuses data with duplicate keys: OPA would take the last one.
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
			wrong = append(wrong, gavel.Problem{File: name, Message: err.Error(), Fix: "correct the data; every key may occur only once"})
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

func packageName(m *ast.Module) string { return strings.TrimPrefix(m.Package.Path.String(), "data.") }

func below(name, root string) bool { return name == root || strings.HasPrefix(name, root+".") }

// overriding are the overrides in the form of files, for the revision.
func overriding(o Overrides) files {
	given := files{}
	for i, text := range o.Text() {
		given[fmt.Sprintf("override %04d", i)] = []byte(text)
	}
	return given
}

// hashed hashes files and the schemas used to read them, names and contents with their
// lengths in a fixed order, so that two different policies never share a hash.
func hashed(cfg Config, contents ...files) string {
	hash := sha256.New()
	field := func(text []byte) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		hash.Write(size[:])
		hash.Write(text)
	}
	for _, content := range contents {
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
