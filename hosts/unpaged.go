package hosts

import (
	"regexp"
	"slices"
)

// Unpaged says how to keep a program from starting a pager. On a terminal, anyone who can type into a
// pager can run programs.
type Unpaged struct {
	Option   string   `yaml:"option"`   // keeps it from starting one
	Commands []string `yaml:"commands"` // sub-commands that start one without the option
}

// Unpage returns a command with the option that keeps its program from starting a pager, if
// the program comes first, or after cd to a plain directory. What comes later is left
// unchanged, because it may be text. The result is judged like any other command.
func (t Tool) Unpage(command string) (text string, changed bool) {
	found := regexp.MustCompile(`^\s*(?:cd [A-Za-z0-9_./-]+ && )?([a-z]+) ([a-z-]+)(?:\s|$)`).FindStringSubmatchIndex(command)
	if found == nil {
		return command, false
	}
	how, known := t.Unpaged[command[found[2]:found[3]]]
	if !known || !slices.Contains(how.Commands, command[found[4]:found[5]]) {
		return command, false
	}
	return command[:found[4]] + how.Option + " " + command[found[4]:], true
}
