package bundles

import (
	"bytes"
	"io"
	"path"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader/filter"
)

// loader feeds files that are already read to OPA's bundle reader, in order.
type loader struct {
	content files
	names   []string
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
