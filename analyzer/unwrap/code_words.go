package unwrap

import (
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
)

// The words of a program that runs code are read by a doubtful grammar: if it is uncertain whether an
// option takes the next word, that word counts as both. So one file too many may be bound, but never
// one too few.

// isStdin reports whether an operand is standard input.
func isStdin(word string) bool {
	return word == "-" || word == "/dev/stdin" || word == "/dev/fd/0" || word == "/proc/self/fd/0"
}

// grammar returns how the words of a program are read whose vocabulary the hazards have.
func (n *codeGrammar) grammar(v *hazard.Vocabulary) argv.Grammar {
	program := v.Grammar()
	g := argv.Grammar{Options: n.options, Doubt: argv.Doubt{On: true, Fallback: program.Options, TextOptions: n.ends}}
	if program.Style == argv.StyleSingle {
		g.Style = program.Style
	}
	return g
}

// command returns the position of the sub-command, or 0.
func (k *codeFinder) command(n *codeGrammar, v *hazard.Vocabulary) int {
	g := n.grammar(v)
	return g.Subcommand(k.segment.Argv[1:], 1, func(word string) bool { return n.commands[strings.ToLower(word)] != nil })
}

// scan reads the words between two positions.
func (k *codeFinder) scan(n *codeGrammar, v *hazard.Vocabulary, from, to int) {
	if found := k.read(n, v, from, to); found || k.inline {
		return
	}
	switch {
	case n.Operands == operandFirst && k.more:
		k.addUnbound("further words", whyDynamic)
	case n.ReadsStdin && !k.instead:
		k.stdin = true
	}
}

// read reads the words between two positions, and reports whether an operand among them is code
// or may be.
func (k *codeFinder) read(n *codeGrammar, v *hazard.Vocabulary, from, to int) bool {
	found, maybe := false, false
	g := n.grammar(v)
	reading := g.Read(k.fixedWords(from), from)
	start := k.dir
	var names []string
	for option := range reading.InOrder() {
		k.include(n, option, to)
	}
	for option, operand := range reading.InOrder() {
		switch {
		case option != nil && option.Index < to:
			k.readOption(n, option)
			if slices.Contains(n.Files, option.Name) && !k.dynamic(option.ValueIndex) {
				names = append(names, option.Value)
			}
		case operand != nil && operand.Index < to:
			code, sure := k.readOperand(n, operand)
			found, maybe = found || sure, maybe || code
			if n.Operands != "" && !k.dynamic(operand.Index) {
				names = append(names, k.segment.Argv[operand.Index])
			}
		default:
			return found || maybe
		}
		if found && n.Operands == operandFirst {
			break // the remaining words are arguments of the code
		}
	}
	if k.dir != start {
		k.bindInBoth(n, names, start)
	}
	return found || maybe
}

// include records a directory of modules. It applies to every module of the command line, including
// those that are named before it.
func (k *codeFinder) include(n *codeGrammar, o *argv.GivenOption, to int) {
	if o != nil && o.Index < to && o.HasValue && slices.Contains(n.ModuleDirectories, o.Name) && !k.dynamic(o.ValueIndex) {
		k.includes = append(k.includes, o.Value)
	}
}

// bindInBoth binds the files of these names in the directory where the program starts and in the
// one that an option names. Programs differ in which of them a name means, whatever the order.
func (k *codeFinder) bindInBoth(n *codeGrammar, names []string, start string) {
	last := k.dir
	for _, dir := range []string{start, last} {
		k.dir = dir
		for _, name := range names {
			k.bindFile(strings.TrimPrefix(name, "file://"), roleModule, n.Extensions)
		}
	}
	k.dir = last
}

// fixedWords returns the words from a position on. A word that is produced at run time is not an
// option.
func (k *codeFinder) fixedWords(from int) []string {
	if len(k.segment.Dynamic) == 0 {
		return k.segment.Argv[from:]
	}
	words := slices.Clone(k.segment.Argv[from:])
	for _, i := range k.segment.Dynamic {
		if i >= from && i-from < len(words) && words[i-from] != "--" {
			words[i-from] = argv.Unknown
		}
	}
	return words
}

// readOperand classifies an operand. code reports whether it is a code file. sure reports that the
// code is this operand, whether or not there is a file.
func (k *codeFinder) readOperand(n *codeGrammar, o *argv.Operand) (code, sure bool) {
	word := k.segment.Argv[o.Index]
	switch {
	case k.dynamic(o.Index):
		if n.Operands != "" {
			k.addUnbound(word, whyDynamic)
		}
	case n.Operands == "" || k.inline && n.Operands == operandFirst || slices.Contains(n.Skip, word):
		return false, false
	case isStdin(word):
		k.stdin = true
		return false, true
	default:
		code = k.bindNamed(n, word, o.MaybeValue)
		if !code && n.MayNameProjectScript {
			k.bindWords(o.Index+1, roleFile) // of a script or program of the project
		}
	}
	return code, !o.MaybeValue
}

