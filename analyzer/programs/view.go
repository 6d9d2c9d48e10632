package programs

import (
	"cmp"
	"slices"
)

// View is what rules read of the catalog, as data.gavel.catalog.programs: for each property, the
// programs that have it. make generate writes it to a file, so that stock OPA has it as well.
type View struct {
	Wrappers            map[string]WrapperView `json:"wrappers"`
	ShellWrappers       map[string]bool        `json:"shell_wrappers"`
	Builtins            map[string]bool        `json:"builtins"`
	Sources             map[string]bool        `json:"sources"`     // builtins that read a file of commands
	ShellWords          map[string]bool        `json:"shell_words"` // names that mean something to a shell
	Opaque              map[string]string      `json:"opaque"`
	Interpreters        map[string]bool        `json:"interpreters"`
	Evaluates           map[string]bool        `json:"evaluates"`
	AddsWordsToCommands map[string]bool        `json:"adds_words_to_commands"`
	ShowsFiles          map[string]bool        `json:"shows_files"`
	PrintsItsWords      map[string]bool        `json:"prints_its_words"`
	ChangesFiles        map[string]bool        `json:"changes_files"`
	WholeDirectories    map[string]bool        `json:"takes_whole_directories"`
	MovesDirectories    map[string]bool        `json:"moves_directories"`
	Predicates          map[string]bool        `json:"predicates"` // the order of their words matters, as for find
	OpenOperands        map[string]bool        `json:"open_operands"`
	OpenSubcommands     map[string][]string    `json:"open_subcommands"`
	// LeavesOut and LeavesOutDirectories say how a name is left out of a directory that is read,
	// with %s in its place.
	LeavesOut            map[string]string `json:"leaves_out"`
	LeavesOutDirectories map[string]string `json:"leaves_out_directories"`
	// TakesIn has the sub-commands that take untracked files into a repository.
	TakesIn map[string][]string `json:"takes_in"`
	// For rules about commands, besides the grammars.
	SameSubcommands   map[string][][]string      `json:"same_subcommands"`
	OptionVariables   map[string][]string        `json:"option_variables"`
	OperandsAsOptions map[string][]OperandOption `json:"operands_as_options"`

	SafeBins SafeBinView `json:"safe_bins"`
	Fold     FoldView    `json:"fold"`
}

// WrapperView is what rules read about a wrapper.
type WrapperView struct {
	Kind                string   `json:"kind"`
	Queries             []string `json:"queries"`
	RealNames           []string `json:"real_names"`
	OptionsAreVariables bool     `json:"options_are_variables"`
}

// SafeBinView is what rules read about the filters.
type SafeBinView struct {
	Default  []string                  `json:"default"`
	Profiles map[string]SafeBinProfile `json:"profiles"`
}

// SafeBinProfile is the profile of one filter. Its options are of the kinds flag, value, text,
// attached and pair.
type SafeBinProfile struct {
	Options  map[string]string `json:"options"`
	Denied   []string          `json:"denied"`
	Operands OperandsCount     `json:"operands"`
	Text     bool              `json:"text"`
	Number   bool              `json:"number"`
	Grammar  string            `json:"grammar"`
}

// FoldView is what rules need to fold program names in the configuration. Names of programs in
// calls are folded in the facts.
type FoldView struct {
	Targets  []string        `json:"targets"`
	Variants []string        `json:"variants"`
	GNU      map[string]bool `json:"gnu"`
}

// View returns what rules read. What forbids applies to the aliases of a program as well; what
// permits applies to its own name only.
func (c *Catalog) View() View {
	v := View{Wrappers: map[string]WrapperView{}, Builtins: map[string]bool{}, Sources: map[string]bool{}, ShellWrappers: map[string]bool{}, ShellWords: map[string]bool{}, PrintsItsWords: map[string]bool{}, Opaque: map[string]string{}, OpenOperands: map[string]bool{}, Predicates: map[string]bool{},
		OpenSubcommands: map[string][]string{}, SafeBins: SafeBinView{Default: []string{}, Profiles: map[string]SafeBinProfile{}},
		Interpreters: map[string]bool{}, Evaluates: map[string]bool{}, AddsWordsToCommands: map[string]bool{}, ShowsFiles: map[string]bool{},
		LeavesOut: map[string]string{}, LeavesOutDirectories: map[string]string{}, TakesIn: map[string][]string{}, SameSubcommands: map[string][][]string{}, OptionVariables: map[string][]string{}, OperandsAsOptions: map[string][]OperandOption{},
		ChangesFiles: map[string]bool{}, WholeDirectories: map[string]bool{}, MovesDirectories: map[string]bool{},
		Fold: FoldView{Targets: c.fold.targets, Variants: c.fold.variants, GNU: c.fold.gnu}}
	for _, word := range c.words.Words {
		v.ShellWords[word] = true
	}
	for _, word := range c.words.Builtins {
		v.ShellWords[word], v.Opaque[word] = true, "builtin"
	}
	for _, e := range c.entries {
		if described := c.DescribedBy(e); described != nil && described.Walks != nil && described.Walks.LeaveOut != "" {
			for _, name := range e.OwnNames() {
				v.LeavesOut[name] = described.Walks.LeaveOut
				v.LeavesOutDirectories[name] = cmp.Or(described.Walks.LeaveOutDirectory, described.Walks.LeaveOut)
			}
		}
		for _, sub := range e.SortedSubcommands() {
			if e.Subcommands[sub].takesIn() {
				v.TakesIn[e.Name] = append(v.TakesIn[e.Name], sub)
			}
		}
		v.addProhibitions(e)
		v.addPermissions(e)
	}
	slices.Sort(v.SafeBins.Default)
	return v
}

