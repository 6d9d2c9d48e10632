package runner

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel"
)

// Base is the environment that commands start from: these variables and no others.
type Base struct {
	Path                                 []string // directories; nil means those of the system
	Home, User, Lang, LCAll, Term, TZone string
}

// SystemPath lists the directories in which programs are looked up by default.
func SystemPath() []string { return []string{"/usr/local/bin", "/usr/bin", "/bin"} }

// BaseOf returns the base with the values of an environment. The user comes from the system.
func BaseOf(getenv func(string) string) Base {
	b := Base{Home: getenv("HOME"), Lang: getenv("LANG"), LCAll: getenv("LC_ALL"), Term: getenv("TERM"), TZone: getenv("TZ")}
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if filepath.IsAbs(dir) {
			b.Path = append(b.Path, filepath.Clean(dir))
		}
	}
	me, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err == nil {
		b.User = me.Username
		if !filepath.IsAbs(b.Home) {
			b.Home = me.HomeDir
		}
	}
	return b
}

// environ returns the environment of a command: the base, and the variables of the decision. left
// lists the blocked variables that were left out, sorted.
func (r *Runner) environ(do *gavel.Exec) (environ, left []string, err error) {
	base := r.cfg.Base
	path := base.Path
	if path == nil {
		path = SystemPath()
	}
	list := map[string]string{"PATH": strings.Join(slices.Concat(do.PathPrepend, path), ":")}
	for name, value := range map[string]string{"HOME": base.Home, "USER": base.User, "LOGNAME": base.User, "LANG": base.Lang,
		"LC_ALL": base.LCAll, "TERM": base.Term, "TZ": base.TZone} {
		if value != "" {
			list[name] = value
		}
	}
	if len(do.Env) > 0 {
		blocked, err := r.cfg.Blocked()
		if err != nil {
			return nil, nil, &Refusal{Code: CodeEnvironment, Message: "the list of blocked variables cannot be read: " + err.Error()}
		}
		for name, value := range do.Env {
			if !isName(name) || strings.ContainsRune(value, 0) {
				return nil, nil, &Refusal{Code: CodeEnvironment, Message: fmt.Sprintf("%q is not the name of a variable, or its value has a zero byte", name)}
			}
			if blocked.Has(name) {
				left = append(left, name)
				continue
			}
			list[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		environ = append(environ, name+"="+list[name])
	}
	slices.Sort(left)
	return environ, left, nil
}

func isName(name string) bool {
	for i, c := range []byte(name) {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// Blocked are the variables that no call may set, whatever was decided. They come from the
// policy's catalog.
type Blocked struct {
	Names    map[string]bool `yaml:"blocked"`
	Prefixes []string        `yaml:"prefixes"`
	Suffixes []string        `yaml:"suffixes"`
}

// ReadBlocked reads them from the catalog's page about variables.
func ReadBlocked(page []byte) (*Blocked, error) {
	var b Blocked
	if err := yaml.Unmarshal(page, &b); err != nil {
		return nil, err
	}
	if len(b.Names) == 0 || len(b.Prefixes) == 0 || len(b.Suffixes) == 0 {
		return nil, errors.New("it lists no variables")
	}
	return &b, nil
}

// Has reports whether a variable is blocked, in whatever case its name is written.
func (b *Blocked) Has(name string) bool { return b.HasExactly(strings.ToUpper(name)) }

// HasExactly reports whether a variable is blocked by the name as it is written.
func (b *Blocked) HasExactly(name string) bool {
	return b.Names[name] || slices.ContainsFunc(b.Prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) ||
		slices.ContainsFunc(b.Suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}
