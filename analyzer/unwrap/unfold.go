package unwrap

import (
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/site"
	"gavel/analyzer/spelling"
)

// maxWrappers is how many wrappers may stand around one another.
const maxWrappers = 8

// node is one command with what its words would run: nothing for a plain program, a
// command for a dispatcher or a multiplexer, a script for a shell.
type node struct {
	kind   string       // of the wrapper; "" for a plain program
	real   string       // the program's real path; "" when it was not found
	name   string       // what to write in the program's place, or ""
	words  []shell.Word // after the program's name; of a wrapper its own
	inner  []node
	script *printed
	after  []shell.Word // behind the text of a script
	// builtin and function say that no program is behind the name.
	builtin, function bool
}

// unfolder takes the wrappers off the commands of a script, and looks up what is
// inside. Every simple command becomes a segment; nothing is judged.
type unfolder struct {
	*site.Site
	*Tables
	parsers  *shell.Parsers
	told     string // the shell that reads the text in hand, or "" where nobody said which
	terminal bool   // the command runs on one
	// withoutWords is true when nobody reads how programs read their words.
	withoutWords bool
	dir          string
	shell        string // that reads the text in hand
	text         string // of the outermost command
	names        []string
	values       []shell.Assignment
	computes     []shell.Computing
	exportsAll   bool
	list         []gavel.Segment
	constructs   []gavel.Construct
	files        []gavel.Redirect
	refusal      *gavel.Refusal
	arrivals     map[arrival]string
	order        order
	touched      []gavel.Touch
	feeds        []int // segments that take code from standard input
	looks        int   // files that were looked at for code
	// programs are the files of programs that were looked into.
	programs map[string]gavel.Executable
}

// call is one simple command on its way to become a segment.
type call struct {
	words      []shell.Word
	wrappers   []gavel.Wrapper
	start, end int // in the outermost command
	dir        string
	// direct is true when a shell reads the first word, which may then be a command
	// that the shell runs by itself, or a function of the script.
	direct, function bool
	piped            bool // its output goes into a pipe
	fed              bool // its input does not come from a terminal
	// within is the multiplexer that the first word is a program of.
	within *gavel.Executable
	// found is the program that the first word stands for, when it was found already.
	found *host.Program
	// follow stands for further words that a wrapper adds at run time.
	follow *shell.Word
	// text is what argv returned of the same words before, or nil.
	text []string
}

// argv returns the words as text, and the positions of those that are dynamic.
func (c call) argv() (argv []string, dynamic []int) {
	if argv, dynamic = c.text, shell.Positions(c.words); argv == nil {
		argv = shell.Texts(c.words)
	}
	if c.follow != nil {
		dynamic = append(dynamic, len(argv))
	}
	return argv, dynamic
}

// script unfolds a script. Inside a wrapper everything has the wrapper's place:
// offsets into a text inside mean nothing outside.
func (u *unfolder) script(s shell.Script, from call) *printed {
	p := &printed{pieces: s.Pieces, nodes: make([]node, 0, len(s.Commands)), files: slices.Clone(s.Files),
		shell: u.shell, constructs: len(s.Constructs), values: s.Values, functions: s.Functions}
	u.names = append(u.names, s.Names...)
	for _, one := range s.Values {
		one.Shell = u.told
		u.values = append(u.values, one)
	}
	u.exportsAll, u.computes = u.exportsAll || s.ExportsAll, append(u.computes, s.Computes...)
	inside := len(from.wrappers) > 0
	for name := range s.Functions {
		u.declares(name, from)
	}
	u.list = slices.Grow(u.list, len(s.Commands))
	outside := u.order.inside(s, len(from.wrappers) > 0 && from.dir == "")
	u.order.ranges = slices.Grow(u.order.ranges, len(s.Commands))
	var ranges []shell.Span // of each command, for the files
	known := u.chosen(s)
	for _, c := range s.Commands {
		if u.refusal != nil || u.Host.Over() {
			return p
		}
		one := call{words: pick(c.Words, known), wrappers: from.wrappers, start: c.Start, end: c.End,
			dir: u.where(c.Dir, from.dir), direct: true, function: c.Function, piped: c.Piped || from.piped, fed: c.Fed || from.fed}
		if inside {
			one.start, one.end = from.start, from.end
		}
		at := len(u.list)
		p.nodes = append(p.nodes, u.call(one))
		if len(p.files) > 0 {
			ranges = append(ranges, shell.Span{Start: at, End: len(u.list)})
		}
		u.order.ran(at, len(u.list))
	}
	for i := range p.files {
		f := &p.files[i]
		u.locate(f, from.dir)
		if inside {
			f.Start, f.End = from.start, from.end
		}
		u.order.opened(len(u.files), f, ranges)
		u.files = append(u.files, f.Redirect)
	}
	u.order.flow = outside
	for _, construct := range s.Constructs {
		if inside {
			construct.Start, construct.End = from.start, from.end
		}
		u.constructs = append(u.constructs, construct)
	}
	return p
}

