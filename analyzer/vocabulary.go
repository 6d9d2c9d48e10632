package analyzer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Hazards is the table of argument hazards: for each program that it names, how
// its arguments are taken apart, and which of them run, write, read, reach or
// load something. It never changes, and is safe for concurrent use. What a hazard
// does to a verdict is not said here.
type Hazards struct {
	programs map[string]*vocabulary
	harmless map[string]bool // destinations to which nothing is written
	places   places
	names    nameTable
	// protected are places and programs that self-protection and the order of steps are
	// about.
	protected protected
}

// The kinds of a hazard, as data.gavel.catalog.exec.hazards names them.
const (
	hazardUnknown = "unknown"
	// hazardUnread is a text in a small language that was not understood.
	hazardUnread = "unread"
	// hazardInline is code on the command line, and hazardProgram the same in a
	// small language, such as that of sed, whatever it does.
	hazardInline  = "inline"
	hazardProgram = "program"
	// hazardCode is code on the command line whatever it does.
	hazardCode = "code"
	// hazardCarried is what would be one of those, among the words of a program
	// that is not known.
	hazardCarried = "carried"
)

func hazardKinds() []string {
	return []string{"runs", hazardInline, hazardProgram, hazardCode, "writes", "reads", "network", "loads", "secrets", "project", "signals", "lasts", hazardUnknown, hazardUnread}
}

// fields is a list that a table writes as one text, parted by blanks.
type fields []string

// UnmarshalYAML implements [yaml.Unmarshaler].
func (f *fields) UnmarshalYAML(node *yaml.Node) error {
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	*f = strings.Fields(text)
	return nil
}

// table is one file of the table, and rego/gavel/catalog/hazards/README.md its manual.
type table struct {
	Harmless  fields                 `yaml:"harmless"`
	Names     nameTable              `yaml:"names"`
	Paths     placeTable             `yaml:"paths"`
	Protected protectedTable         `yaml:"protected"`
	Programs  map[string]*vocabulary `yaml:"programs"`
}

// vocabulary is how one program, or one of its sub-commands, reads its arguments.
type vocabulary struct {
	Names  fields `yaml:"names"`  // further names
	Style  string `yaml:"style"`  // "" is getopt; single; predicates
	Old    bool   `yaml:"old"`    // the first word may be a cluster without its dash
	Stop   bool   `yaml:"stop"`   // options end at the first operand
	Closed bool   `yaml:"closed"` // an option that is not listed is a hazard
	// Options hold behind sub-commands as well, however deep; so do closed, ahead, and
	// rules that count no words.
	Global bool `yaml:"global"`
	// Ahead lists the options that mean before the sub-command what they mean behind it;
	// of any other nobody knows whether it takes the next word there. Empty means all.
	Ahead fields `yaml:"ahead"`
	// What is listed as a flag takes no value, what is optional takes an attached
	// one, everything else takes one.
	Letters  string `yaml:"letters"` // flags of one letter
	Flags    fields `yaml:"flags"`
	Values   fields `yaml:"values"`
	Optional fields `yaml:"optional"`
	Pairs    fields `yaml:"pairs"` // they take two words, of which the second counts
	Runs     fields `yaml:"runs"`
	Inline   fields `yaml:"inline"`
	Writes   fields `yaml:"writes"`
	Reads    fields `yaml:"reads"`
	Network  fields `yaml:"network"`
	Loads    fields `yaml:"loads"`
	Secrets  fields `yaml:"secrets"`
	Project  fields `yaml:"project"`
	// Text says which operands are no paths: every one, or the first ones unless an
	// option is there. Texts lists options whose values are none.
	Text  text   `yaml:"text"`
	Texts fields `yaml:"texts"`
	// Hands lists options whose value is the name of a program that gets the rest.
	Hands  fields `yaml:"hands"`
	Always string `yaml:"always"` // kind of the hazard that it is by itself
	Alone  fields `yaml:"alone"`  // words of which one, and no other, only asks about it
	Others string `yaml:"others"` // kind of sub-commands that are not listed
	Paths  fields `yaml:"paths"`  // hazards whose argument is a file
	// Evals lists options that hold code, or name what does, whatever else they are.
	Evals fields `yaml:"evals"`
	// Pages lists the options, as NAME or NAME=VALUE, without which it shows what it has
	// to say on a terminal in a pager, and sub-commands of Unpaged do not.
	Pages    fields                 `yaml:"pages"`
	Unpaged  fields                 `yaml:"unpaged"`
	Rules    []rule                 `yaml:"rules"`
	Safe     fields                 `yaml:"safe"` // sub-commands without hazards
	Commands map[string]*vocabulary `yaml:"commands"`

	listed map[string]option // by name
	nested bool              // it is a sub-command
}

// text says which operands of a program are text and no paths.
type text struct {
	All    bool   `yaml:"all"`
	First  int    `yaml:"first"`
	Unless fields `yaml:"unless"`
}

// option is what is known about one option.
type option struct {
	name  string
	arity arity
	kind  string // "" for an option that is no hazard
}

