package hazard

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// PathTable is the content of rego/gavel/catalog/analysis/paths.yaml.
type PathTable struct {
	Closed            programs.Names `yaml:"closed"`
	Assumed           assumed        `yaml:"assumed"`
	Open              programs.Names `yaml:"open"`
	Secrets           programs.Names `yaml:"secrets"`
	SecretDirectories programs.Names `yaml:"secret_directories"`
	Plain             programs.Names `yaml:"plain"`
	Schemes           programs.Names `yaml:"schemes"`
}

// assumed has absolute directories that are used in place of unknown ones.
type assumed struct {
	Home      string `yaml:"home"`      // of the call
	Homes     string `yaml:"homes"`     // the directory above the home directories of other users
	Directory string `yaml:"directory"` // where the command runs
}

// Paths is a PathTable, prepared for lookups.
type Paths struct {
	closed             []string
	assumed            assumed
	directories        spelling.PrefixIndex[string] // secret ones
	exempt, schemes    map[string]bool
	secrets, notSecret namePatterns
	examples           []string // of names of secret files
}

// add adds a table. It returns an error for an invalid pattern.
func (p *Paths) add(t PathTable) error {
	if p.exempt == nil {
		p.exempt, p.schemes = map[string]bool{}, map[string]bool{}
		p.secrets.exact, p.notSecret.exact = map[string]bool{}, map[string]bool{}
	}
	for _, dir := range []string{t.Assumed.Home, t.Assumed.Homes, t.Assumed.Directory} {
		if !path.IsAbs(dir) {
			return fmt.Errorf("assumed directory %q: want an absolute path", dir)
		}
	}
	p.assumed = t.Assumed
	p.closed = append(p.closed, t.Closed...)
	p.secrets.all = append(p.secrets.all, t.Secrets...)
	p.secrets.all = append(p.secrets.all, t.SecretDirectories...)
	p.examples = append(p.examples, sampleNames(t.Secrets)...)
	if strings.ContainsAny(strings.Join(t.Closed, ""), "0123456789") {
		return errors.New("a closed directory has a digit in its name, which a PID could match")
	}
	for _, name := range t.Open {
		p.exempt[name] = true
	}
	for _, scheme := range t.Schemes {
		p.schemes[scheme] = true
	}
	for _, directory := range t.SecretDirectories {
		first, _, _ := strings.Cut(directory, "/")
		if first == "" {
			return fmt.Errorf("secret directory %q: it must begin with a name", directory)
		}
		p.directories.Add(first, directory)
	}
	return errors.Join(p.secrets.add(t.Secrets), p.notSecret.add(t.Plain))
}

// The names of hazards of paths.
const (
	OptionClosed = "closed" // it is in a closed directory, or contains one
	optionSecret = "secret"
	// optionOutside is a path outside the workspace, of kind elsewhere.
	optionOutside = "outside"
	// OptionOpened is a file that inline code opens by its name, of kind reads.
	OptionOpened  = "opened"
	kindElsewhere = "elsewhere"
)

// textHazard returns the path hazard of a text, or of one of its [Parts]: "", closed or secret.
func (p *Paths) textHazard(text string, at Surroundings) string {
	text = strings.TrimSuffix(text, argv.Tilde)
	if scheme, _, isURL := strings.Cut(text, "://"); isURL && !strings.HasSuffix(strings.ToLower(scheme), "file") && p.isAddress(scheme, text, at) {
		return ""
	}
	for part := range Parts(text) {
		if found := p.Path(part, at); found != "" {
			return found
		}
	}
	return ""
}

// isAddress reports whether a text with :// is the address of something other than a file: the
// scheme is known, and the text names no file by chance. As a path, it would lead through a
// directory named after the scheme, which does not exist, and it contains no "..".
func (p *Paths) isAddress(scheme, text string, at Surroundings) bool {
	if i := strings.LastIndexAny(scheme, separators); i >= 0 {
		if strings.ContainsAny(scheme[:i], allSeparators) {
			return false // as in name=@file;filename=https://…
		}
		scheme, text = scheme[i+1:], text[i+1:] // as in --url=https://…
	}
	if !p.schemes[strings.ToLower(scheme)] || host.Climbs(text) {
		return false
	}
	// On another machine this cannot be checked, but hardly any machine has such a directory.
	return at.Dir == "" || at.NoLookups || at.Host.Kind(host.Join(path.Clean(at.Dir), scheme+":")) == host.KindMissing
}

// absolute returns the absolute path of a text that begins at the root or in a home directory. It is not
// ok for a relative path.
func (p *Paths) absolute(text string, at Surroundings) (full string, ok bool) {
	switch {
	case text[0] == '/':
		return path.Clean(text), true
	case text == "~" || strings.HasPrefix(text, "~/"):
		return path.Join(cmp.Or(at.Home, p.assumed.Home), text[1:]), true
	case text[0] == '~' && strings.Contains(text, "/"):
		return path.Join(p.assumed.Homes, text[1:]), true
	}
	return "", false
}

// Path returns the path hazard of a text that is a path as a whole.
func (p *Paths) Path(text string, at Surroundings) string {
	known, _, unknown := strings.Cut(text, argv.Unknown)
	switch {
	case strings.Count(text, argv.Unknown) > strings.Count(text, argv.Number):
		// A word produced at run time may be anything, but its literal beginning is known.
		if strings.HasPrefix(path.Base(text), ".") { // one of the hidden files
			return optionSecret
		}
		text = known
	case unknown:
		text = strings.ReplaceAll(text, argv.Number, anyNumber)
		if p.mayNameSecret(strings.ToLower(text)) {
			return optionSecret
		}
	}
	if text == "" || len(text) > host.MaxPath {
		return ""
	}
	if full, ok := p.absolute(text, at); ok {
		if rest, home := strings.CutPrefix(text, "~/"); home && at.Home != "" {
			text = at.Home + "/" + rest
		}
		if host.Climbs(text) && text[0] == '/' {
			return p.climbing(text, full, at)
		}
		return p.Absolute(full, at)
	}
	switch {
	case p.isSecret(text):
		return optionSecret
	case host.Climbs(text):
		return p.climbing(text, path.Join(cmp.Or(at.Dir, p.assumed.Directory), text), at)
	case at.Dir != "":
		return p.Absolute(path.Join(at.Dir, text), at)
	}
	return "" // it is in the working directory, wherever that is
}

// climbing returns the path hazard of a path with "..": that of the path as it is written and, because a
// directory on the way may be a link, that of the path to which the kernel follows it. A path that leads through a
// missing directory may lead anywhere, once an earlier command has created that. Where nothing can be looked up,
// a relative path may reach the root, as enough ".." do from any directory.
func (p *Paths) climbing(text, written string, at Surroundings) string {
	found := p.Absolute(written, at)
	switch real, known := at.climb(text); {
	case found != "":
		return found
	case known:
		return p.Absolute(real, at)
	case !at.NoLookups && (at.Dir != "" || text[0] == '/'):
		return OptionClosed
	case text[0] == '/':
		return ""
	}
	return p.Absolute(path.Join("/", strings.TrimLeft(path.Clean(text), "./")), at)
}

// Absolute returns the path hazard of an absolute, clean path.
func (p *Paths) Absolute(full string, at Surroundings) string {
	switch {
	case p.isSecret(full):
		return optionSecret
	case at.inOwnDirectory(full), p.exempt[full]:
		return ""
	case slices.ContainsFunc(p.closed, func(dir string) bool { return host.Overlaps(full, dir, at.Folds) }):
		return OptionClosed // it is in or above a closed directory
	}
	return ""
}
