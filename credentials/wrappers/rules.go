package wrappers

import (
	"fmt"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/internal/nearest"
)

// The default messages of rules.
const (
	TextBlocked    = "operation blocked by security policy"
	TextNotAllowed = "operation not in allowlist"
)

// The ways in which a rule matches.
const (
	MatchArg     = "arg"
	MatchCommand = "command"
	MatchArgv    = "argv"
)

func (t *toolReader) mode(tool *Tool) {
	switch mode := t.text("mode"); mode {
	case "", "blocklist":
	case "allowlist":
		tool.Allowlist = true
	default:
		t.problem(t.values["mode"], t.in("mode"), nearest.Name(mode, []string{"blocklist", "allowlist"}), "use blocklist or allowlist", "%q is not a mode", mode)
	}
	tool.Blocked = t.rules("blocked_args", MatchArg, MatchCommand)
	tool.Allowed = t.rules("allowed_args", MatchArg, MatchCommand, MatchArgv)
	switch {
	case tool.Allowlist && !t.has("allowed_args"):
		t.problem(t.node, t.in("allowed_args"), "", "add rules, or remove mode", "mode is allowlist, and there are no allowed_args")
	case !tool.Allowlist && t.has("allowed_args"):
		t.problem(t.keys["allowed_args"], t.in("allowed_args"), "", "set mode: allowlist", "allowed_args count only with mode: allowlist")
	}
	t.guessed(tool)
}

// guessed warns of rules that need to know which word is a sub-command, for a program of which that
// is unknown.
func (t *toolReader) guessed(tool *Tool) {
	by := func(rule Rule) bool { return rule.Match == MatchArg }
	if tool.Binary == "" || !slices.ContainsFunc(tool.Allowed, by) || t.catalog.Known(tool.Binary) {
		return
	}
	t.warn(t.keys["allowed_args"], t.in("allowed_args"), "use match: argv, with one pattern for each argument",
		"%s is not in the catalog of programs: match: arg takes either of its first two words for a sub-command, so that ^list$ also permits delete list", filepath.Base(tool.Binary))
}

func (t *toolReader) rules(key string, modes ...string) (rules []Rule) {
	for i, item := range t.list(key) {
		path := fmt.Sprintf("%s[%d]", t.in(key), i)
		o := t.object.object(item, path, "pattern", "message", "match", "argv")
		rule := Rule{Pattern: o.text("pattern"), Match: o.text("match"), Message: o.text("message")}
		if rule.Match == "" {
			rule.Match = MatchArg
		}
		if !slices.Contains(modes, rule.Match) {
			t.problem(o.values["match"], o.in("match"), nearest.Name(rule.Match, modes), "use one of "+strings.Join(modes, ", "), "%q is not a way to match", rule.Match)
			continue
		}
		if rule.Match == MatchArgv {
			rule.Argv = o.texts("argv")
			if len(rule.Argv) == 0 || o.has("pattern") {
				t.problem(item, path, "", "write one pattern for each argument in argv, and no pattern", "match: argv needs argv, and nothing else")
			}
			for _, pattern := range rule.Argv {
				t.compiles(item, path, pattern)
			}
		} else {
			if o.has("argv") {
				t.problem(o.keys["argv"], o.in("argv"), "", "set match: argv", "argv is only valid with match: argv")
			}
			if rule.Pattern == "" {
				t.problem(item, path, "", "write one", "there is no pattern")
			}
			t.compiles(item, path, rule.Pattern)
		}
		rules = append(rules, rule)
	}
	return rules
}

// compiles checks a pattern by itself, so that its brackets are its own.
func (t *toolReader) compiles(at *yaml.Node, path, pattern string) {
	const longest = 1024
	if len(pattern) > longest {
		t.problem(at, path, "", "write several", "the pattern is longer than %d bytes", longest)
		return
	}
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		t.problem(at, path, "", "write a regular expression as Go and RE2 read it", "the pattern %q cannot be used: %s", pattern, err)
	}
}
