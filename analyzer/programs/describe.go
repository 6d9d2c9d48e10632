package programs

import (
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Meanings reads from a policy root the description of each kind of hazard.
func Meanings(policy fs.FS) (map[string]string, error) {
	const name = "gavel/catalog/data.yaml"
	var data struct {
		Exec struct {
			Hazards struct {
				Meaning map[string]string `yaml:"meaning"`
			} `yaml:"hazards"`
		} `yaml:"exec"`
	}
	text, err := fs.ReadFile(policy, name)
	if err == nil {
		err = yaml.Unmarshal(text, &data)
	}
	if err != nil {
		return nil, fmt.Errorf("read the kinds of hazard: %s: %w", name, err)
	}
	return data.Exec.Hazards.Meaning, nil
}

// Summary describes in words what is known about the program as a whole.
func (e *Entry) Summary() []string {
	words := []string{}
	for _, trait := range []struct {
		holds bool
		words string
	}{
		{e.Opaque != "", "opaque: no entry can permit it"}, {e.Wrapper != nil, "wrapper: runs the command at the end of its words"},
		{e.Builtin != nil || e.InShell != nil, "shell builtin"}, {e.SafeBin != nil, "safe bin: a filter that may run without an entry"}, {e.Interpreter, "interpreter"},
		{e.Evaluates && !e.Interpreter, "evaluates its input as code"}, {e.AddsWordsToCommands, "adds words to commands"}, {e.ShowsFiles, "shows files"},
		{e.ChangesFiles, "changes files"}, {e.MovesDirectories, "moves or removes directories"}, {e.PreservesPaths, "leaves links unchanged"},
		{e.Repository != nil, "looks for a repository"}, {e.Runner != nil, "runs a project's tools"}, {e.Embeds != nil, "runs commands among its words"},
		{e.ActsByName != nil, "its name decides what it does"}, {e.Code != nil, "runs code from files"},
	} {
		if trait.holds {
			words = append(words, trait.words)
		}
	}
	return words
}

// Usage lists all names of an option, with its value.
func (o *Option) Usage() string {
	names := strings.Join(o.Names, ", ")
	switch o.Value {
	case ValueRequired:
		return names + " VALUE"
	case ValueOptional:
		return names + "[=VALUE]"
	case ValuePair:
		return names + " NAME VALUE"
	case ValueUnknown:
		return names + " VALUE?"
	}
	return names
}

// Notes describes in words what else is known about an option.
func (o *Option) Notes() (notes []string) {
	for _, note := range []struct {
		holds bool
		words string
	}{
		{o.SafeBin != "", "as a safe bin: " + strings.ReplaceAll(o.SafeBin, "_", " ")}, {o.Value == ValueUnknown, "whether it takes a value is unknown"},
		{o.File, "the value is a file, which tools.write or tools.read may cover"}, {o.Wrapper, "understood: the command is unwrapped"}, {o.Since != "", "since " + o.Since},
	} {
		if note.holds {
			notes = append(notes, note.words)
		}
	}
	return notes
}

// About describes in words which arguments a rule is about.
func (r *Rule) About() string {
	where := "operands"
	switch {
	case len(r.ValueOf) > 0:
		where = "the value of " + strings.Join(r.ValueOf, " ")
	case r.Operand > 0:
		where = fmt.Sprintf("operand %d", r.Operand)
	case r.OperandsFrom > 0:
		where = fmt.Sprintf("operands from %d on", r.OperandsFrom)
	case r.FewerOperandsThan >= 1000: // more than anyone writes
		where = "always"
	case r.FewerOperandsThan > 0:
		where = fmt.Sprintf("fewer than %d operands", r.FewerOperandsThan)
	}
	for _, condition := range []struct {
		name  string
		texts []string
	}{
		{"beginning with", r.BeginsWith}, {"containing", r.Contains}, {"with the word", r.HasWord}, {"equal to", r.Equals},
		{"except", r.Except}, {"with", r.WithOneOf}, {"and", r.AndOneOf}, {"unless", r.Unless},
	} {
		if len(condition.texts) > 0 {
			where += ", " + condition.name + " " + strings.Join(condition.texts, " ")
		}
	}
	if r.LongerThan > 0 {
		where += fmt.Sprintf(", longer than %d bytes", r.LongerThan)
	}
	if r.Grammar != "" {
		where += ", unless plainly harmless as " + r.Grammar
	}
	return where
}