// bindNamed records a word that is, or should be, a code file.
func (k *codeFinder) bindNamed(n *codeGrammar, word string, unsure bool) bool {
	role := roleScript
	if n.Operands == operandAll {
		role = roleFile
	}
	if k.bindFile(word, role, n.Extensions) {
		return true
	}
	switch {
	case unsure:
	case n.Operands == operandAll:
		if strings.Contains(word, "://") {
			k.addUnbound(word, whyDownload)
		} else if len(n.InsideDirectories) > 0 {
			k.operands = append(k.operands, word)
		}
	case n.MayNameProjectScript:
	case strings.Contains(word, "://"):
		k.addUnbound(word, whyDownload)
	case k.recordMissing(word):
	default:
		k.addUnbound(word, whyMissing)
	}
	return false
}

// recordMissing records that the script of an interpreter does not exist.
func (k *codeFinder) recordMissing(word string) bool {
	for _, h := range k.segment.Hazards {
		if h.Option == scriptRule && h.Argument == word {
			script, found := k.look(word, k.dir)
			k.segment.Scripts = append(k.segment.Scripts, scriptOf(script, found, roleScript))
			return true
		}
	}
	return false
}

// readOption records what an option of a program names.
func (k *codeFinder) readOption(n *codeGrammar, o *argv.GivenOption) {
	switch {
	case slices.Contains(n.ends, o.Name):
		k.inline = true
		return
	case slices.Contains(n.Unless, o.Name):
		k.inline = true // and it is a module
	}
	switch {
	case o.Takes != argv.Value && k.inlineBy(o.Name):
		k.stdin = true // bash -s
	case !o.Known && o.HasValue:
		k.bindFile(o.Value, roleFile, nil)
	case o.Takes == argv.Value && o.HasValue:
		k.readValue(n, o.Name, o.Value, o.ValueIndex)
	case o.Takes == argv.Value && k.more:
		k.readValue(n, o.Name, "", len(k.segment.Argv)) // a wrapper may add one
	}
}

// inlineBy reports whether the option makes the program read code that is in no word.
func (k *codeFinder) inlineBy(option string) bool {
	return slices.ContainsFunc(k.segment.Hazards, func(h gavel.Hazard) bool { return h.Kind == hazard.KindInline && h.Option == option })
}

// readValue records what the value of an option names.
func (k *codeFinder) readValue(n *codeGrammar, name, value string, at int) {
	modules, options := slices.Contains(n.Modules, name), slices.Contains(n.Files, name)
	switch {
	case k.dynamic(at) || at == len(k.segment.Argv):
		if modules || options || slices.Contains(n.Directories, name) || slices.Contains(n.ModuleDirectories, name) {
			k.addUnbound(name, whyDynamic)
		}
		if slices.Contains(n.Directories, name) {
			k.dir = ""
		}
	case modules:
		k.bindModule(n, value)
	case options:
		k.bindLoaded(n, value)
	case slices.Contains(n.Directories, name):
		k.dir = host.In(k.dir, value)
	}
	k.instead = k.instead || slices.Contains(n.InsteadOfProject, name)
}

// bindLoaded records a file that an option names.
func (k *codeFinder) bindLoaded(n *codeGrammar, value string) {
	value = strings.TrimPrefix(value, "file://")
	switch {
	case strings.HasPrefix(value, "data:"): // the code is in the word
	case isStdin(value):
		k.stdin = true
	case k.bindFile(value, roleModule, n.Extensions):
	case strings.Contains(value, "://"):
		k.addUnbound(value, whyDownload)
	case n.ModulesLike == "node" && !strings.HasPrefix(value, ".") && !strings.HasPrefix(value, "/"):
		k.addUnbound(value, whyModule)
	default:
		k.addUnbound(value, whyMissing)
	}
}

// bindModule records the files that may contain a module of this name.
func (k *codeFinder) bindModule(n *codeGrammar, value string) {
	before := len(k.segment.Scripts)
	switch n.ModulesLike {
	case "python":
		at := strings.ReplaceAll(value, ".", "/")
		for _, file := range []string{at + ".py", at + "/__init__.py", at + "/__main__.py"} {
			k.bindFile(file, roleModule, nil)
		}
		if first, _, nested := strings.Cut(at, "/"); nested {
			k.bindFile(first+"/__init__.py", roleModule, nil)
		}
		if tool := k.Code.find(value); tool != nil && tool != n {
			for _, name := range tool.AlsoReads {
				k.bindFile(name, roleConfig, nil)
			}
			k.addUnbound(value, whyModule)
			return
		}
	case "perl":
		name, _, _ := strings.Cut(strings.TrimPrefix(value, "-"), "=")
		name, _, _ = strings.Cut(name, " ")
		k.bindIncluded(strings.ReplaceAll(name, "::", "/")+".pm", nil)
	case "ruby":
		if strings.HasPrefix(value, ".") || strings.HasPrefix(value, "/") {
			k.bindFile(value, roleModule, []string{".rb", ".so"})
		}
		k.bindIncluded(value, []string{".rb", ".so"})
	case "lua":
		_, file, renamed := strings.Cut(value, "=")
		if !renamed {
			file = value
		}
		at := strings.ReplaceAll(file, ".", "/")
		k.bindFile(at+".lua", roleModule, nil)
		k.bindFile(at+"/init.lua", roleModule, nil)
	}
	if len(k.segment.Scripts) == before {
		k.addUnbound(value, whyModule)
	}
}

// bindIncluded looks for a module in the directories that options named.
func (k *codeFinder) bindIncluded(name string, extensions []string) {
	for _, dir := range k.includes {
		k.bindFile(joined(dir, name), roleModule, extensions)
	}
}
