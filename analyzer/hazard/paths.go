package hazard

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// PathTable is what rego/gavel/catalog/analysis/paths.yaml says about paths.
type PathTable struct {
	Closed            programs.Names `yaml:"closed"`
	Assumed           assumed        `yaml:"assumed"`
	Open              programs.Names `yaml:"open"`
	Secrets           programs.Names `yaml:"secrets"`
	SecretDirectories programs.Names `yaml:"secret_directories"`
	Plain             programs.Names `yaml:"plain"`
	Schemes           programs.Names `yaml:"schemes"`
}

// assumed are absolute directories that stand in for unknown ones.
type assumed struct {
	Home      string `yaml:"home"`      // of the call
	Homes     string `yaml:"homes"`     // the directory that holds those of others
	Directory string `yaml:"directory"` // where the command runs
}

// Paths is a PathTable, prepared for lookups.
type Paths struct {
	closed         []string
	assumed        assumed
	directories    spelling.Beginnings[string] // secret ones
	open, schemes  map[string]bool
	secrets, plain names
	examples       []string // of names that hold secrets
}

// names are patterns of names. Most are a literal name, a prefix or a suffix; those are indexed
// by their first and their last byte.
type names struct {
	exact          map[string]bool
	prefix, suffix [256][]string
	patterns       []pattern
	all            []string // as written, directories as well
}

// pattern is a path.Match pattern, with the bytes that every matching name contains.
type pattern struct {
	text  string
	needs bytesOf
}

