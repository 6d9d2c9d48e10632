package unwrap

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// Values are the variables whose values are facts: those of which some values are known to be harmless,
// and those that hold directories, separated by colons.
type Values struct {
	Known, Paths map[string]bool
}

// assigned is a variable with the value that a text gives it.
type assigned struct {
	shell.Assignment
	to     shell.Span // the segments that get it, if only some do
	value  string
	places []string
	code   []string
}

func assignedOf(list []shell.Assignment) []assigned {
	all := make([]assigned, len(list))
	for i := range list {
		all[i].Assignment = list[i]
	}
	return all
}

// valued completes the variables whose values are facts.
func (u *unfolder) valued() {
	for i := range u.values {
		one := &u.values[i]
		if !one.Known || one.Value.IsPrefix {
			continue
		}
		if u.Values.Known[one.Name] {
			one.value = one.Value.Text
		}
		if u.Values.Paths[one.Name] {
			one.places, one.code = u.placesOf(one.Value.Text, one.to), u.codeIn(one.to)
		}
	}
}

// placesOf returns the directories that a value lists, by their real paths; nil if one of them is
// unknown, or segments that get it run in several places.
func (u *unfolder) placesOf(value string, to shell.Span) (places []string) {
	if to.Start >= to.End || to.End > len(u.list) {
		return nil
	}
	dir := u.list[to.Start].Cwd
	for _, s := range u.list[to.Start:to.End] {
		if s.Cwd != dir {
			return nil
		}
	}
	for _, part := range strings.Split(value, ":") {
		if part == "" {
			part = "." // as python reads it
		}
		full := host.In(dir, part)
		if full == "" || strings.HasPrefix(part, "~") {
			return nil
		}
		real, ok := u.Host.Resolve(full)
		if !ok {
			return nil
		}
		places = append(places, real)
	}
	return spelling.Tidy(places)
}

// codeIn returns the code of the workspace that segments run; nil if one of them does anything else.
func (u *unfolder) codeIn(span shell.Span) (code []string) {
	for i := span.Start; i < span.End && i < len(u.list); i++ {
		one := u.codeOfWorkspace(&u.list[i])
		if one == "" {
			return nil
		}
		code = append(code, one)
	}
	return spelling.Tidy(code)
}

// assignments returns what is known about the variables that a call sets: sorted, without
// duplicates, and exported if any assignment is exported.
func assignments(list []assigned, all bool) []gavel.Assignment {
	exported := map[string]bool{}
	for _, one := range list {
		exported[one.Name] = exported[one.Name] || one.Exported || all
	}
	facts := make([]gavel.Assignment, len(list))
	for i, one := range list {
		facts[i] = gavel.Assignment{Name: one.Name, Form: one.Form, Exported: exported[one.Name], Shell: one.Shell, Value: one.value,
			Places: append([]string{}, one.places...), Code: append([]string{}, one.code...)}
	}
	slices.SortStableFunc(facts, func(a, b gavel.Assignment) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Form, b.Form), strings.Compare(a.Shell, b.Shell), strings.Compare(a.Value, b.Value),
			slices.Compare(a.Places, b.Places), slices.Compare(a.Code, b.Code))
	})
	return slices.CompactFunc(facts, func(a, b gavel.Assignment) bool { return reflect.DeepEqual(a, b) })
}
