package bundles

import (
	"bytes"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader/filter"
	"golang.org/x/sync/errgroup"

	"gavel"
	"gavel/internal/rescue"
)

// parse reads Rego and data as OPA reads a bundle, so many modules at once: OPA starts all
// of them, and for as long as thousands are parsed no request would get a turn. What is
// wrong with several modules is said of all of them.
func parse(content files, name string, atOnce int) (bundle.Bundle, error) {
	modules := slices.DeleteFunc(content.names(), func(file string) bool { return !isRego(file) })
	loaded, err := readBundle(content.without(modules), name)
	if err != nil {
		return bundle.Bundle{}, problems(opaProblems(err))
	}
	manifest := files{} // it may say more of a module
	for name, text := range content {
		if isManifest(name) {
			manifest[name] = text
		}
	}
	parsed, wrong := make([][]bundle.ModuleFile, len(modules)), make([][]gavel.Problem, len(modules))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, module := range modules {
		group.Go(func() error {
			alone := maps.Clone(manifest)
			alone[module] = content[module]
			err := rescue.Call(func() error { // nobody else can in this goroutine
				read, err := readBundle(alone, name)
				parsed[i] = read.Modules
				return err
			})
			if err != nil {
				wrong[i] = opaProblems(err)
			}
			return nil
		})
	}
	_ = group.Wait() // nothing returns an error
	loaded.Modules = slices.Concat(parsed...)
	return loaded, problems(slices.Concat(wrong...))
}

func readBundle(content files, name string) (bundle.Bundle, error) {
	loaded, err := bundle.NewCustomReader(newLoader(content)).
		WithSkipBundleVerification(true).WithProcessAnnotations(true).
		WithRegoVersion(ast.RegoV1).WithCapabilities(capabilities()).WithBundleName(name).Read()
	if err == nil && loaded.Data == nil {
		loaded.Data = map[string]any{}
	}
	return loaded, err
}

func isRego(name string) bool { return strings.HasSuffix(name, ".rego") }

func isManifest(name string) bool { return path.Base(name) == ".manifest" }

// loader feeds files that are already read to OPA's bundle reader, in order.
type loader struct {
	content files
	names   []string
}

func newLoader(content files) *loader {
	l := &loader{content: content}
	for _, name := range content.names() {
		if isRego(name) || isManifest(name) || strings.HasPrefix(path.Base(name), "data.") {
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
