package analyzer

import (
	"slices"
	"strings"
	"unicode"

	"gavel"
	"gavel/analyzer/spelling"
)

// analyzeCredential reads the parameters of the tool credential, and the arguments in them by the grammar
// of the program.
func (e *environment) analyzeCredential(all *gavel.Facts) {
	read := parameters{params: all.Tool.Params}
	facts := &gavel.CredentialFacts{
		Tool: read.text("tool"), Binary: read.text("binary"), UID: read.number("uid", 1), Caller: read.text("caller"),
		Env: read.texts("env"), Credentials: read.texts("credentials"), Args: read.texts("args"), Allowlist: read.flag("allowlist"),
	}
	if all.Tool.Params["uid"] == float64(0) {
		facts.UID = 0 // root, for which number returns -1
	}
	cwd := read.text("cwd")
	read.texts("dropped")
	read.flag("pty")
	facts.Blocked, facts.Allowed = read.rules("blocked"), read.rules("allowed")
	missing := slices.ContainsFunc(read.names, func(name string) bool { _, given := all.Tool.Params[name]; return !given })
	_, all.Tool.Misfits = read.misfits()
	for name := range all.Tool.Params {
		all.Tool.Parameters = append(all.Tool.Parameters, name)
	}
	all.Tool.Parameters = spelling.Tidy(all.Tool.Parameters)
	facts.Complete = !missing && len(all.Tool.Misfits) == 0 && facts.Tool != "" && strings.HasPrefix(facts.Binary, "/") && strings.HasPrefix(cwd, "/")
	e.readArguments(facts, cwd)
	all.Credential = facts
}

// readArguments reads the arguments by the grammar of the program.
func (e *environment) readArguments(facts *gavel.CredentialFacts, cwd string) {
	program, found := e.Host.At(facts.Binary)
	executable := gavel.Executable{Name: spelling.Base(facts.Binary), Path: program.Path, Real: program.Real, RealName: spelling.Base(program.Real), Found: found}
	if !found {
		executable.RealName = ""
	}
	argv := append([]string{facts.Binary}, facts.Args...)
	line := e.tables.Hazards.Line([][]string{argv}, executable, cwd)
	facts.Commands, facts.CommandsKnown, facts.Options = line.Commands, line.CommandsKnown, line.Options
	w := argumentForms{args: facts.Args, options: line.Options, seen: map[string]bool{}}
	facts.Words = w.collect()
	facts.Complete = facts.Complete && !w.truncated
	facts.Lines, facts.Quoted = w.commands(), quoteArguments(facts.Args)
	facts.Unlisted = w.unlistedOptions()
	facts.Leading = []string{}
	for _, arg := range facts.Args {
		if strings.HasPrefix(arg, "-") {
			break
		}
		facts.Leading = append(facts.Leading, arg)
	}
}

// rules reads a list of rules.
func (p *parameters) rules(name string) []gavel.CredentialRule {
	const wants = "a list of rules"
	list := []gavel.CredentialRule{}
	for _, item := range read[[]any](p, name, wants) {
		object, ok := item.(map[string]any)
		if !ok {
			p.refuse(name, wants)
			continue
		}
		inner := parameters{params: object}
		rule := gavel.CredentialRule{Match: inner.text("match"), Pattern: inner.text("pattern"), Argv: inner.texts("argv"), Message: inner.text("message")}
		if unfit, _ := inner.misfits(); len(unfit) > 0 {
			p.refuse(name, wants)
		}
		rule.Options = optionsInRegexp(rule.Pattern)
		list = append(list, rule)
	}
	return list
}

// argumentForms collects the texts to which a rule may compare an argument: the argument itself,
// and every way in which a program may read or spell it.
type argumentForms struct {
	args      []string
	options   []gavel.GivenOption
	seen      map[string]bool
	list      []string
	truncated bool // there are more than maxForms
}

// maxForms limits the forms that are reported. With more of them, the facts are incomplete.
const maxForms = 4000

func (w *argumentForms) add(texts ...string) {
	for _, text := range texts {
		switch {
		case w.seen[text]:
		case len(w.list) == maxForms:
			w.truncated = true
		default:
			w.seen[text] = true
			w.list = append(w.list, text)
		}
	}
}

// collect returns every form, in the order of the arguments.
func (w *argumentForms) collect() []string {
	w.list = []string{}
	for i, arg := range w.args {
		next := ""
		if i+1 < len(w.args) {
			next = w.args[i+1]
		}
		w.add(arg)
		w.option(arg, next)
	}
	for _, o := range w.options {
		for _, name := range append([]string{o.Name}, o.Names...) {
			w.add(name)
			if o.HasValue {
				w.add(o.Value, name+"="+o.Value, name+" "+o.Value)
			}
		}
	}
	return w.list
}

