package hazard

import (
	"cmp"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
)

// inheritedRules returns the rules that also apply after sub-commands: those that do not count operands.
func (v *Vocabulary) inheritedRules() []rule {
	return slices.DeleteFunc(slices.Clone(v.rules), func(r rule) bool { return r.FewerOperandsThan > 0 || r.Operand > 0 || r.OperandsFrom > 0 })
}

// compileCommands passes inherited rules and options on to the sub-commands. A sub-command with
// several names is compiled once.
func (v *Vocabulary) compileCommands() {
	var inherited map[string]argv.Option
	var rules []rule
	if v.optionsInherited {
		inherited, rules = v.options, v.inheritedRules()
	}
	for _, command := range v.subcommands {
		if command.isSubcommand {
			continue
		}
		command.isSubcommand = true
		command.style, command.shortEquals = cmp.Or(command.style, v.style), command.shortEquals || v.shortEquals
		if v.optionsInherited {
			command.optionsInherited, command.listsEveryOption, command.sameBefore = true, v.listsEveryOption || command.listsEveryOption, v.sameBefore
			command.rules = slices.Concat(command.rules, rules)
			command.textOptions = command.inherit(command.textOptions, v.textOptions)
			command.fileHazards = command.inherit(command.fileHazards, v.fileHazards)
		}
		command.compile(inherited)
	}
}

// inherit adds to a list of options those of the command above that this command does not list itself.
func (v *Vocabulary) inherit(list, above []string) []string {
	for _, name := range above {
		if _, own := v.options[name]; !own {
			list = append(list, name)
		}
	}
	return list
}

// checkOptionsBefore checks the options before the sub-command, and reports whether certainly none of them
// takes it as its value.
func (f *finder) checkOptionsBefore(v *Vocabulary, args argv.Reading) (sure bool) {
	sure = !args.Uncertain
	if len(v.sameBefore) == 0 {
		return sure
	}
	for _, g := range args.Options {
		if g.Abbreviated || !slices.Contains(v.sameBefore, g.Name) {
			f.add(kindUnknown, g.Name, g.Value, g.Index)
			sure = false
		}
	}
	return sure
}

// checkSubcommand checks the words of a sub-command. name is the name of the command above it.
func (f *finder) checkSubcommand(v *Vocabulary, name string, word argv.Operand, words []string, base int) {
	if v.isSubcommand {
		name += " " + word.Text
	} else {
		name = word.Text
	}
	if command, known := v.subcommands[word.Text]; known {
		f.checkCommand(command, name, word.Index, words, base)
		return
	}
	if strings.Contains(word.Text, argv.Unknown) {
		f.add(kindUnknown, optionDynamic, word.Text, word.Index)
	}
	if v.otherSubcommands != "" {
		f.add(v.otherSubcommands, name, "", word.Index)
	}
	rest := &Vocabulary{style: v.style, shortEquals: v.shortEquals, listsEveryOption: v.optionsInherited && v.listsEveryOption, options: v.options}
	if v.otherSubcommands == kindWrites {
		rest.changes = []programs.ChangedFiles{{Words: true, Below: programs.BelowSome}}
	}
	f.checkCommand(rest, name, word.Index, words, base)
}