// kinds returns the kinds of hazard that an option may have, sorted.
func (v *vocabulary) kinds() []string {
	found := map[string]bool{}
	for _, o := range v.listed {
		if o.kind != "" {
			found[o.kind] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Means returns the kinds of hazard that an option of a program, or of one of its
// sub-commands, is, sorted.
func (h *Hazards) Means(program, option string) []string {
	_, v := h.program(program)
	kinds := map[string]bool{}
	v.means(option, kinds)
	return slices.Sorted(maps.Keys(kinds))
}

func (v *vocabulary) means(option string, kinds map[string]bool) {
	if v == nil {
		return
	}
	if o, ok := v.listed[option]; ok && o.kind != "" {
		kinds[o.kind] = true
	}
	for _, r := range v.Rules {
		if r.Name == option {
			kinds[r.Kind] = true
		}
	}
	for name, inner := range v.Commands {
		if name == option && inner.Always != "" {
			kinds[inner.Always] = true
		}
		inner.means(option, kinds)
	}
}

// ReadHazards reads every data.yaml below dir. A key, kind or style that is not
// known, or a program that is there twice, is an error that names the file.
func ReadHazards(files fs.FS, dir string) (*Hazards, error) {
	h := &Hazards{programs: map[string]*vocabulary{}, harmless: map[string]bool{}}
	var wrong []error
	err := fs.WalkDir(files, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) != "data.yaml" {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err == nil {
			err = h.add(text)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("argument hazards: %s: %w", name, err))
		}
		return nil
	})
	err = errors.Join(append(wrong, err)...)
	if err == nil && len(h.programs) == 0 {
		err = fmt.Errorf("argument hazards: no data.yaml with programs below %s", dir)
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Hazards) add(text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var t table
	if err := decoder.Decode(&t); err != nil {
		return err
	}
	if err := decoder.Decode(&table{}); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one document")
	}
	for _, name := range t.Harmless {
		h.harmless[name] = true
	}
	h.names.add(t.Names)
	wrong := []error{h.places.add(t.Paths), h.protected.add(t.Protected)}
	for _, name := range slices.Sorted(maps.Keys(t.Programs)) {
		wrong = append(wrong, h.put(name, t.Programs[name]))
	}
	return errors.Join(wrong...)
}

func (h *Hazards) put(name string, program *vocabulary) error {
	if program == nil {
		return fmt.Errorf("%s says nothing", name)
	}
	if err := program.compile(nil); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, known := range append(fields{name}, program.Names...) {
		if _, twice := h.programs[known]; twice || known != strings.ToLower(known) {
			return fmt.Errorf("%s is there twice, or not in lower case", known)
		}
		h.programs[known] = program
	}
	return nil
}

// compile checks a vocabulary and makes the index of its options; inherited are
// those of the commands above it.
func (v *vocabulary) compile(inherited map[string]option) error {
	if !slices.Contains([]string{"", styleSingle, stylePredicates}, v.Style) {
		return fmt.Errorf("style %q is none", v.Style)
	}
	for _, kind := range []string{v.Always, v.Others} {
		if kind != "" && !slices.Contains(hazardKinds(), kind) {
			return fmt.Errorf("kind %q is none", kind)
		}
	}
	for _, r := range v.Rules {
		if err := r.check(); err != nil {
			return err
		}
	}
	if err := v.index(inherited); err != nil {
		return err
	}
	return v.compileCommands()
}

// index notes every option with its arity and its kind. A command without options of its
// own shares those that it inherits.
func (v *vocabulary) index(inherited map[string]option) error {
	own := map[string]option{}
	var wrong []error
	put := func(names fields, arity arity, kind string) {
		for _, name := range names {
			known, twice := own[name]
			if twice && (kind == "" || known.kind != "") || !strings.HasPrefix(name, "-") {
				wrong = append(wrong, fmt.Errorf("option %s is there twice, or is none", name))
			}
			if twice {
				own[name] = option{name, known.arity, kind}
			} else {
				own[name] = option{name, arity, kind}
			}
		}
	}
	for _, letter := range v.Letters {
		put(fields{"-" + string(letter)}, takesNone, "")
	}
	put(v.Flags, takesNone, "")
	put(v.Values, takesValue, "")
	put(v.Optional, takesOptional, "")
	put(v.Pairs, takesPair, "")
	put(v.Runs, takesValue, "runs")
	put(v.Inline, takesValue, "inline")
	put(v.Writes, takesValue, "writes")
	put(v.Reads, takesValue, "reads")
	put(v.Network, takesValue, "network")
	put(v.Loads, takesValue, "loads")
	put(v.Secrets, takesValue, "secrets")
	put(v.Project, takesValue, "project")
	switch {
	case len(own) == 0 && inherited != nil:
		v.listed = inherited
	case inherited == nil:
		v.listed = own
	default:
		v.listed = maps.Clone(inherited)
		maps.Copy(v.listed, own)
	}
	return errors.Join(wrong...)
}
