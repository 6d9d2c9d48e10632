package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gavel/analyzer/programs"
)

// spoken is what is said of one option, by whoever says anything of it.
type spoken struct {
	values []programs.Value // without ValueUnknown: nobody says, when it is empty
	from   string           // help, completion or manual page: who named it first
}

// sayings are the options of a program or a sub-command by name.
type sayings map[string]spoken

// add notes an option, and what it takes if that is known.
func (s sayings) add(name string, value programs.Value, from string) {
	said, known := s[name]
	if !known {
		said.from = from
	}
	if value != programs.ValueUnknown {
		said.values = append(said.values, value)
	}
	s[name] = said
}

// questionTime bounds one question to a program.
const questionTime = 10 * time.Second

// ask asks a program, or one of its sub-commands, for its options: by its help and, unless
// it has sub-commands of its own, by its manual page and its shell completion. Those of a
// group are about all of it.
func ask(ctx context.Context, name, path string, sub []string, group bool) sayings {
	said := sayings{}
	options(said, output(ctx, path, question(name, sub)...))
	if man, err := exec.LookPath("man"); err == nil && !group {
		manual(said, output(ctx, man, "-P", "cat", "--", strings.Join(append([]string{name}, sub...), "-")))
	}
	if len(sub) == 0 && !group {
		for option := range completed(name) {
			said.add(option, programs.ValueUnknown, "completion")
		}
	}
	return said
}

// question is how a program is asked for help.
func question(name string, sub []string) []string {
	switch {
	case name == "git", name == "terraform" && len(sub) > 0:
		return append(sub[:len(sub):len(sub)], "-h")
	case name == "go" && len(sub) > 0:
		return append([]string{"help"}, sub...)
	case name == "kubectl" && len(sub) == 0:
		return []string{"options"}
	case name == "curl":
		return []string{"--help", "all"}
	}
	return append(sub[:len(sub):len(sub)], "--help")
}

// output is what a program prints; many fail although they help.
func output(ctx context.Context, path string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, questionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C", "COLUMNS=200", "MANWIDTH=200", "PAGER=cat", "GIT_PAGER=cat", "TERM=dumb"}
	text, _ := cmd.CombinedOutput()
	return string(text)
}

// options reads the options that a help text lists: lines that begin with one, and lines
// of a usage in brackets, as npm has them.
func options(said sayings, text string) {
	line := regexp.MustCompile(`^(?: {0,10}|\t)(-[^ ].*)$`)
	valued := regexp.MustCompile(`\[(-[A-Za-z0-9]) [A-Z]`)
	bracket := regexp.MustCompile(`\[(--?[A-Za-z][\w-]*(?:\|--?[A-Za-z][\w-]*)*)( <)?`)
	for _, row := range strings.Split(text, "\n") {
		if match := line.FindStringSubmatch(row); match != nil {
			listed(said, match[1], "help")
		}
		if strings.HasPrefix(row, "Usage: ") { // of busybox, whose lists leave out the values
			for _, match := range valued.FindAllStringSubmatch(row, -1) {
				said.add(match[1], programs.ValueRequired, "help")
			}
		}
		if !strings.HasPrefix(row, "[-") {
			continue
		}
		for _, match := range bracket.FindAllStringSubmatch(row, -1) {
			value := programs.ValueNone
			if match[2] != "" {
				value = programs.ValueRequired
			}
			for _, name := range strings.Split(match[1], "|") {
				said.add(name, value, "help")
			}
		}
	}
}

// manual reads the options that a manual page lists: lines that begin with one and are
// not the middle of a paragraph.
func manual(said sayings, text string) {
	lines := strings.Split(text, "\n")
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	wasOption := false
	for i, row := range lines {
		trimmed := strings.TrimSpace(row)
		inside := i > 0 && strings.TrimSpace(lines[i-1]) != "" && indent(lines[i-1]) == indent(row) && !wasOption
		wasOption = !inside && indent(row) > 0 && indent(row) <= 14 && strings.HasPrefix(trimmed, "-") && listed(said, trimmed, "manual page")
	}
}

// listed reads one line of a list of options, and reports whether it is one.
func listed(said sayings, row, from string) bool {
	column := regexp.MustCompile(` {2,}|\t| : `)
	one := regexp.MustCompile(`^(--?)(\[no-\])?([A-Za-z0-9][\w-]*)(|[ =\[<:].*|\.\.\.)$`)
	if strings.HasSuffix(row, ",") || strings.HasSuffix(row, ";") {
		return false // a sentence that goes on
	}
	value, names, own := programs.ValueNone, []string{}, map[string]programs.Value{}
	for _, spelling := range regexp.MustCompile(`, (?:or )?| / | or `).Split(strings.ReplaceAll(column.Split(row, 2)[0], "|-", ", -"), -1) {
		if spelling = strings.TrimSpace(spelling); !strings.HasPrefix(spelling, "-") && len(names) > 0 && strings.Contains(spelling, " ") {
			return false // a sentence
		}
		parts := one.FindStringSubmatch(spelling)
		if parts == nil {
			continue
		}
		name := parts[1] + parts[3]
		names = append(names, name)
		if took := valueOf(parts[4]); took != programs.ValueNone {
			value, own[name] = took, took
		}
		if parts[2] != "" {
			names = append(names, parts[1]+"no-"+parts[3])
		}
	}
	for _, name := range names {
		took, says := own[name]
		switch {
		case placeholder(name):
		case says: // as both of -p DIR, --tmpdir[=DIR]
			said.add(name, took, from)
		case value != programs.ValueNone && strings.HasPrefix(name, "--no-"): // what takes back takes nothing
			said.add(name, programs.ValueUnknown, from)
		default:
			said.add(name, value, from)
		}
	}
	return len(names) > 0
}

// valueOf is what stands behind an option in a list.
func valueOf(rest string) programs.Value {
	switch rest = strings.TrimSuffix(strings.TrimSpace(rest), "..."); {
	case rest == "":
		return programs.ValueNone
	case optional(rest):
		return programs.ValueOptional
	case rest == "=false:", rest == "=true:": // of kubectl
		return programs.ValueNone
	case rest == "=":
		return programs.ValueRequired // node's =...
	case strings.HasSuffix(rest, ":"), rest[0] == '=' && rest == strings.ToLower(rest):
		return programs.ValueUnknown // one of its values, as --check=quiet
	case rest[0] == '=', rest[0] == '<', rest == strings.ToUpper(rest), !strings.Contains(rest, " "):
		return programs.ValueRequired
	}
	return programs.ValueUnknown
}

// optional reports whether a text is one pair of brackets.
func optional(text string) bool {
	depth := 0
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			return i > 0 && i == len(text)-1
		}
	}
	return false
}

// placeholder reports whether a name stands for something else, as -NUM does.
func placeholder(name string) bool {
	return len(name) > 2 && name[1] != '-' && name == strings.ToUpper(name)
}

// completed returns the options that bash-completion offers for a program, as words of its
// file that are quoted or listed there.
func completed(name string) map[string]bool {
	found := map[string]bool{}
	text, err := os.ReadFile(filepath.Join("/usr/share/bash-completion/completions", name))
	if err != nil {
		return found
	}
	long := regexp.MustCompile(`(?:^|[\s'"(|])(--[a-z][a-z0-9-]*[a-z0-9])(?:[\s'")|]|$)`)
	for _, row := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(strings.TrimSpace(row), "#") {
			continue
		}
		for _, match := range long.FindAllStringSubmatch(row, -1) {
			found[match[1]] = true
		}
	}
	return found
}
