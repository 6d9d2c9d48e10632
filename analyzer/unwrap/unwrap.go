package unwrap

import (
	"slices"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/site"
	"gavel/analyzer/spelling"
)

// maxWrappers is how deep wrappers may be nested.
const maxWrappers = 8

// node is one command with what it would run: nothing for a plain program, a command for a
// dispatcher or a multiplexer, a script for a shell.
type node struct {
	kind   string       // kind of the wrapper; "" for a plain program
	real   string       // the program's real path; "" if it was not found
	name   string       // the name to print instead of the program's, or ""
	words  []shell.Word // the words after the program's name; of a wrapper, its own words
	inner  []node
	script *unwrappedScript
	after  []shell.Word // the words after the text of a shell
	// builtin and function are true if the name is not a program, and sources if the builtin reads a file.
	builtin, function, sources bool
}

// unwrapper unwraps the commands of a script and looks up the programs inside. Every simple
// command becomes a segment. It judges nothing.
type unwrapper struct {
	*site.Site
	*Tables
	parsers    *shell.Parsers
	namedShell string // the shell that reads the current text, or "" if none is named
	terminal   bool   // the command runs on a terminal
	// withoutWords skips reading how programs read their words.
	withoutWords bool
	dir          string
	shell        string // the shell that reads the current text
	text         string // text of the outermost command
	names        []string
	expands      []string // names of the variables whose values the text uses
	values       []assignedValue
	computes     []shell.ArithmeticVariable
	exportsAll   bool
	list         []gavel.Segment
	constructs   []gavel.Construct
	files        []gavel.Redirect
	refusal      *gavel.Refusal
	directories  map[cdSequence]string
	order        order
	touched      []gavel.Touch
	hosts        bool  // a program may connect to a host that one of its words names
	stdinCode    []int // segments that read code from standard input
	codeFiles    int   // files examined for code
	provisionals []provisional
	fits         []gavel.Fitting // of the segment that is being read
	unpacks      []unpackedArchive
	readers      []reader
	ignoring     []int               // of files, by index, those to which only lines are appended that ignore more
	globs        map[string][]string // patterns among the values of variables
	entriesRead  int                 // names in the directories of patterns
	// programs are the program files that were examined.
	programs map[string]gavel.Executable
}

// call is one simple command that is about to become a segment.
type call struct {
	words      []shell.Word
	wrappers   []gavel.Wrapper
	start, end int // positions in the outermost command
	dir        string
	// direct is true if a shell reads the first word, which may then be a builtin or a function
	// of the script.
	direct, function bool
	unchangedShell   bool // and the script that it is in changes nothing in that shell
	piped            bool // its output goes into a pipe
	later            bool // it may run after everything else in that shell
	notTyped         bool // its input does not come from a terminal
	fromPipe         bool // its input comes from a pipe
	// names are supplied to the command by another one: in place of {}, through xargs, by a substitution, or
	// by a loop. It is nil if there are none.
	names *nameSource
	// inputNames are the names that the command before a pipe prints, or nil.
	inputNames *nameSource
	// within is the multiplexer that has the program which the first word names, or nil.
	within *gavel.Executable
	// found is the program that the first word names, if it was already looked up.
	found *host.Program
	// follow stands for words that a wrapper appends at run time, or is nil.
	follow *shell.Word
	// text caches what argv returned for the same words, or is nil.
	text []string
}

// argv returns the words as text, and the indexes of the dynamic ones.
func (c call) argv() (argv []string, dynamic []int) {
	if argv, dynamic = c.text, shell.DynamicIndexes(c.words); argv == nil {
		argv = shell.Texts(c.words)
	}
	if c.follow != nil {
		dynamic = append(dynamic, len(argv))
	}
	return argv, dynamic
}

// script unwraps a script. Everything inside a wrapper gets the wrapper's position, because
// positions in the inner text mean nothing in the outer one.
func (u *unwrapper) script(s shell.Script, from call) *unwrappedScript {
	p := &unwrappedScript{pieces: s.Pieces, nodes: make([]node, 0, len(s.Commands)), files: slices.Clone(s.Files),
		shell: u.shell, constructs: len(s.Constructs), values: s.Values, functions: s.Functions}
	u.names, u.expands = append(u.names, s.Names...), append(u.expands, s.Expands...)
	values := len(u.values)
	for _, item := range s.Values {
		item.Shell = u.namedShell
		u.values = append(u.values, assignedValue{Assignment: item})
	}
	u.exportsAll, u.computes = u.exportsAll || s.ExportsAll, append(u.computes, s.Arithmetic...)
	inside := len(from.wrappers) > 0
	u.recordGlobs(s.Values)
	for name := range s.Functions {
		u.declares(name, from)
	}
	u.list = slices.Grow(u.list, len(s.Commands))
	outside := u.order.inside(s, len(from.wrappers) > 0 && from.dir == "")
	u.order.ranges = slices.Grow(u.order.ranges, len(s.Commands))
	ranges := make([]shell.Span, 0, len(s.Commands)) // of each command
	known, loops := u.possibleValues(s), u.sourcesOfLoops(&s, from)
	bare := u.changesNothing(&s) && !from.later
	var leaves []shellEnd
	for k, c := range s.Commands {
		if u.refusal != nil || u.Host.TimedOut() {
			return p
		}
		leaves = u.leaveShells(leaves, k)
		item := call{words: shell.WithHome(fillChoices(c.Words, known), u.Facts.Home), wrappers: from.wrappers, start: c.Start, end: c.End,
			dir: u.directoryOf(c.Dir, from.dir), direct: true, unchangedShell: bare, function: c.Function, piped: c.Piped || from.piped, notTyped: c.NotTyped || from.notTyped, fromPipe: c.FromPipe}
		if inside {
			item.start, item.end = from.start, from.end
		}
		if c.Source > 0 {
			item.inputNames = u.namesPrintedBy(&s, c.Source-1, from)
		}
		if at := outputAt(item.words); at > 0 {
			item.names = u.namesPrintedBy(&s, item.words[at].Output-1, from).asSubstitution(at)
		}
		if item.names == nil {
			item.names = loops.inLoop(k, item.words)
		}
		at, before := len(u.list), u.SearchPath
		p.nodes = append(p.nodes, u.call(item))
		if end := endOfShell(s.Apart, k); end > 0 && len(before) != len(u.SearchPath) {
			leaves = append(leaves, shellEnd{end, before})
		}
		ranges = append(ranges, shell.Span{Start: at, End: len(u.list)})
	}
	u.leaveShells(leaves, len(s.Commands))
	u.order.ran(s.Commands, ranges)
	for i, item := range s.Values {
		if item.Command > 0 && item.Command <= len(ranges) {
			u.values[values+i].to = ranges[item.Command-1]
		}
	}
	u.recordRedirections(p.files, from, ranges)
	u.order.flow = outside
	u.recordConstructs(s.Constructs, from)
	return p
}

