package analyzer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// everywhere are the rules that hold behind sub-commands as well: those that do not
// depend on how many words there are.
func (v *vocabulary) everywhere() []rule {
	return slices.DeleteFunc(slices.Clone(v.Rules), func(r rule) bool { return r.Below > 0 || r.Only > 0 || r.From > 0 })
}

func (v *vocabulary) compileCommands() error {
	var inherited map[string]option
	var rules []rule
	if v.Global {
		inherited, rules = v.listed, v.everywhere()
	}
	commands := map[string]*vocabulary{}
	add := func(name string, command *vocabulary) error {
		if _, twice := commands[name]; twice {
			return fmt.Errorf("command %s is there twice", name)
		}
		commands[name] = command
		command.nested = true
		return nil
	}
	for _, name := range v.Safe {
		command := &vocabulary{Style: v.Style, Global: v.Global, Closed: v.Global && v.Closed, Rules: rules}
		if err := errors.Join(command.compile(inherited), add(name, command)); err != nil {
			return err
		}
	}
	for name, command := range v.Commands {
		if command == nil {
			return fmt.Errorf("command %s says nothing", name)
		}
		if command.Style == "" {
			command.Style = v.Style
		}
		if v.Global {
			command.Global, command.Closed, command.Ahead = true, v.Closed || command.Closed, v.Ahead
			command.Rules = slices.Concat(command.Rules, rules)
		}
		if err := command.compile(inherited); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, known := range append(fields{name}, command.Names...) {
			if err := add(known, command); err != nil {
				return err
			}
		}
	}
	v.Commands = commands
	return nil
}

// ahead looks at the options before the sub-command, and reports whether it is certain
// that none of them takes it for its value.
func (f *finder) ahead(v *vocabulary, args arguments) (sure bool) {
	sure = !args.uncertain
	if len(v.Ahead) == 0 {
		return sure
	}
	for _, g := range args.options {
		if g.short || !slices.Contains(v.Ahead, g.name) {
			f.add(hazardUnknown, g.name, g.value, g.index)
			sure = false
		}
	}
	return sure
}

func (f *finder) subCommand(v *vocabulary, name string, word operand, words []string, base int) {
	if v.nested {
		name += " " + word.text
	} else {
		name = word.text
	}
	if command, known := v.Commands[word.text]; known {
		f.command(command, name, word.index, words, base)
		return
	}
	if strings.Contains(word.text, unknownText) {
		f.add(hazardUnknown, hazardDynamic, word.text, word.index)
	}
	if v.Others != "" {
		f.add(v.Others, name, "", word.index)
	}
	f.command(&vocabulary{Style: v.Style, Closed: v.Global && v.Closed, listed: v.listed}, name, word.index, words, base)
}
