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

// spoken is what the sources say about one option.
type spoken struct {
	values []programs.Value // never ValueUnknown; empty if no source gives a value
	from   string           // help, completion or manual page: the first source that names it
}

// sayings holds the options of a program or a sub-command by name.
type sayings map[string]spoken

// add records an option, and its value if that is known.
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

// questionTime limits one run of a program.
const questionTime = 10 * time.Second

// ask collects the options of a program or sub-command from its help, its manual page and its
// shell completion. The last two are used only if it has no sub-commands, because they describe
// a whole group.
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

// question returns the command line that asks a program for help.
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

// output returns what a program prints. Many programs print help and still exit with an error.
func output(ctx context.Context, path string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, questionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C", "COLUMNS=200", "MANWIDTH=200", "PAGER=cat", "GIT_PAGER=cat", "TERM=dumb"}
	text, _ := cmd.CombinedOutput()
	return string(text)
}

// options reads the options that a help text lists: lines that begin with an option, and
// bracketed usage lines as npm prints them.
func options(said sayings, text string) {
	line := regexp.MustCompile(`^(?: {0,10}|\t)(-[^ ].*)$`)
	valued := regexp.MustCompile(`\[(-[A-Za-z0-9]) [A-Z]`)
	bracket := regexp.MustCompile(`\[(--?[A-Za-z][\w-]*(?:\|--?[A-Za-z][\w-]*)*)( <)?`)
	for _, row := range strings.Split(text, "\n") {
		if match := line.FindStringSubmatch(row); match != nil {
			listed(said, match[1], "help")
		}
		if strings.HasPrefix(row, "Usage: ") { // busybox, whose lists omit the values
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

// manual reads the options that a manual page lists: lines that begin with an option and are
// not inside a paragraph.
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

// listed reads one line of a list of options, and reports whether it is such a line.
func listed(said sayings, row, from string) bool {
	column := regexp.MustCompile(` {2,}|\t| : `)
	one := regexp.MustCompile(`^(--?)(\[no-\])?([A-Za-z0-9][\w-]*)(|[ =\[<:].*|\.\.\.)$`)
	if strings.HasSuffix(row, ",") || strings.HasSuffix(row, ";") {
		return false // the continuation of a sentence
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
		case says: // applies to both names in -p DIR, --tmpdir[=DIR]
			said.add(name, took, from)
		case value != programs.ValueNone && strings.HasPrefix(name, "--no-"): // the negated option takes no value
			said.add(name, programs.ValueUnknown, from)
		default:
			said.add(name, value, from)
		}
	}
	return len(names) > 0
}

// valueOf reads the text after an option in a list.
func valueOf(rest string) programs.Value {
	switch rest = strings.TrimSuffix(strings.TrimSpace(rest), "..."); {
	case rest == "":
		return programs.ValueNone
	case optional(rest):
		return programs.ValueOptional
	case rest == "=false:", rest == "=true:": // kubectl
		return programs.ValueNone
	case rest == "=":
		return programs.ValueRequired // node prints =...
	case strings.HasSuffix(rest, ":"), rest[0] == '=' && rest == strings.ToLower(rest):
		return programs.ValueUnknown // one of its values, such as --check=quiet
	case rest[0] == '=', rest[0] == '<', rest == strings.ToUpper(rest), !strings.Contains(rest, " "):
		return programs.ValueRequired
	}
	return programs.ValueUnknown
}

// optional reports whether a text is one bracketed group.
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

// placeholder reports whether a name is a placeholder, such as -NUM.
func placeholder(name string) bool {
	return len(name) > 2 && name[1] != '-' && name == strings.ToUpper(name)
}

// completed returns the options that bash-completion offers for a program: quoted or listed
// words in its file.
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
