package bundles

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader/filter"
	"github.com/open-policy-agent/opa/v1/storage"
	"golang.org/x/sync/errgroup"

	"gavel"
	"gavel/bundles/builtins"
	"gavel/internal/rescue"
)

// parseBundle reads Rego and data as OPA reads a bundle, but parses only some modules at a time.
// OPA starts all at once, and while it parses thousands, no request gets a turn. The error has
// the problems of every module.
func parseBundle(content files, name string, parallelism int) (bundle.Bundle, error) {
	modules := slices.DeleteFunc(content.names(), func(file string) bool { return !isRego(file) })
	loaded, err := bundle.NewCustomReader(newFileLoader(content.without(modules))).
		WithSkipBundleVerification(true).WithBundleName(name).Read()
	if err != nil {
		return bundle.Bundle{}, policyError(opaProblems(err))
	}
	if loaded.Data == nil {
		loaded.Data = map[string]any{}
	}
	versions := make([]ast.RegoVersion, len(modules))
	for i, module := range modules {
		if versions[i], err = loaded.RegoVersionForFile("/"+module, loaded.RegoVersion(ast.RegoV1)); err != nil {
			return bundle.Bundle{}, newPolicyError(module, err.Error(), "correct file_rego_versions of the manifest")
		}
	}
	loaded.Modules = make([]bundle.ModuleFile, len(modules))
	problems := make([][]gavel.Problem, len(modules))
	var group errgroup.Group
	group.SetLimit(parallelism)
	for i, module := range modules {
		group.Go(func() error {
			err := rescue.Call(func() (err error) { // only this goroutine can recover its panic
				loaded.Modules[i], err = parseModule("/"+module, content[module], versions[i], *loaded.Manifest.Roots)
				return err
			})
			if err != nil {
				problems[i] = opaProblems(err)
			}
			return nil
		})
	}
	_ = group.Wait() // nothing returns an error
	return loaded, policyError(slices.Concat(problems...))
}

// parseModule parses a module. Its package must be below one of the roots of the bundle.
func parseModule(name string, text []byte, version ast.RegoVersion, roots []string) (bundle.ModuleFile, error) {
	parsed, err := ast.ParseModuleWithOpts(name, string(text),
		ast.ParserOptions{ProcessAnnotation: true, Capabilities: builtins.Capabilities(), RegoVersion: version})
	if err != nil {
		return bundle.ModuleFile{}, err
	}
	path, err := storage.NewPathForRef(parsed.Package.Path)
	if err != nil || !slices.ContainsFunc(roots, func(root string) bool { return isBelowRoot(root, path) }) {
		at := parsed.Package.Location
		return bundle.ModuleFile{}, &gavel.PolicyError{Problems: []gavel.Problem{{File: strings.TrimPrefix(name, "/"), Line: at.Row, Column: at.Col,
			Message: fmt.Sprintf("the roots of .manifest, %v, do not permit %q", roots, parsed.Package.String()),
			Fix:     "correct the name of the package, or the roots; rules of a policy are in package custom or below it"}}}
	}
	return bundle.ModuleFile{Path: name, Parsed: parsed}, nil
}

// isBelowRoot reports whether a path is below a root of a manifest. Everything is below "".
func isBelowRoot(root string, path storage.Path) bool {
	parts := strings.Split(root, "/")
	return root == "" || len(parts) <= len(path) && slices.Equal(parts, path[:len(parts)])
}

func isRego(name string) bool { return strings.HasSuffix(name, ".rego") }

// fileLoader passes files that were read before to OPA's bundle reader, in order.
type fileLoader struct {
	content files
	names   []string
}

func newFileLoader(content files) *fileLoader {
	l := &fileLoader{content: content}
	for _, name := range content.names() {
		if base := path.Base(name); isRego(base) || base == ".manifest" || strings.HasPrefix(base, "data.") {
			l.names = append(l.names, name)
		}
	}
	return l
}

// NextFile implements bundle.DirectoryLoader.
func (l *fileLoader) NextFile() (*bundle.Descriptor, error) {
	if len(l.names) == 0 {
		return nil, io.EOF
	}
	name := l.names[0]
	l.names = l.names[1:]
	return bundle.NewDescriptor(name, "/"+name, bytes.NewReader(l.content[name])), nil
}

// WithFilter implements bundle.DirectoryLoader. The files were filtered when they were read.
func (l *fileLoader) WithFilter(filter.LoaderFilter) bundle.DirectoryLoader { return l }

// WithPathFormat implements bundle.DirectoryLoader. All paths have the same format.
func (l *fileLoader) WithPathFormat(bundle.PathFormat) bundle.DirectoryLoader { return l }

// WithSizeLimitBytes implements bundle.DirectoryLoader. The sizes were limited when the files
// were read.
func (l *fileLoader) WithSizeLimitBytes(int64) bundle.DirectoryLoader { return l }

// WithFollowSymlinks implements bundle.DirectoryLoader. Links were followed when the files were
// read.
func (l *fileLoader) WithFollowSymlinks(bool) bundle.DirectoryLoader { return l }