func (v *View) addProhibitions(e *Entry) {
	for _, name := range e.OwnNames() {
		if e.Opaque != "" {
			v.Opaque[name] = e.Opaque
		}
		if len(e.SameSubcommands) > 0 {
			v.SameSubcommands[name] = e.SameSubcommands
		}
		if len(e.OptionVariables) > 0 {
			v.OptionVariables[name] = e.OptionVariables
		}
		if len(e.OperandsAsOptions) > 0 {
			v.OperandsAsOptions[name] = e.OperandsAsOptions
		}
		for _, trait := range []struct {
			of    map[string]bool
			holds bool
		}{
			{v.ShellWords, e.ShellWord}, {v.Interpreters, e.Interpreter}, {v.Evaluates, e.Evaluates}, {v.AddsWordsToCommands, e.AddsWordsToCommands}, {v.ShowsFiles, e.ShowsFiles},
			{v.ChangesFiles, e.ChangesFiles}, {v.WholeDirectories, e.TakesWholeDirectories}, {v.MovesDirectories, e.MovesDirectories},
		} {
			if trait.holds {
				trait.of[name] = true
			}
		}
		for _, sub := range e.MovingSubcommands {
			v.MovesDirectories[name+" "+sub] = true
		}
	}
}

func (v *View) addPermissions(e *Entry) {
	if e.Wrapper != nil {
		v.Wrappers[e.Name] = WrapperView{Kind: e.Wrapper.Kind, OptionsAreVariables: e.Wrapper.OptionsAreVariables,
			Queries: append([]string{}, e.Wrapper.Queries...), RealNames: append([]string{}, e.Wrapper.RealNames...)}
	}
	if e.ShellWrapper {
		v.ShellWrappers[e.Name] = true
	}
	if e.Builtin != nil {
		v.Builtins[e.Name] = true
	}
	if e.InShell != nil && e.InShell.Sources {
		v.Sources[e.Name] = true
	}
	if e.PrintsItsWords {
		v.PrintsItsWords[e.Name] = true
	}
	if e.Style == "predicates" {
		v.Predicates[e.Name] = true
	}
	if e.OpenOperands {
		v.OpenOperands[e.Name] = true
	}
	if len(e.OpenSubcommands) > 0 {
		v.OpenSubcommands[e.Name] = e.OpenSubcommands
	}
	if e.SafeBin == nil {
		return
	}
	if e.SafeBin.Default {
		v.SafeBins.Default = append(v.SafeBins.Default, e.Name)
	}
	v.SafeBins.Profiles[e.Name] = e.profile()
}

func (e *Entry) profile() SafeBinProfile {
	p := SafeBinProfile{Options: map[string]string{}, Denied: []string{}, Operands: e.SafeBin.Operands,
		Text: e.SafeBin.OperandsAreText, Number: e.SafeBin.NumberFirst, Grammar: e.SafeBin.Language}
	for _, o := range e.Options {
		for _, name := range o.Names {
			switch o.SafeBin {
			case "denied":
				p.Denied = append(p.Denied, name)
			case "":
			default:
				p.Options[name] = o.safeBinKind()
			}
		}
	}
	slices.Sort(p.Denied)
	return p
}

// safeBinKind returns what kind of value a safe bin accepts for an option.
func (o *Option) safeBinKind() string {
	switch {
	case o.SafeBin == "without_value", o.Value == ValueNone:
		return "flag"
	case o.Value == ValueOptional:
		return "attached"
	case o.Value == ValuePair:
		return "pair"
	case o.Text:
		return "text"
	default:
		return "value"
	}
}
