package programs

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Kinds are the kinds of hazard, as data.gavel.catalog.exec.hazards has them.
func Kinds() []string {
	return []string{"runs", "inline", "program", "code", "writes", "reads", "network", "loads", "directory", "secrets", "project", "signals", "unbounded", "unknown", "unread"}
}

// RenamedKind returns the present name of a kind of hazard that an earlier version called otherwise,
// and "" for any other name.
func RenamedKind(name string) string {
	if name == "lasts" {
		return "unbounded"
	}
	return ""
}

// check reports what is wrong with an entry on its own.
func (e *Entry) check() error {
	var errs []error
	for _, name := range e.Names() {
		if name == "" || name != strings.ToLower(name) || strings.Contains(name, "/") {
			errs = append(errs, fmt.Errorf("the name %q is not a base name in lower case", name))
		}
	}
	if !slices.Contains([]string{"", "builtin", "shell", "carrier"}, e.Opaque) {
		errs = append(errs, fmt.Errorf("opaque is %q: want builtin, shell or carrier", e.Opaque))
	}
	if slices.Contains([]string{"shell", "carrier"}, e.Opaque) && !e.Described {
		errs = append(errs, errors.New("a shell or a carrier needs described: true, and always: runs if nothing else is known about its arguments"))
	}
	if e.Like != "" && (!e.Described || e.Like == e.Name) {
		errs = append(errs, errors.New("like is for an entry with described, and names another one"))
	}
	return errors.Join(append(errs, e.Grammar.check(&e.Grammar), e.checkRoles(), e.InShell.check())...)
}

func (e *Entry) checkRoles() error {
	switch {
	case e.Opaque != "" && e.Wrapper != nil:
		return errors.New("a program that is opaque is not a wrapper")
	case e.Embeds != nil && (e.Wrapper != nil || len(e.Embeds.Commands) == 0):
		return errors.New("a program that embeds commands is not a wrapper, and has words for them")
	case e.Runner != nil && (e.Wrapper != nil || e.Runner.Tools == "" || e.Runner.Tools != path.Clean(e.Runner.Tools) || path.IsAbs(e.Runner.Tools)):
		return errors.New("a runner is not a wrapper, and has a directory of tools")
	case e.ActsByName != nil && len(e.ActsByName.Names) == 0 && e.ActsByName.MarkerFile == "":
		return errors.New("a program that its name decides what it does has names or a place")
	}
	return nil
}

// check reports what is wrong with a grammar; root is the grammar of the program itself.
func (g *Grammar) check(root *Grammar) error {
	var errs []error
	if !slices.Contains([]string{"", "single_dash", "predicates"}, g.Style) {
		errs = append(errs, fmt.Errorf("unknown style %q", g.Style))
	}
	for _, kind := range []string{g.Always, g.OtherSubcommands} {
		if kind != "" && !slices.Contains(Kinds(), kind) {
			errs = append(errs, fmt.Errorf("unknown kind %q", kind))
		}
	}
	for _, r := range g.Rules {
		if !slices.Contains(Kinds(), r.Means) || r.HazardName == "" {
			errs = append(errs, fmt.Errorf("rule %q needs a known kind and a name", r.HazardName))
		}
	}
	for i := range g.Changes {
		errs = append(errs, g.Changes[i].check())
	}
	return errors.Join(append(errs, checkOptions(g.Options), g.Settings.check(), g.checkSubcommands(root))...)
}

func checkOptions(options []Option) error {
	seen := map[string]bool{}
	for _, o := range options {
		if len(o.Names) == 0 {
			return errors.New("an option has no name")
		}
		for _, name := range o.Names {
			if seen[name] || len(name) < 2 || name[0] != '-' || strings.ContainsAny(name, "= ") {
				return fmt.Errorf("option %s occurs twice, or is not an option", name)
			}
			seen[name] = true
		}
		if err := o.check(); err != nil {
			return fmt.Errorf("option %s: %w", o.Names[0], err)
		}
	}
	return nil
}

func (o *Option) check() error {
	if !slices.Contains([]Value{ValueNone, ValueOptional, ValueRequired, ValuePair, ValueUnknown}, o.Value) {
		return fmt.Errorf("value is %q: want none, optional, required, pair or unknown", o.Value)
	}
	kinds := 0
	for _, kind := range o.Means {
		if !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("unknown kind %q", kind)
		}
		if kind != "program" {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return errors.New("means has more than one kind, and program")
	case !slices.Contains([]string{"", "allowed", "without_value", "denied"}, o.SafeBin):
		return fmt.Errorf("safe_bin is %q: want allowed, without_value or denied", o.SafeBin)
	case !slices.Contains([]string{"", "flag", "number", "text", "option_word"}, o.Builtin):
		return fmt.Errorf("builtin is %q: want flag, number, text or option_word", o.Builtin)
	case o.Wrapper && o.Value == ValueUnknown, o.SafeBin == "allowed" && o.Value == ValueUnknown:
		return errors.New("its value is unknown, so it cannot be allowed")
	case !o.Wrapper && (o.UnsetsVariable || o.ReplacesWords || o.LimitsWords || o.Login || o.NoProfile || o.MinusOnly):
		return errors.New("what it does as an option of the wrapper needs wrapper: true")
	}
	return nil
}

func (g *Grammar) checkSubcommands(root *Grammar) error {
	seen := map[string]bool{}
	for _, name := range g.HarmlessSubcommands {
		if seen[name] {
			return fmt.Errorf("sub-command %s occurs twice", name)
		}
		seen[name] = true
	}
	for _, name := range g.SortedSubcommands() {
		sub := g.Subcommands[name]
		if sub == nil {
			return fmt.Errorf("sub-command %s is empty", name)
		}
		for _, known := range append([]string{name}, sub.Aliases...) {
			if seen[known] {
				return fmt.Errorf("sub-command %s occurs twice", known)
			}
			seen[known] = true
		}
		if other := root.At(strings.Fields(sub.Like)...); sub.Like != "" && (other == nil || other == &sub.Grammar) {
			return fmt.Errorf("sub-command %s: like names %s, which is not a sub-command", name, sub.Like)
		}
		if err := sub.Grammar.check(root); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
