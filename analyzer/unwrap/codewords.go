package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/hazard"
)

// How the words of a program that runs code are read. Where it is not certain whether an
// option takes the next word, that word counts as both: a file more is bound, never one
// less.

// isStdin reports whether an operand is standard input.
func isStdin(word string) bool {
	return word == "-" || word == "/dev/stdin" || word == "/dev/fd/0" || word == "/proc/self/fd/0"
}

// command returns where the sub-command stands, or 0.
func (k *coder) command(n *naming, v *hazard.Vocabulary) int {
	all := k.segment.Argv
	for i := 1; i < len(all); i++ {
		word := all[i]
		switch {
		case word == "--":
			continue
		case !strings.HasPrefix(word, "-") || word == "-":
			return i
		case strings.Contains(word, "="):
		case n.takes(v, word) == argv.Value:
			i++
		case n.takes(v, word) == argv.Optional && i+1 < len(all) && n.commands[strings.ToLower(all[i+1])] == nil:
			i++ // nobody knows whether it takes the word, which is not a sub-command
		}
	}
	return 0
}

// takes is what is known of an option that is one word: that it takes the next word, or
// none; argv.Optional where that is unknown.
func (n *naming) takes(v *hazard.Vocabulary, name string) argv.Takes {
	for _, list := range [][]string{n.Files, n.Modules, n.Values, n.Directories, n.ModuleDirectories} {
		if slices.Contains(list, name) {
			return argv.Value
		}
	}
	if slices.Contains(n.Flags, name) {
		return argv.None
	}
	if o, ok := v.Option(name); ok {
		if o.Takes == argv.Optional {
			return argv.None // the next word is none of its own
		}
		return o.Takes
	}
	return argv.Optional
}

// scan reads the words from one position to another.
func (k *coder) scan(n *naming, v *hazard.Vocabulary, from, to int) {
	if found := k.read(n, v, from, to); found || k.inline {
		return
	}
	switch {
	case n.Operands == operandFirst && k.more:
		k.unnamed("further words", whyDynamic)
	case n.ReadsStdin && !k.instead:
		k.stdin = true
	}
}

// read reads the words from one position to another, and reports whether an operand
// among them is code, or may be.
func (k *coder) read(n *naming, v *hazard.Vocabulary, from, to int) bool {
	found, maybe, ended, unsure := false, false, false, false
	all := k.segment.Argv
	for i := from; i < to; i++ {
		word := all[i]
		afterUnsure := unsure
		unsure = false
		switch {
		case word == "--" && !ended:
			ended = true
		case !ended && len(word) > 1 && word[0] == '-' && !k.dynamic(i):
			i, unsure = k.option(n, v, i)
		case k.dynamic(i):
			if n.Operands != "" {
				k.unnamed(word, whyDynamic)
			}
			found = found || !afterUnsure
		case n.Operands == "" || k.inline && n.Operands == operandFirst || slices.Contains(n.Skip, word):
		case isStdin(word):
			k.stdin, found = true, true
		case k.operand(n, word, afterUnsure):
			maybe = true
			found = found || !afterUnsure
		default:
			found = found || !afterUnsure
		}
		if found && n.Operands == operandFirst {
			break // what follows belongs to the code
		}
	}
	return found || maybe
}

// operand notes a word that is a file of code, or should be one.
func (k *coder) operand(n *naming, word string, unsure bool) bool {
	role := roleScript
	if n.Operands == operandAll {
		role = roleFile
	}
	if k.file(word, role, n.Extensions) {
		return true
	}
	switch {
	case unsure:
	case n.Operands == operandAll:
		if strings.Contains(word, "://") {
			k.unnamed(word, whyDownload)
		} else if len(n.InsideDirectories) > 0 {
			k.operands = append(k.operands, word)
		}
	case n.MayNameProjectScript:
	case strings.Contains(word, "://"):
		k.unnamed(word, whyDownload)
	case k.missing(word):
	default:
		k.unnamed(word, whyMissing)
	}
	return false
}

// missing notes the script of an interpreter that is not there.
func (k *coder) missing(word string) bool {
	for _, h := range k.segment.Hazards {
		if h.Option == scriptRule && h.Argument == word {
			script, found := k.look(word, k.dir)
			k.segment.Scripts = append(k.segment.Scripts, scriptOf(script, found, roleScript))
			return true
		}
	}
	return false
}

// option reads one option, and says where it ends, and whether the next word may be its
// value.
func (k *coder) option(n *naming, v *hazard.Vocabulary, at int) (last int, unsure bool) {
	word := k.segment.Argv[at]
	name, value, attached := strings.Cut(word, "=")
	if k.unless(n, name) {
		return at, n.takes(v, name) != argv.None && !attached
	}
	if n.names(name) || strings.HasPrefix(word, "--") || v.SingleDash() {
		switch n.takes(v, name) {
		case argv.None, argv.Pair:
			return at, false
		case argv.Value:
			if attached {
				k.value(n, name, value, at)
				return at, false
			}
			k.nextValue(n, name, at+1)
			return at + 1, false
		}
		if attached {
			k.file(value, roleFile, nil)
		}
		return at, !attached
	}
	return k.cluster(n, v, at)
}

