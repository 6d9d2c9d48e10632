package unwrap

import (
	"gavel/analyzer/argv"
	"slices"
	"strings"

	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// exporting reports whether a shell was started so that it exports every variable that is set.
func (w *wrapper) exporting(own []string) bool {
	read := w.options.Read(own[1:], 1)
	return slices.ContainsFunc(read.Options, func(o argv.GivenOption) bool { return o.Name == "-a" && !o.Plus || o.Value == "allexport" })
}

// recordWrapperVariables records the variables that a wrapper's own words set or unset.
func (u *unwrapper) recordWrapperVariables(words []shell.Word, names []string) {
	u.names = append(u.names, names...)
	for _, name := range names {
		form := shell.FormNone
		for i := range words {
			text := words[i].Text
			if words[i].Dynamic {
				text = words[i].Prefix
			}
			value, found := strings.CutPrefix(text, name+"=")
			switch {
			case found && words[i].Dynamic:
				form = words[i].Form()
			case found:
				form = shell.FormOf(value)
			default:
				continue
			}
			u.values = append(u.values, assignedValue{Assignment: shell.Assignment{Name: name, Form: form, Exported: true, Number: !words[i].Dynamic && spelling.Digits(value)}})
		}
		if form == shell.FormNone {
			u.values = append(u.values, assignedValue{Assignment: shell.Assignment{Name: name, Form: form, Exported: true}})
		}
	}
}

// recordBuiltinVariables records variables that a builtin sets or unsets.
func (u *unwrapper) recordBuiltinVariables(names []string, form string) {
	u.names = append(u.names, names...)
	for _, name := range names {
		u.values = append(u.values, assignedValue{Assignment: shell.Assignment{Name: name, Form: form, Shell: u.namedShell}})
	}
}

// refuseEvaluated refuses a builtin that would evaluate one of its words, as a number or as the name of
// a variable, if the word contains something that would run. A program of the same name would
// evaluate nothing, but a shell that gets the bare name runs its builtin.
func (u *unwrapper) refuseEvaluated(c call, own builtin) {
	if slices.Contains([]string{"any", "directory", wordsQuery, "trap"}, own.Words) {
		return
	}
	words := u.Effects.Unprefixed(c.words)
	after := u.Effects.EvaluatesAfter(words[0].Text)
	if own.Words == "" && len(after) == 0 && !u.Effects.SetsVariables(words) {
		return
	}
	for i := 1; i < len(words); i++ {
		if len(after) > 0 && !slices.Contains(after, words[i-1].Text) {
			continue
		}
		if words[i].Form() == shell.FormEvaluates {
			u.refuse(c, shell.KindEvaluated, shell.Excerpt(words[i].Text)+" as a word of "+words[0].Text)
		}
	}
}

// refuseArithmetic refuses arithmetic on a variable to which the command assigns anything but numbers.
func (u *unwrapper) refuseArithmetic() {
	if len(u.computes) == 0 || u.refusal != nil {
		return
	}
	other := map[string]bool{}
	for _, item := range u.values {
		other[item.Name] = other[item.Name] || !item.Number && item.Form != shell.FormNone
	}
	for _, c := range u.computes {
		if other[c.Name] {
			u.refusal = shell.Refuse(u.text, shell.KindConstruct, "arithmetic with "+shell.Excerpt(c.Name)+", whose values are not only numbers", 0, len(u.text))
			return
		}
	}
}

// unwrapSetter records what a builtin sets, even if there is a program of the same name. A builtin
// whose variable names are produced at run time is opaque.
func (u *unwrapper) unwrapSetter(c call) (node, bool) {
	names, unknown := u.Effects.VariablesSet(c.words)
	u.recordBuiltinVariables(names, shell.FormDynamic)
	if !unknown || u.Effects.BeforeBuiltin(c.words[0].Text) {
		return node{}, false
	}
	program, found := u.Resolve(c.words[0].Text, c.dir)
	return u.segment(c, u.executableOf(c.words[0].Text, program, found), c.words[0].Text+" of a name produced at run time"), true
}