// option adds the forms of a word that begins with a dash: an option with a value after an equals
// sign or in the next word, a cluster of short options, or a short option with its value attached.
func (w *argumentForms) option(arg, next string) {
	name, value, attached := strings.Cut(arg, "=")
	switch {
	case len(arg) < 2 || arg[0] != '-':
		if name, value, found := strings.Cut(arg, "="); found { // as in dd if=x
			w.add(name, value)
		}
		return
	case attached:
		w.add(name, value, name+" "+value)
	case next != "":
		w.add(arg+"="+next, arg+" "+next)
	}
	if strings.HasPrefix(arg, "--") {
		w.add(arg[1:], name[1:]) // many programs accept one dash instead of two
		return
	}
	w.add("-"+arg, "-"+name)
	w.cluster(arg[1:], next)
}

// cluster adds the short options that follow one dash, the last of which may have a value.
func (w *argumentForms) cluster(letters, next string) {
	const most, longest = 64, 4096 // letters before a value, and bytes of one
	for i, letter := range letters {
		short, rest := "-"+string(letter), letters[i+len(string(letter)):]
		w.add(short)
		rest = strings.TrimPrefix(rest, "=")
		switch {
		case rest == "" && next != "":
			w.add(short+"="+next, short+" "+next)
		case i >= most && strings.IndexFunc(letters[:most], func(r rune) bool { return !unicode.IsLetter(r) }) < 0:
			w.truncated = true // where a value would begin is unknown
			return
		case rest != "" && i < most && (i == 0 || len(rest) <= longest):
			w.add(rest, short+"="+rest, short+" "+rest)
		}
	}
}

// commands returns the command lines to which a rule may compare the arguments: as given, and
// without "--", options, or values, or with values attached or detached.
func (w *argumentForms) commands() []string {
	var bare, plain, skipped, apart, joined, named []string
	byIndex := map[int]gavel.GivenOption{}
	for _, o := range w.options {
		byIndex[o.Index] = o
	}
	ended := false
	for i, arg := range w.args {
		dashed := strings.HasPrefix(arg, "-") && len(arg) > 1
		if arg == "--" {
			ended = true
			continue
		}
		bare = append(bare, arg)
		if !dashed || ended {
			plain = append(plain, arg)
			before := i > 0 && strings.HasPrefix(w.args[i-1], "-") && !strings.Contains(w.args[i-1], "=") && w.args[i-1] != "--"
			if !before || ended {
				skipped = append(skipped, arg)
			}
		}
		name, value, attached := strings.Cut(arg, "=")
		if dashed && attached {
			apart = append(apart, name, value)
		} else {
			apart = append(apart, arg)
		}
		if n := len(joined); n > 0 && !dashed && strings.HasPrefix(joined[n-1], "--") && !strings.Contains(joined[n-1], "=") {
			joined[n-1] += "=" + arg
		} else {
			joined = append(joined, arg)
		}
		if o, given := byIndex[i+1]; given {
			arg = longestName(o)
			if o.HasValue {
				arg += " " + o.Value
			}
		}
		named = append(named, arg)
	}
	var lines []string
	for _, line := range [][]string{w.args, bare, plain, skipped, apart, joined, named} {
		if text := strings.Join(line, " "); text != "" && !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	if lines == nil {
		lines = []string{}
	}
	return lines
}

// longestName is the longest name of an option.
func longestName(o gavel.GivenOption) string {
	name := o.Name
	for _, other := range o.Names {
		if len(other) > len(name) {
			name = other
		}
	}
	return name
}

// unlistedOptions returns the long options that the grammar does not list, in lower case.
func (w *argumentForms) unlistedOptions() []string {
	known := map[string]bool{}
	for _, o := range w.options {
		if o.Known {
			known[o.Name] = true
		}
	}
	list := []string{}
	for _, arg := range w.args {
		name, _, _ := strings.Cut(arg, "=")
		if strings.HasPrefix(name, "--") && len(name) > 2 && !known[name] && !slices.Contains(list, name) {
			list = append(list, strings.ToLower(name))
		}
	}
	return list
}

// quoteArguments joins arguments with spaces, and quotes each that would otherwise look like several
// or none.
func quoteArguments(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\r\n\v\f'\"\\\u00a0\u0085\u2028\u2029\u3000") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
