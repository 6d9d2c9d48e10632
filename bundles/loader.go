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
	"gavel/internal/rescue"
)

// parse reads Rego and data as OPA reads a bundle, but with limited concurrency: OPA starts
// all modules at once, and while it parses thousands, no request gets a turn. Errors are
// reported for every module.
func parse(content files, name string, atOnce int) (bundle.Bundle, error) {
	modules := slices.DeleteFunc(content.names(), func(file string) bool { return !isRego(file) })
	loaded, err := bundle.NewCustomReader(newLoader(content.without(modules))).
		WithSkipBundleVerification(true).WithBundleName(name).Read()
	if err != nil {
		return bundle.Bundle{}, problems(opaProblems(err))
	}
	if loaded.Data == nil {
		loaded.Data = map[string]any{}
	}
	versions := make([]ast.RegoVersion, len(modules))
	for i, module := range modules {
		if versions[i], err = loaded.RegoVersionForFile("/"+module, loaded.RegoVersion(ast.RegoV1)); err != nil {
			return bundle.Bundle{}, problem(module, err.Error(), "correct file_rego_versions of the manifest")
		}
	}
	loaded.Modules = make([]bundle.ModuleFile, len(modules))
	wrong := make([][]gavel.Problem, len(modules))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, module := range modules {
		group.Go(func() error {
			err := rescue.Call(func() (err error) { // only possible in this goroutine
				loaded.Modules[i], err = parseModule("/"+module, content[module], versions[i], *loaded.Manifest.Roots)
				return err
			})
			if err != nil {
				wrong[i] = opaProblems(err)
			}
			return nil
		})
	}
	_ = group.Wait() // nothing returns an error
	return loaded, problems(slices.Concat(wrong...))
}

// parseModule parses a module that the roots of its bundle permit.
func parseModule(name string, text []byte, version ast.RegoVersion, roots []string) (bundle.ModuleFile, error) {
	parsed, err := ast.ParseModuleWithOpts(name, string(text),
		ast.ParserOptions{ProcessAnnotation: true, Capabilities: capabilities(), RegoVersion: version})
	if err != nil {
		return bundle.ModuleFile{}, err
	}
	path, err := storage.NewPathForRef(parsed.Package.Path)
	if err != nil || !slices.ContainsFunc(roots, func(root string) bool { return within(root, path) }) {
		at := parsed.Package.Location
		return bundle.ModuleFile{}, &gavel.PolicyError{Problems: []gavel.Problem{{File: strings.TrimPrefix(name, "/"), Line: at.Row, Column: at.Col,
			Message: fmt.Sprintf("the roots of .manifest, %v, do not permit %q", roots, parsed.Package.String()),
			Fix:     "correct the name of the package, or the roots; rules of a policy are in package custom or below it"}}}
	}
	return bundle.ModuleFile{Path: name, Parsed: parsed}, nil
}

// within reports whether a path is below a root of a manifest; "" contains everything.
func within(root string, path storage.Path) bool {
	parts := strings.Split(root, "/")
	return root == "" || len(parts) <= len(path) && slices.Equal(parts, path[:len(parts)])
}

func isRego(name string) bool { return strings.HasSuffix(name, ".rego") }

// loader passes files that were already read to OPA's bundle reader, in order.
type loader struct {
	content files
	names   []string
}

func newLoader(content files) *loader {
	l := &loader{content: content}
	for _, name := range content.names() {
		if base := path.Base(name); isRego(base) || base == ".manifest" || strings.HasPrefix(base, "data.") {
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
	return bundle.NewDescriptor(name, "/"+name, bytes.NewReader(l.content[name])), nil
}

// WithFilter implements bundle.DirectoryLoader; files were filtered when read.
func (l *loader) WithFilter(filter.LoaderFilter) bundle.DirectoryLoader { return l }

// WithPathFormat implements bundle.DirectoryLoader; paths have one form here.
func (l *loader) WithPathFormat(bundle.PathFormat) bundle.DirectoryLoader { return l }

// WithSizeLimitBytes implements bundle.DirectoryLoader; sizes were limited when read.
func (l *loader) WithSizeLimitBytes(int64) bundle.DirectoryLoader { return l }

// WithFollowSymlinks implements bundle.DirectoryLoader; links were followed when read.
func (l *loader) WithFollowSymlinks(bool) bundle.DirectoryLoader { return l }