func patternOf(text string) pattern {
	p := pattern{text: text}
	if !strings.ContainsAny(text, `[\`) { // otherwise the required bytes are not obvious
		p.needs = bytesIn(strings.NewReplacer("*", "", "?", "").Replace(text))
	}
	return p
}

// bytesOf is the set of bytes in a text, as a bit set of 64 that several bytes share.
type bytesOf uint64

func bytesIn(text string) (set bytesOf) {
	for i := range len(text) {
		set |= 1 << (text[i] % 64)
	}
	return set
}

// add adds what a file says about paths. It returns an error for an invalid pattern.
func (p *Paths) add(t PathTable) error {
	if p.open == nil {
		p.open, p.schemes = map[string]bool{}, map[string]bool{}
		p.secrets.exact, p.plain.exact = map[string]bool{}, map[string]bool{}
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
	p.examples = append(p.examples, examplesOf(t.Secrets)...)
	if strings.ContainsAny(strings.Join(t.Closed, ""), "0123456789") {
		return errors.New("a closed directory has a digit in its name, which a PID could match")
	}
	for _, name := range t.Open {
		p.open[name] = true
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
	return errors.Join(p.secrets.add(t.Secrets), p.plain.add(t.Plain))
}

func (n *names) add(patterns []string) error {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", pattern, err)
		}
		end, ok := strings.CutPrefix(pattern, "*")
		beginning, ok2 := strings.CutSuffix(pattern, "*")
		switch {
		case !strings.ContainsAny(pattern, `*?[\`):
			n.exact[pattern] = true
		case ok && end != "" && !strings.ContainsAny(end, `*?[\`):
			last := end[len(end)-1]
			n.suffix[last] = append(n.suffix[last], end)
		case ok2 && beginning != "" && !strings.ContainsAny(beginning, `*?[\`):
			n.prefix[beginning[0]] = append(n.prefix[beginning[0]], beginning)
		default:
			n.patterns = append(n.patterns, patternOf(pattern))
		}
	}
	return nil
}

func (n *names) has(name string) bool {
	if name == "" {
		return false
	}
	has := bytesIn(name)
	return n.exact[name] ||
		slices.ContainsFunc(n.suffix[name[len(name)-1]], func(end string) bool { return strings.HasSuffix(name, end) }) ||
		slices.ContainsFunc(n.prefix[name[0]], func(beginning string) bool { return strings.HasPrefix(name, beginning) }) ||
		slices.ContainsFunc(n.patterns, func(p pattern) bool {
			if p.needs&^has != 0 {
				return false
			}
			matched, err := path.Match(p.text, name)
			return matched || err != nil
		})
}

// The names of hazards of paths.
const (
	OptionClosed = "closed" // it is, or holds, a directory that is not everybody's
	optionSecret = "secret"
	// optionOutside is what a path outside the workspace is called, of kind elsewhere.
	optionOutside = "outside"
	kindElsewhere = "elsewhere"
)

// Surroundings are where a command would run: absolute directories, or "" if unknown.
type Surroundings struct {
	Dir, Home string
	Terminal  bool      // the output of the command may go to a terminal
	Typed     bool      // the input of the command may be typed at a terminal
	Grounds   [2]string // the workspace, under both of its paths
	Folds     bool      // file names are case-insensitive
	Blind     bool      // nothing can be looked up
	Host      *host.Watched
}

// own reports whether a path is in the workspace.
func (at *Surroundings) own(full string) bool {
	return host.Within(full, at.Home) || host.Within(full, at.Grounds[0]) || host.Within(full, at.Grounds[1])
}

// hazard returns the path hazard of a text: "", closed or secret. Parts of the text that may be
// paths count as well: what follows =, @, : or a comma, and what follows the letter of an option.
func (p *Paths) hazard(text string, at Surroundings) string {
	text = strings.TrimSuffix(text, argv.Tilde)
	if scheme, rest, isURL := strings.Cut(text, "://"); isURL {
		if strings.HasSuffix(strings.ToLower(scheme), "file") {
			text = "/" + strings.TrimLeft(rest, "/")
		} else if p.address(scheme, text, at) {
			return ""
		}
	}
	found := p.Path(text, at)
	if found == "" && strings.ContainsAny(text, "=@:,") {
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("=@:,", r) }) {
			if found = p.Path(part, at); found != "" {
				break
			}
		}
	}
	if found == "" && len(text) > 2 && text[0] == '-' && text[1] != '-' {
		found = p.Path(text[2:], at)
	}
	return found
}

// address reports whether a text with :// is the address of something other than a file: the
// scheme is known, and the text names no file by chance. As a path, it would lead through a
// directory named after the scheme, which does not exist, and it contains no "..".
func (p *Paths) address(scheme, text string, at Surroundings) bool {
	if i := strings.LastIndexAny(scheme, "=@,:"); i >= 0 {
		scheme, text = scheme[i+1:], text[i+1:] // as in --url=https://…
	}
	if !p.schemes[strings.ToLower(scheme)] || host.Climbs(text) {
		return false
	}
	// On another machine nobody can check, but hardly any has such a directory.
	return at.Dir == "" || at.Blind || at.Host.Kind(host.Join(path.Clean(at.Dir), scheme+":")) == host.KindMissing
}

// outside is the absolute path that a text is which leads out of the workspace, or "" for
// every other text. Where the workspace is unknown nothing is outside.
func (p *Paths) outside(text string, at Surroundings) string {
	full := p.full(text, at)
	if full == "" || at.Grounds[0] == "" || p.open[full] ||
		slices.ContainsFunc(at.Grounds[:], func(ground string) bool { return host.Within(full, ground) }) {
		return ""
	}
	return full
}

// full is the absolute path that a text is as a whole, as far as it is known: of one that is
// produced at run time it is the directory that it begins with.
func (p *Paths) full(text string, at Surroundings) string {
	text = strings.TrimSuffix(text, argv.Tilde)
	if known, _, made := strings.Cut(text, argv.Unknown); made {
		text = known[:strings.LastIndexByte(known, '/')+1]
	}
	switch {
	case text == "" || len(text) > host.MaxPath || strings.ContainsAny(text, "\n") || strings.Contains(text, "://"):
		return ""
	case text[0] == '/':
		return path.Clean(text)
	case text == "~" || strings.HasPrefix(text, "~/"):
		return path.Join(cmp.Or(at.Home, p.assumed.Home), text[1:])
	case text[0] == '~' && strings.Contains(text, "/"):
		return path.Join(p.assumed.Homes, text[1:])
	case at.Dir == "":
		return ""
	}
	return path.Join(at.Dir, text)
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
		if p.secretNumber(strings.ToLower(text)) {
			return optionSecret
		}
	}
	switch {
	case text == "" || len(text) > host.MaxPath || strings.Contains(text, "\n"):
		return ""
	case text[0] == '/':
		return p.Absolute(path.Clean(text), at)
	case text == "~" || strings.HasPrefix(text, "~/"):
		return p.Absolute(path.Join(cmp.Or(at.Home, p.assumed.Home), text[1:]), at)
	case text[0] == '~' && strings.Contains(text, "/"):
		return p.Absolute(path.Join(p.assumed.Homes, text[1:]), at)
	case p.secret(text):
		return optionSecret
	case host.Climbs(text):
		// A path with enough ".." reaches the root from any directory.
		return cmp.Or(p.Absolute(path.Join(cmp.Or(at.Dir, p.assumed.Directory), text), at),
			p.Absolute(path.Join("/", strings.TrimLeft(path.Clean(text), "./")), at))
	case at.Dir != "":
		return p.Absolute(path.Join(at.Dir, text), at)
	}
	return "" // it is in the working directory, whatever that is
}

// Absolute returns the path hazard of an absolute, clean path.
func (p *Paths) Absolute(full string, at Surroundings) string {
	switch {
	case p.secret(full):
		return optionSecret
	case at.own(full), p.open[full]:
		return ""
	case slices.ContainsFunc(p.closed, func(dir string) bool { return host.Encloses(full, dir, at.Folds) }):
		return OptionClosed // it is or contains a place that agents must not use freely
	}
	return ""
}

// Behind returns the hazard of what a link leads to, if it is one.
func (p *Paths) Behind(real string, at Surroundings) (gavel.Hazard, bool) {
	if option := p.Absolute(real, at); option != "" {
		return gavel.Hazard{Kind: "reads", Option: option, Real: real}, true
	}
	if p.outside(real, at) != "" {
		return gavel.Hazard{Kind: kindElsewhere, Option: optionOutside, Real: real}, true
	}
	return gavel.Hazard{}, false
}

// secret reports whether a path names a secret. A glob that begins with a dot may match any
// hidden file.
func (p *Paths) secret(full string) bool {
	lower := strings.ToLower(full)
	name := lower[strings.LastIndexByte(strings.TrimRight(lower, "/"), '/')+1:]
	name = strings.TrimRight(name, "/")
	if strings.HasPrefix(name, ".") && strings.ContainsAny(name, "*?[") {
		return true
	}
	if p.plain.has(name) {
		return false
	}
	return p.secrets.has(name) || p.inSecretDirectory(lower)
}

// inSecretDirectory reports whether a lower-case path leads through a secret directory.
func (p *Paths) inSecretDirectory(lower string) bool {
	for rest, more := lower, true; more; {
		name, after, below := strings.Cut(rest, "/")
		if slices.ContainsFunc(p.directories.Of(name), func(dir string) bool { return host.Within(rest, dir) }) {
			return true
		}
		rest, more = after, below
	}
	return false
}

// FitsSecret reports whether a pattern of the shell's seems made to match a name that
// holds secrets. Of one that only says how names end, such as *.json, that ending decides.
func (p *Paths) FitsSecret(pattern string) bool {
	lower := strings.ToLower(pattern)
	if end, ok := strings.CutPrefix(lower, "*"); ok && !strings.ContainsAny(end, `*?[\`) && (end == "" || end[0] == '.') {
		return slices.ContainsFunc([]string{"x", "key", "private"}, func(name string) bool { return p.secret(name + end) })
	}
	if strings.Trim(lower, "*?") == "" {
		return true // nothing of the name is said
	}
	return slices.ContainsFunc(p.examples, func(name string) bool {
		fits, err := path.Match(lower, name)
		return fits || err != nil
	})
}

// examplesOf are names that patterns match: with nothing, and with a letter in the place
// of each wildcard.
func examplesOf(patterns []string) (list []string) {
	for _, one := range patterns {
		list = append(list, strings.NewReplacer("*", "", "?", "x").Replace(one), strings.NewReplacer("*", "x", "?", "x").Replace(one))
	}
	return list
}
