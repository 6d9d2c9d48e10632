package analyzer

import (
	"slices"
	"strings"
	"unicode"

	"gavel"
	"gavel/analyzer/spelling"
)

// credential reads the parameters of the tool credential, and the arguments in them by the grammar
// of the program.
func (p *place) credential(all *gavel.Facts) {
	read := parameters{params: all.Tool.Params}
	facts := &gavel.CredentialFacts{
		Tool: read.text("tool"), Binary: read.text("binary"), UID: read.number("uid", 1), Caller: read.text("caller"),
		Env: read.texts("env"), Credentials: read.texts("credentials"), Args: read.texts("args"), Allowlist: read.flag("allowlist"),
	}
	if all.Tool.Params["uid"] == float64(0) {
		facts.UID = 0 // root; number says -1 of what is not positive
	}
	cwd := read.text("cwd")
	read.texts("dropped")
	read.flag("pty")
	facts.Blocked, facts.Allowed = read.rules("blocked"), read.rules("allowed")
	missing := slices.ContainsFunc(read.asked, func(name string) bool { _, given := all.Tool.Params[name]; return !given })
	_, all.Tool.Misfits = read.unfit()
	for name := range all.Tool.Params {
		all.Tool.Parameters = append(all.Tool.Parameters, name)
	}
	all.Tool.Parameters = spelling.Tidy(all.Tool.Parameters)
	facts.Complete = !missing && len(all.Tool.Misfits) == 0 && facts.Tool != "" && strings.HasPrefix(facts.Binary, "/") && strings.HasPrefix(cwd, "/")
	p.readLine(facts, cwd)
	all.Credential = facts
}

// readLine reads the arguments as the program does.
func (p *place) readLine(facts *gavel.CredentialFacts, cwd string) {
	program, found := p.Host.At(facts.Binary)
	executable := gavel.Executable{Name: spelling.Base(facts.Binary), Path: program.Path, Real: program.Real, RealName: spelling.Base(program.Real), Found: found}
	if !found {
		executable.RealName = ""
	}
	argv := append([]string{facts.Binary}, facts.Args...)
	line := p.tables.Hazards.Line([][]string{argv}, executable, cwd)
	facts.Commands, facts.CommandsKnown, facts.Options = line.Commands, line.CommandsKnown, line.Options
	w := words{args: facts.Args, options: line.Options, seen: map[string]bool{}}
	facts.Words = w.all()
	facts.Complete = facts.Complete && !w.over
	facts.Lines, facts.Quoted = w.lines(), quoted(facts.Args)
	facts.Unlisted = w.unlisted()
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
		if unfit, _ := inner.unfit(); len(unfit) > 0 {
			p.refuse(name, wants)
		}
		rule.Options = optionsIn(rule.Pattern)
		list = append(list, rule)
	}
	return list
}

// words are the texts that arguments may be.
type words struct {
	args    []string
	options []gavel.GivenOption
	seen    map[string]bool
	list    []string
	over    bool // there are more
}

// mostWords is how many words are told. Arguments that may be more are incomplete.
const mostWords = 4000

func (w *words) add(texts ...string) {
	for _, text := range texts {
		switch {
		case w.seen[text]:
		case len(w.list) == mostWords:
			w.over = true
		default:
			w.seen[text] = true
			w.list = append(w.list, text)
		}
	}
}

// all returns every word, in the order of the arguments.
func (w *words) all() []string {
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

// option adds what a word may be that begins with a dash: an option with a value behind an equals
// sign or in the next word, several options of one letter, or such an option with its value.
func (w *words) option(arg, next string) {
	name, value, attached := strings.Cut(arg, "=")
	switch {
	case len(arg) < 2 || arg[0] != '-':
		if name, value, found := strings.Cut(arg, "="); found { // as in dd if=x, or -X handed on
			w.add(name, value)
		}
		return
	case attached:
		w.add(name, value, name+" "+value)
	case next != "":
		w.add(arg+"="+next, arg+" "+next)
	}
	if strings.HasPrefix(arg, "--") {
		w.add(arg[1:], name[1:]) // many programs take one dash for two
		return
	}
	w.add("-"+arg, "-"+name)
	w.cluster(arg[1:], next)
}

// cluster adds what follows one dash: options of one letter, the last of which may have a value.
func (w *words) cluster(letters, next string) {
	const most, longest = 64, 4096 // letters before a value, and bytes of one
	for i, letter := range letters {
		short, rest := "-"+string(letter), letters[i+len(string(letter)):]
		w.add(short)
		rest = strings.TrimPrefix(rest, "=")
		switch {
		case rest == "" && next != "":
			w.add(short+"="+next, short+" "+next)
		case i >= most && strings.IndexFunc(letters[:most], func(r rune) bool { return !unicode.IsLetter(r) }) < 0:
			w.over = true // nobody writes so many; where a value begins is not known
			return
		case rest != "" && i < most && (i == 0 || len(rest) <= longest):
			w.add(rest, short+"="+rest, short+" "+rest)
		}
	}
}

// lines are the commands that the arguments may be.
func (w *words) lines() []string {
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
			arg = longest(o)
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

// longest is the longest name of an option.
func longest(o gavel.GivenOption) string {
	name := o.Name
	for _, other := range o.Names {
		if len(other) > len(name) {
			name = other
		}
	}
	return name
}

// unlisted are the long options that the grammar does not list.
func (w *words) unlisted() []string {
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

// quoted is a command in which no argument looks like two.
func quoted(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\r\n\v\f'\"\\\u00a0\u0085\u2028\u2029\u3000") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
