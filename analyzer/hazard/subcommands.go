package hazard

import (
	"cmp"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
)

// everywhere returns the rules that also hold after sub-commands: those that do not count words.
func (v *Vocabulary) everywhere() []rule {
	return slices.DeleteFunc(slices.Clone(v.rules), func(r rule) bool { return r.FewerOperandsThan > 0 || r.Operand > 0 || r.OperandsFrom > 0 })
}

// compileCommands passes inherited rules and options on to the sub-commands. A sub-command with
// several names is compiled once.
func (v *Vocabulary) compileCommands() {
	var inherited map[string]argv.Option
	var rules []rule
	if v.global {
		inherited, rules = v.listed, v.everywhere()
	}
	for _, command := range v.commands {
		if command.nested {
			continue
		}
		command.nested = true
		command.style, command.equals = cmp.Or(command.style, v.style), command.equals || v.equals
		if v.global {
			command.global, command.closed, command.ahead = true, v.closed || command.closed, v.ahead
			command.rules = slices.Concat(command.rules, rules)
			command.texts = command.inherits(command.texts, v.texts)
			command.paths = command.inherits(command.paths, v.paths)
		}
		command.compile(inherited)
	}
}

// inherits adds to a list of options those of a list of the command above that are not options of
// this command.
func (v *Vocabulary) inherits(list, above []string) []string {
	for _, name := range above {
		if _, own := v.listed[name]; !own {
			list = append(list, name)
		}
	}
	return list
}

// ahead checks the options before the sub-command, and reports whether certainly none of them
// takes it as its value.
func (f *finder) ahead(v *Vocabulary, args argv.Reading) (sure bool) {
	sure = !args.Uncertain
	if len(v.ahead) == 0 {
		return sure
	}
	for _, g := range args.Options {
		if g.Abbreviated || !slices.Contains(v.ahead, g.Name) {
			f.add(kindUnknown, g.Name, g.Value, g.Index)
			sure = false
		}
	}
	return sure
}

func (f *finder) subCommand(v *Vocabulary, name string, word argv.Operand, words []string, base int) {
	if v.nested {
		name += " " + word.Text
	} else {
		name = word.Text
	}
	if command, known := v.commands[word.Text]; known {
		f.command(command, name, word.Index, words, base)
		return
	}
	if strings.Contains(word.Text, argv.Unknown) {
		f.add(kindUnknown, optionDynamic, word.Text, word.Index)
	}
	if v.others != "" {
		f.add(v.others, name, "", word.Index)
	}
	rest := &Vocabulary{style: v.style, equals: v.equals, closed: v.global && v.closed, listed: v.listed}
	if v.others == kindWrites {
		rest.changes = []programs.ChangedFiles{{Words: true, Below: programs.BelowSome}}
	}
	f.command(rest, name, word.Index, words, base)
}
