package analyzer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gavel/analyzer/argv"
)

// everywhere are the rules that hold behind sub-commands as well: those that do not
// depend on how many words there are.
func (v *vocabulary) everywhere() []rule {
	return slices.DeleteFunc(slices.Clone(v.Rules), func(r rule) bool { return r.FewerOperandsThan > 0 || r.Operand > 0 || r.OperandsFrom > 0 })
}

// compileCommands gives the sub-commands what holds behind them. One that has several
// names is compiled once.
func (v *vocabulary) compileCommands() error {
	var inherited map[string]argv.Option
	var rules []rule
	if v.Global {
		inherited, rules = v.listed, v.everywhere()
	}
	for name, command := range v.Commands {
		if command.nested {
			continue
		}
		command.nested = true
		command.Style = cmp.Or(command.Style, v.Style)
		if v.Global {
			command.Global, command.Closed, command.Ahead = true, v.Closed || command.Closed, v.Ahead
			command.Rules = slices.Concat(command.Rules, rules)
		}
		if err := command.compile(inherited); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// ahead looks at the options before the sub-command, and reports whether it is certain
// that none of them takes it for its value.
func (f *finder) ahead(v *vocabulary, args argv.Reading) (sure bool) {
	sure = !args.Uncertain
	if len(v.Ahead) == 0 {
		return sure
	}
	for _, g := range args.Options {
		if g.Abbreviated || !slices.Contains(v.Ahead, g.Name) {
			f.add(hazardUnknown, g.Name, g.Value, g.Index)
			sure = false
		}
	}
	return sure
}

func (f *finder) subCommand(v *vocabulary, name string, word argv.Operand, words []string, base int) {
	if v.nested {
		name += " " + word.Text
	} else {
		name = word.Text
	}
	if command, known := v.Commands[word.Text]; known {
		f.command(command, name, word.Index, words, base)
		return
	}
	if strings.Contains(word.Text, argv.Unknown) {
		f.add(hazardUnknown, hazardDynamic, word.Text, word.Index)
	}
	if v.Others != "" {
		f.add(v.Others, name, "", word.Index)
	}
	f.command(&vocabulary{Style: v.Style, Closed: v.Global && v.Closed, listed: v.listed}, name, word.Index, words, base)
}
