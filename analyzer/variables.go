package analyzer

import (
	"cmp"
	"slices"
	"strings"

	"gavel/analyzer/spelling"

	"gavel"
)

// exporting reports whether a shell was started so that it exports whatever is set.
func exporting(argv []string) bool {
	return slices.ContainsFunc(argv[1:], func(word string) bool {
		short := strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "a")
		return short || word == "allexport"
	})
}

// wrapped notes the variables that a wrapper's own words set or take away.
func (u *unfolder) wrapped(words []word, names []string) {
	u.names = append(u.names, names...)
	for _, name := range names {
		form := formNone
		for i := range words {
			text := words[i].text
			if words[i].dynamic {
				text = words[i].prefix
			}
			value, found := strings.CutPrefix(text, name+"=")
			switch {
			case found && words[i].dynamic:
				form = words[i].form()
			case found:
				form = formOf(value)
			default:
				continue
			}
			u.values = append(u.values, assignment{name: name, form: form, exported: true, number: !words[i].dynamic && spelling.Digits(value)})
		}
		if form == formNone {
			u.values = append(u.values, assignment{name: name, form: form, exported: true})
		}
	}
}

// assignments returns what is known of the variables that a call sets: sorted, each
// once, and exported where any place says so.
func assignments(list []assignment, all bool) []gavel.Assignment {
	exported := map[string]bool{}
	for _, one := range list {
		exported[one.name] = exported[one.name] || one.exported || all
	}
	facts := make([]gavel.Assignment, len(list))
	for i, one := range list {
		facts[i] = gavel.Assignment{Name: one.name, Form: one.form, Exported: exported[one.name], Shell: one.shell}
	}
	slices.SortFunc(facts, func(a, b gavel.Assignment) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Form, b.Form), strings.Compare(a.Shell, b.Shell))
	})
	return slices.Compact(facts)
}

// sets notes variables that a command of the shell sets or takes away.
func (u *unfolder) sets(names []string, form string) {
	u.names = append(u.names, names...)
	for _, name := range names {
		u.values = append(u.values, assignment{name: name, form: form, shell: u.told})
	}
}

// evaluated refuses a command of the shell that would evaluate one of its words, as a
// number or as the name of a variable, where the word has something in it that would run.
// There may be programs of these names, which evaluate nothing; a shell that is given the
// bare name runs its own command all the same.
func (u *unfolder) evaluated(c call, own Builtin) {
	if slices.Contains([]string{"any", "directory", wordsQuery, "trap"}, own.Words) {
		return
	}
	words := unprefixed(c.words)
	names := slices.Contains([]string{"test", "["}, words[0].text)
	if own.Words == "" && !names && !setsVariables(words) {
		return
	}
	for i := 1; i < len(words); i++ {
		if names && words[i-1].text != "-v" {
			continue
		}
		if words[i].form() == formEvaluates {
			u.refuse(c, kindEvaluated, excerpt(words[i].text)+" as a word of "+words[0].text)
		}
	}
}

// computed refuses arithmetic with a variable that the command gives anything but numbers.
func (u *unfolder) computed() {
	if len(u.computes) == 0 || u.refusal != nil {
		return
	}
	other := map[string]bool{}
	for _, one := range u.values {
		other[one.name] = other[one.name] || !one.number && one.form != formNone
	}
	for _, c := range u.computes {
		if other[c.name] {
			u.refusal = refusal(u.text, kindConstruct, "arithmetic with "+excerpt(c.name)+", which is given something else than numbers", 0, len(u.text))
			return
		}
	}
}

// setter notes what a command of a shell sets that there may be a program for. One
// that is told its names at run time is opaque.
func (u *unfolder) setter(c call) (node, bool) {
	names, unknown := setter(c.words)
	u.sets(names, formDynamic)
	if !unknown || c.words[0].text == "command" || c.words[0].text == "builtin" {
		return node{}, false
	}
	program, found := u.resolve(c.words[0].text, c.dir)
	return u.segment(c, u.executableOf(c.words[0].text, program, found), c.words[0].text+" of a name that is made at run time"), true
}
