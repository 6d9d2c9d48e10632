package unwrap

import (
	"slices"

	"gavel"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// possibleValues returns the possible values of those variables of a script that get no other value in it.
// It returns nil for zsh, where a variable may be tied to another one.
func (u *unwrapper) possibleValues(s shell.Script) map[string][]shell.Choice {
	if u.shell == "zsh" || len(s.Values) == 0 {
		return nil
	}
	unknown := map[string]bool{"_": true, "REPLY": true} // which read sets by itself
	for _, c := range s.Commands {
		names, all := u.variablesChanged(c)
		if all {
			return nil
		}
		for _, name := range names {
			unknown[name] = true
		}
	}
	known := map[string][]shell.Choice{}
	for _, item := range s.Values {
		if !item.Known || len(known[item.Name]) == shell.MaxChoices || item.Name == "IFS" {
			unknown[item.Name] = true
			continue
		}
		known[item.Name] = append(known[item.Name], item.Value)
	}
	if unknown["IFS"] {
		return nil
	}
	for name := range unknown {
		delete(known, name)
	}
	return known
}

// variablesChanged returns the shell variables that a command may set or unset. all is true if it may set
// any variable. A program sets none. The body of a function counts where it is declared.
func (u *unwrapper) variablesChanged(c shell.SimpleCommand) (names []string, all bool) {
	words := u.Effects.Unprefixed(c.Words)
	name := words[0].Text
	if own, known := u.Builtins.commands[name]; known && len(words) == len(c.Words) && own.onlyAsks(words) {
		read := own.read(words)
		return read.names, read.opaque != "" || read.own != 0
	}
	return nil, len(words) != len(c.Words) || u.Effects.RunsText(name) || u.Effects.Sources(name) || u.Effects.SetsVariables(words)
}

// fillChoices returns the words with the possible values of their variables.
func fillChoices(words []shell.Word, known map[string][]shell.Choice) []shell.Word {
	picked := words
	for i := range words {
		choices, loose := words[i].Choose(known), words[i].ChooseFileNames(known)
		if len(choices)+len(loose) == 0 {
			continue
		}
		if &picked[0] == &words[0] {
			picked = slices.Clone(words)
		}
		picked[i].Choices, picked[i].FileNames = choices, loose
	}
	return picked
}

// parameterWords returns the words in which only parameters are expanded; never nil. If a command has more
// choices than are examined, the values of no word count as known.
func parameterWords(words []shell.Word) []gavel.MadeWord {
	number := 1
	for i := range words {
		number *= max(1, len(words[i].Choices))
		if number > shell.MaxChoices {
			break
		}
	}
	list := []gavel.MadeWord{}
	for i := range words {
		if words[i].Dynamic && words[i].Parameters {
			list = append(list, gavel.MadeWord{Index: i, Variables: spelling.Tidy(words[i].Variables), Known: words[i].AllKnown() && number <= shell.MaxChoices})
		}
	}
	return list
}