// declares refuses a function that goes by the name of anything else: a builtin, a
// keyword or an alias of any shell, which may come before it, or a program.
func (u *unfolder) declares(name string, from call) {
	_, wrapper := u.Wrappers.programs[name]
	if u.Builtins.names[name] || wrapper || !u.Host.Absent(name, u.SearchPath) {
		u.refuse(from, shell.KindConstruct, "function with the name of a command, "+shell.Excerpt(name))
	}
}

// call unfolds one simple command.
func (u *unfolder) call(c call) node {
	argv, _ := c.argv()
	c.text = argv
	if c.direct && c.function {
		return node{name: argv[0], words: c.words[1:], function: true}
	}
	if c.direct {
		u.evaluated(c, u.Builtins.commands[argv[0]])
	}
	if own, known := u.Builtins.commands[argv[0]]; known && c.direct && own.asks(c.words) && !u.runs(own, argv) {
		if len(own.PrintedAs) > 0 {
			c.words, c.text = own.print(c.words), nil
			own = u.Builtins.commands[own.PrintedAs[0]]
		}
		return u.builtin(c, own)
	}
	if c.direct {
		if n, ok := u.setter(c); ok {
			return n
		}
	}
	program, found := u.Resolve(argv[0], c.dir)
	if c.within != nil {
		program, found = programOf(*c.within), c.within.Found
	}
	switch {
	case c.found != nil:
		program, found = *c.found, true
	case c.words[0].Dynamic:
		program, found = host.Program{}, false
	}
	executable, acting := u.acting(argv[0], program, found)
	realName, programs := spelling.Base(program.Real), executable.Programs
	if c.within != nil { // it is what the multiplexer takes it for
		realName, programs = executable.Name, u.Hazards.Names.Of(executable.Name)
	}
	wrapper, known, opaque := u.Wrappers.find(executable.Name, realName, programs)
	switch _, wraps := u.Wrappers.programs[executable.Name]; {
	case opaque == "" && !known:
		opaque = acting
	case executable.Link != "" && !wraps:
		opaque = "" // it is what its name says
	}
	if !known {
		if n, ok := u.embed(c, executable, opaque); ok {
			return n
		}
		if n, ok := u.runner(c, executable, opaque); ok {
			return n
		}
		return u.segment(c, executable, opaque)
	}
	if len(argv) > 1 && slices.Contains(wrapper.Queries, argv[1]) && !c.words[1].Dynamic {
		return u.segment(c, executable, "") // it says what a name is, and runs nothing
	}
	return u.peeled(c, executable, wrapper, wrapper.peel(argv))
}

// builtin unfolds a command that the shell runs by itself.
func (u *unfolder) builtin(c call, own builtin) node {
	argv, _ := c.argv()
	executable := u.unfound(argv[0])
	read := own.read(c.words)
	n := node{name: argv[0], words: c.words[1:], builtin: true}
	if read.opaque != "" {
		set, _ := shell.VariablesSet(c.words)
		u.sets(set, shell.FormDynamic)
		return u.segment(c, executable, read.opaque)
	}
	u.sets(read.names, own.form())
	if read.own == 0 {
		at := len(u.list)
		u.segment(c, executable, "")
		to := u.target(c, own)
		if at < len(u.list) {
			u.list[at].Builtin, u.list[at].Directory = argv[0], to
		}
		if to != "" { // no variable then sends cd elsewhere
			n.words = append(slices.Clone(n.words[:len(n.words)-1]), shell.Word{Text: to})
		}
		return n
	}
	inner, ok := u.inner(c, gavel.Wrapper{Executable: executable, Kind: kindBuiltin, Argv: argv[:read.own], Hazards: []gavel.Hazard{}})
	if !ok {
		return n
	}
	inner.dir = "" // it may run later, and elsewhere
	s := u.parsers.Parse(read.text, u.shell)
	if r := s.Refusal; r != nil {
		u.refuse(c, r.Kind, r.Construct+" in the text of "+argv[0])
	}
	return node{kind: kindBuiltin, builtin: true, name: argv[0], words: c.words[1:read.own], script: u.script(s, inner), after: c.words[read.after:]}
}

// target is the directory that a builtin leads to, by its real path, or "".
func (u *unfolder) target(c call, own builtin) string {
	last := c.words[len(c.words)-1]
	if own.Words != "directory" || len(c.words) == 1 || last.Dynamic || strings.HasPrefix(last.Text, "-") {
		return ""
	}
	return u.where(shell.Directory{Last: &shell.Step{To: last.Text}}, c.dir)
}

// refuse keeps the first refusal.
func (u *unfolder) refuse(c call, kind, construct string) {
	if u.refusal == nil {
		u.refusal = shell.Refuse(u.text, kind, construct, c.start, c.end)
	}
}
