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

// Values lists the variables whose values are facts: those with harmless values that the rules list, and
// those that hold directories, separated by colons.
type Values struct {
	Known, Paths map[string]bool
}

// assignedValue is an assignment with the value that is a fact.
type assignedValue struct {
	shell.Assignment
	to     shell.Span // the segments that get the variable, if not all do
	value  string
	places []string
	code   []string
}

func assignedValues(list []shell.Assignment) []assignedValue {
	all := make([]assignedValue, len(list))
	for i := range list {
		all[i].Assignment = list[i]
	}
	return all
}

// completeValues completes the variables whose values are facts.
func (u *unwrapper) completeValues() {
	for i := range u.values {
		item := &u.values[i]
		if !item.Known || item.Value.IsPrefix {
			continue
		}
		if u.Values.Known[item.Name] {
			item.value = item.Value.Text
		}
		if u.Values.Paths[item.Name] {
			item.places, item.code = u.placesOf(item.Value.Text, item.to), u.codeIn(item.to)
		}
	}
}

// placesOf returns the directories that a value lists, by their real paths; nil if one of them is
// unknown, or segments that get it run in several places.
func (u *unwrapper) placesOf(value string, to shell.Span) (places []string) {
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
func (u *unwrapper) codeIn(span shell.Span) (code []string) {
	for i := span.Start; i < span.End && i < len(u.list); i++ {
		one := u.codeOfWorkspace(&u.list[i])
		if one == nil {
			return nil
		}
		code = append(code, one...)
	}
	return spelling.Tidy(code)
}

// assignments returns what is known about the variables that a call sets: sorted, without
// duplicates, and exported if any assignment is exported.
func assignments(list []assignedValue, all bool) []gavel.Assignment {
	exported := map[string]bool{}
	for _, item := range list {
		exported[item.Name] = exported[item.Name] || item.Exported || all
	}
	facts := make([]gavel.Assignment, len(list))
	for i, item := range list {
		facts[i] = gavel.Assignment{Name: item.Name, Form: item.Form, Exported: exported[item.Name], Shell: item.Shell, Value: item.value,
			Places: append([]string{}, item.places...), Code: append([]string{}, item.code...)}
	}
	slices.SortStableFunc(facts, func(a, b gavel.Assignment) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Form, b.Form), strings.Compare(a.Shell, b.Shell), strings.Compare(a.Value, b.Value),
			slices.Compare(a.Places, b.Places), slices.Compare(a.Code, b.Code))
	})
	return slices.CompactFunc(facts, func(a, b gavel.Assignment) bool { return reflect.DeepEqual(a, b) })
}
