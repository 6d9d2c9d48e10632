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

// policy is a policy that is being loaded: what a snapshot is made from.
type policy struct {
	*compiledRego
	parsed         *compilation // what to compile; nil if compiledRego is reused
	document       *config.Document
	text           []byte          // the content of the configuration's file; nil if it has none
	schemaProblems []gavel.Problem // found by the JSON Schema; rules may find more
	revision       string
	passedBefore   bool // an earlier process loaded exactly this policy
}

// readPolicy reads a policy together with the shipped one. If its Rego and data are those of the
// previous policy, or are in a cache, the compiled Rego is reused.
func readPolicy(cfg Config, previous *compiledRego) (*policy, error) {
	policyFiles, err := ownFiles(cfg)
	if err != nil {
		return nil, err
	}
	builtin, err := builtinFiles(cfg)
	if err != nil {
		return nil, err
	}
	p := &policy{revision: hashFiles(cfg, builtin, policyFiles, overrideFiles(cfg.Overrides))}
	identity := hashFiles(cfg, builtin, policyFiles.without(configFiles(policyFiles)))
	compiled := previous
	if compiled == nil || compiled.identity != identity || compiled.inline || compiled.restored {
		compiled = cfg.CompileCache.get(identity)
	}
	if compiled != nil {
		p.compiledRego = compiled
		if p.document, p.schemaProblems, err = readConfiguration(cfg, policyFiles, nil, compiled.reader); err == nil {
			p.text = policyFiles[p.document.File]
		}
		return p, err
	}
	if p.passedBefore = cfg.LoadCache != nil && cfg.LoadCache.Passed(p.revision); p.passedBefore {
		policyFiles = policyFiles.without(testFiles(policyFiles))
		if p.restore(cfg, identity, policyFiles) {
			return p, nil
		}
	}
	parallelism := runtime.GOMAXPROCS(0)
	if previous != nil {
		parallelism = 1 // leave the processors to the requests that are being decided
	}
	return p, p.parse(cfg, identity, builtin, policyFiles, parallelism)
}

// parse parses the Rego and the data, and reads the configuration.
func (p *policy) parse(cfg Config, identity string, builtin, policyFiles files, parallelism int) error {
	reader, err := config.NewReader(cfg.ConfigSchema)
	if err != nil {
		return fmt.Errorf("read the schema of the configuration: %w", err)
	}
	if err := checkDuplicateKeys(policyFiles); err != nil {
		return err
	}
	loaded, err := parseBundle(policyFiles, cfg.Path, parallelism)
	if err != nil {
		return err
	}
	p.parsed = &compilation{reader: reader, tests: map[string]*ast.Module{}}
	p.compiledRego = &compiledRego{identity: identity, reader: reader}
	p.compilation.create = func() (*compilation, error) { return recompile(cfg, identity, policyFiles) }
	if p.document, p.schemaProblems, err = readConfiguration(cfg, policyFiles, loaded.Data, reader); err != nil {
		return err
	}
	p.text = policyFiles[p.document.File]
	_, p.inline = loaded.Data["config"]
	delete(loaded.Data, "config") // p.document has it
	return p.addModules(cfg.CompileCache, builtin, loaded, parallelism)
}

// ownFiles returns the files of the policy, without the shipped ones. The shipped default is a
// policy of one file.
func ownFiles(cfg Config) (files, error) {
	if cfg.Path == "" {
		return files{"built-in/config.yaml": cfg.Default}, nil
	}
	return readPolicyFiles(cfg)
}

// builtinFiles returns the shipped files that make a policy, without tests.
func builtinFiles(cfg Config) (files, error) {
	found := files{}
	err := fs.WalkDir(cfg.Builtin, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isPolicyFile(name) && !isAnalyzerTable(name) || strings.HasSuffix(name, "_test.rego") {
			return err
		}
		text, err := fs.ReadFile(cfg.Builtin, name)
		found[name] = text
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the shipped policy: %w", err)
	}
	return found, nil
}