// recordRedirections resolves the redirections of a script and records them. ranges has the segments of
// each command of the script.
func (u *unwrapper) recordRedirections(files []shell.Redirection, from call, ranges []shell.Span) {
	for i := range files {
		f := &files[i]
		u.resolveRedirection(f, from.dir)
		if len(from.wrappers) > 0 {
			f.Start, f.End = from.start, from.end
		}
		u.order.opened(len(u.files), f, ranges)
		if f.Owner >= 0 && f.Owner < len(ranges) && u.ignoresMore(f, ranges[f.Owner], files) {
			u.ignoring = append(u.ignoring, len(u.files))
		}
		u.files = append(u.files, f.Redirect)
	}
}

// recordConstructs records the constructs of a script.
func (u *unwrapper) recordConstructs(constructs []gavel.Construct, from call) {
	for _, construct := range constructs {
		if len(from.wrappers) > 0 {
			construct.Start, construct.End = from.start, from.end
		}
		u.constructs = append(u.constructs, construct)
	}
}

// declares refuses a function that has the name of anything else: a builtin, a keyword or an
// alias of any shell, which may take precedence, or a program.
func (u *unwrapper) declares(name string, from call) {
	_, wrapper := u.Wrappers.programs[name]
	if u.Builtins.names[name] || wrapper || !u.Host.Absent(name, u.SearchPath) {
		u.refuse(from, shell.KindConstruct, "function with the name of a command, "+shell.Excerpt(name))
	}
}

// call unwraps one simple command.
func (u *unwrapper) call(c call) node {
	argv, _ := c.argv()
	c.text = argv
	if c.direct && c.function {
		return node{name: argv[0], words: c.words[1:], function: true}
	}
	if c.direct {
		u.refuseEvaluated(c, u.Builtins.commands[argv[0]])
	}
	if own, known := u.Builtins.commands[argv[0]]; known && c.direct && own.onlyAsks(c.words) && !u.runs(own, argv) {
		if own.printed(c.words) {
			c.words, c.text = own.print(c.words), nil
			own = u.Builtins.commands[own.PrintedAs[0]]
		}
		return u.builtin(c, own)
	}
	if c.direct {
		if n, ok := u.unwrapSetter(c); ok {
			return n
		}
		if n, ok := u.unwrapSourced(c); ok {
			return n
		}
	}
	program, found := u.programOfCall(c, argv[0])
	executable, acting := u.executableNamed(argv[0], program, found)
	realName, programs := spelling.Base(program.Real), executable.Programs
	if c.within != nil { // the multiplexer decides what it is
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
		if n, ok := u.unwrapEmbedded(c, executable, opaque); ok {
			return n
		}
		if n, ok := u.runner(c, executable, opaque); ok {
			return n
		}
		return u.segment(c, executable, opaque)
	}
	if wrapper.onlyAsks(c.words) {
		return u.unwrapQuestion(c, executable) // it only says what a name is, or whether a script can be read
	}
	p := wrapper.read(argv)
	if n, ok := u.unwrapQuestionOfNames(c, executable, wrapper, p.opaque); ok {
		return n // it only answers a question if the names are known
	}
	return u.unwrapKnown(c, executable, wrapper, p)
}

// programOfCall returns the program that the first word of a command names. It is not found if that word
// is produced at run time.
func (u *unwrapper) programOfCall(c call, name string) (host.Program, bool) {
	program, found := u.Resolve(name, c.dir)
	if c.within != nil {
		program, found = programOf(*c.within), c.within.Found
	}
	switch {
	case c.found != nil:
		program, found = *c.found, true
	case c.words[0].Dynamic:
		program, found = host.Program{}, false
	}
	return program, found
}

// refuse keeps the first refusal.
func (u *unwrapper) refuse(c call, kind, construct string) {
	if u.refusal == nil {
		u.refusal = shell.Refuse(u.text, kind, construct, c.start, c.end)
	}
}