// nextValue reads the value of an option from the next word, if there is one or a wrapper
// may add one.
func (k *coder) nextValue(n *naming, name string, at int) {
	if at < len(k.segment.Argv) {
		k.value(n, name, k.segment.Argv[at], at)
	} else if k.more {
		k.value(n, name, "", len(k.segment.Argv))
	}
}

// cluster reads options of one letter in one word.
func (k *coder) cluster(n *naming, v *hazard.Vocabulary, at int) (last int, unsure bool) {
	word := k.segment.Argv[at]
	for i := 1; i < len(word); i++ {
		name, rest := "-"+word[i:i+1], word[i+1:]
		if k.unless(n, name) {
			return at, rest == ""
		}
		switch n.takes(v, name) {
		case argv.None:
			continue
		case argv.Value:
			if rest != "" {
				k.value(n, name, strings.TrimPrefix(rest, "="), at)
				return at, false
			}
			k.nextValue(n, name, at+1)
			return at + 1, false
		}
		if rest != "" {
			k.file(strings.TrimPrefix(rest, "="), roleFile, nil)
		}
		unsure = true
	}
	return at, unsure
}

// names reports whether the table has an option by this name.
func (n *naming) names(name string) bool { return n.takes(nil, name) != argv.Optional }

// unless notes an option with which the code is on the command line, or is a module.
func (k *coder) unless(n *naming, name string) bool {
	if !slices.Contains(n.Unless, name) {
		return false
	}
	k.inline = true
	return !slices.Contains(n.Modules, name)
}

// value notes what the value of an option names.
func (k *coder) value(n *naming, name, value string, at int) {
	modules, options := slices.Contains(n.Modules, name), slices.Contains(n.Files, name)
	switch {
	case k.dynamic(at) || at == len(k.segment.Argv):
		if modules || options || slices.Contains(n.Directories, name) || slices.Contains(n.ModuleDirectories, name) {
			k.unnamed(name, whyDynamic)
		}
		if slices.Contains(n.Directories, name) {
			k.dir = ""
		}
	case modules:
		k.module(n, value)
	case options:
		k.loaded(n, value)
	case slices.Contains(n.ModuleDirectories, name):
		k.includes = append(k.includes, value)
	case slices.Contains(n.Directories, name) && path.IsAbs(value):
		k.dir = value
	case slices.Contains(n.Directories, name) && k.dir != "":
		k.dir = k.dir + "/" + value
	}
	k.instead = k.instead || slices.Contains(n.InsteadOfProject, name)
}

// loaded notes a file that an option names.
func (k *coder) loaded(n *naming, value string) {
	value = strings.TrimPrefix(value, "file://")
	switch {
	case strings.HasPrefix(value, "data:"): // the code is in the word
	case isStdin(value):
		k.stdin = true
	case k.file(value, roleModule, n.Extensions):
	case strings.Contains(value, "://"):
		k.unnamed(value, whyDownload)
	case n.ModulesLike == "node" && !strings.HasPrefix(value, ".") && !strings.HasPrefix(value, "/"):
		k.unnamed(value, whyModule)
	default:
		k.unnamed(value, whyMissing)
	}
}

// module notes the files in which a module of a name is.
func (k *coder) module(n *naming, value string) {
	before := len(k.segment.Scripts)
	switch n.ModulesLike {
	case "python":
		at := strings.ReplaceAll(value, ".", "/")
		for _, file := range []string{at + ".py", at + "/__init__.py", at + "/__main__.py"} {
			k.file(file, roleModule, nil)
		}
		if first, _, nested := strings.Cut(at, "/"); nested {
			k.file(first+"/__init__.py", roleModule, nil)
		}
		if tool := k.Code.find(value); tool != nil && tool != n {
			for _, name := range tool.AlsoReads {
				k.file(name, roleConfig, nil)
			}
			k.unnamed(value, whyModule)
			return
		}
	case "perl":
		name, _, _ := strings.Cut(strings.TrimPrefix(value, "-"), "=")
		name, _, _ = strings.Cut(name, " ")
		k.included(strings.ReplaceAll(name, "::", "/")+".pm", nil)
	case "ruby":
		if strings.HasPrefix(value, ".") || strings.HasPrefix(value, "/") {
			k.file(value, roleModule, []string{".rb", ".so"})
		}
		k.included(value, []string{".rb", ".so"})
	case "lua":
		_, file, renamed := strings.Cut(value, "=")
		if !renamed {
			file = value
		}
		at := strings.ReplaceAll(file, ".", "/")
		k.file(at+".lua", roleModule, nil)
		k.file(at+"/init.lua", roleModule, nil)
	}
	if len(k.segment.Scripts) == before {
		k.unnamed(value, whyModule)
	}
}

// included looks for a module in the directories that options named.
func (k *coder) included(name string, extensions []string) {
	for _, dir := range k.includes {
		k.file(joined(dir, name), roleModule, extensions)
	}
}