// readConfiguration finds and reads the configuration of a policy. Problems in it are an error
// only if nothing else can be checked.
func readConfiguration(cfg Config, policyFiles files, data map[string]any, reader *config.Reader) (*config.Document, []gavel.Problem, error) {
	name, text, err := configFile(policyFiles, data)
	if err != nil {
		return nil, nil, err
	}
	if name == "" {
		return nil, nil, errNoConfiguration(cfg.Path)
	}
	document, problems := reader.Read(name, text)
	if document == nil {
		return nil, nil, policyError(problems)
	}
	return document, problems, nil
}

// errNoConfiguration says how a policy without a configuration gets one. opa build leaves out
// every file that is not Rego, data.json or data.yaml.
func errNoConfiguration(name string) error {
	if isArchive(name) {
		return newPolicyError(name, "the bundle has no configuration: opa build packs only Rego, data.json and data.yaml, and leaves out "+configNames()[0],
			"put the configuration into data.yaml, below the key config, and build it again; or pack the directory with: tar czf "+path.Base(name)+" -C DIR .")
	}
	return newPolicyError(name, "the policy has no configuration", "add one of "+strings.Join(configNames(), ", "))
}

// configFile returns the name and the content of the configuration, or "" if there is none.
func configFile(policyFiles files, data map[string]any) (name string, text []byte, err error) {
	names := configFiles(policyFiles)
	inline, hasInline := data["config"]
	switch {
	case len(names) > 1 || (len(names) == 1 && hasInline):
		return "", nil, newPolicyError(names[0], "the policy has more than one configuration: "+strings.Join(names, ", ")+inlineNote(hasInline),
			"keep one of them")
	case len(names) == 1:
		return names[0], policyFiles[names[0]], nil
	case hasInline:
		// OPA has merged data.config, perhaps from several files, so there are no line numbers.
		text, err := json.Marshal(inline)
		return inlineConfigName, text, err
	}
	return "", nil, nil
}

// configFiles returns the names of the files that are a configuration.
func configFiles(policyFiles files) []string {
	return slices.DeleteFunc(policyFiles.names(), func(name string) bool { return !isConfigName(path.Base(name)) || isData(name) })
}

// testFiles returns the names of the Rego tests of a policy.
func testFiles(policyFiles files) (names []string) {
	for name := range policyFiles {
		if strings.HasSuffix(name, "_test.rego") {
			names = append(names, name)
		}
	}
	return names
}

// inlineConfigName names a configuration that is data of a bundle.
const inlineConfigName = "data.config.json"

func isData(name string) bool {
	switch path.Base(name) {
	case "data.json", "data.yaml", "data.yml":
		return true
	}
	return false
}

// checkDuplicateKeys refuses data in which a key occurs twice: OPA would take the last one.
func checkDuplicateKeys(policyFiles files) error {
	var problems []gavel.Problem
	for _, name := range policyFiles.names() {
		if !isData(name) {
			continue
		}
		var value any
		var err error
		if strings.HasSuffix(name, ".json") {
			err = strictJSON.Unmarshal(policyFiles[name], &value)
		} else {
			err = yaml.Unmarshal(policyFiles[name], &value)
		}
		if err != nil {
			problems = append(problems, gavel.Problem{File: name, Message: err.Error(), Fix: "correct the data; every key may occur only once"})
		}
	}
	return policyError(problems)
}

func inlineNote(hasInline bool) string {
	if hasInline {
		return ", and data.config"
	}
	return ""
}

// packageName returns the name of a module's package without data.
func packageName(m *ast.Module) string { return strings.TrimPrefix(m.Package.Path.String(), "data.") }

// isBelow reports whether a package is root or a sub-package of it.
func isBelow(name, root string) bool { return name == root || strings.HasPrefix(name, root+".") }

// overrideFiles returns the overrides as files, so that hashFiles can include them in a revision.
func overrideFiles(o Overrides) files {
	given := files{}
	for i, text := range o.Text() {
		given[fmt.Sprintf("override %04d", i)] = []byte(text)
	}
	return given
}

// hashFiles hashes sets of files, and the schemas that they are read with. Names and contents are
// hashed with their lengths and in a fixed order, so that different policies have different
// hashes.
func hashFiles(cfg Config, contents ...files) string {
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
