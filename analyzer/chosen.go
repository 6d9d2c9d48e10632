package analyzer

import (
	"slices"

	"gavel/analyzer/spelling"

	"gavel"
)

// chosen returns what the variables of a script may hold, for those of which it is known:
// nothing in it gives them anything else. In zsh a variable may be tied to another one.
func (u *unfolder) chosen(s script) map[string][]choice {
	if u.shell == "zsh" || len(s.values) == 0 {
		return nil
	}
	unknown := map[string]bool{"_": true, "REPLY": true} // which read sets by itself
	for _, c := range s.commands {
		names, all := u.changes(c)
		if all {
			return nil
		}
		for _, name := range names {
			unknown[name] = true
		}
	}
	known := map[string][]choice{}
	for _, one := range s.values {
		if !one.known || len(known[one.name]) == maxChoices || one.name == "IFS" {
			unknown[one.name] = true
			continue
		}
		known[one.name] = append(known[one.name], one.value)
	}
	if unknown["IFS"] {
		return nil
	}
	for name := range unknown {
		delete(known, name)
	}
	return known
}

// changes returns the variables of the shell that a command may set or take away; all is
// true where it may be any. A program sets none, and a function is read where it stands.
func (u *unfolder) changes(c command) (names []string, all bool) {
	words := unprefixed(c.words)
	name := words[0].text
	if own, known := u.Builtins.commands[name]; known && len(words) == len(c.words) && own.asks(words) {
		read := own.read(words)
		return read.names, read.opaque != "" || read.own != 0
	}
	return nil, len(words) != len(c.words) || runsText(name) || name == "eval" || setsVariables(words)
}

// pick puts into words what their variables may hold.
func pick(words []word, known map[string][]choice) []word {
	if len(known) == 0 {
		return words
	}
	picked := words
	for i := range words {
		choices := words[i].of(known)
		if len(choices) == 0 {
			continue
		}
		if &picked[0] == &words[0] {
			picked = slices.Clone(words)
		}
		picked[i].choices = choices
	}
	return picked
}

// madeOf is what is known of words that are made of parameters alone; never nil. Of a
// command with more choices than were looked at none counts as known.
func madeOf(words []word) []gavel.MadeWord {
	number := 1
	for i := range words {
		number *= max(1, len(words[i].choices))
		if number > maxChoices {
			break
		}
	}
	list := []gavel.MadeWord{}
	for i := range words {
		if words[i].dynamic && words[i].parameters {
			list = append(list, gavel.MadeWord{Index: i, Variables: spelling.Tidy(words[i].variables), Known: words[i].closed() && number <= maxChoices})
		}
	}
	return list
}
