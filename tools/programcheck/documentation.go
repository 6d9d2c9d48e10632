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

// documentedOption is an option as the documentation of a program describes it.
type documentedOption struct {
	values []programs.Value // one for each mention that shows whether the option takes a value
	source string           // help, completion or manual page: the first that mentions it
}

// documentedOptions contains the options of a program or sub-command by name.
type documentedOptions map[string]documentedOption

// add records a mention of an option.
func (s documentedOptions) add(name string, value programs.Value, source string) {
	option, found := s[name]
	if !found {
		option.source = source
	}
	if value != programs.ValueUnknown {
		option.values = append(option.values, value)
	}
	s[name] = option
}

// helpTimeout limits one run of a program.
const helpTimeout = 10 * time.Second

// readDocumentation collects the options of a program or sub-command from its help, its manual
// page and its shell completion. It does not read the last two if the command has sub-commands,
// because they also describe the options of those. A program prints its own help, which is general, for a
// sub-command of a plugin that is not installed; that says nothing about the sub-command.
func readDocumentation(ctx context.Context, name, path string, sub []string, group bool, general string) documentedOptions {
	docs := documentedOptions{}
	if help := output(ctx, path, helpArgs(name, sub)...); len(sub) == 0 || help != general {
		parseHelp(docs, help)
	}
	if man, err := exec.LookPath("man"); err == nil && !group {
		parseManual(docs, output(ctx, man, "-P", "cat", "--", strings.Join(append([]string{name}, sub...), "-")))
	}
	if len(sub) == 0 && !group {
		for option := range completions(name) {
			docs.add(option, programs.ValueUnknown, "completion")
		}
	}
	return docs
}

// helpArgs returns the arguments with which a program prints its help.
func helpArgs(name string, sub []string) []string {
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

// output returns what a program prints. It ignores the exit code, because many programs print help
// and fail.
func output(ctx context.Context, path string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, helpTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C", "COLUMNS=200", "MANWIDTH=200", "PAGER=cat", "GIT_PAGER=cat", "TERM=dumb"}
	text, _ := cmd.CombinedOutput()
	return string(text)
}

// parseHelp reads the options in a help text: lines that begin with an option, and bracketed usage
// lines as npm prints them.
func parseHelp(docs documentedOptions, text string) {
	line := regexp.MustCompile(`^(?: {0,10}|\t)(-[^ ].*)$`)
	valued := regexp.MustCompile(`\[(-[A-Za-z0-9]) [A-Z]`)
	bracket := regexp.MustCompile(`\[(--?[A-Za-z][\w-]*(?:\|--?[A-Za-z][\w-]*)*)( <)?`)
	for _, row := range strings.Split(text, "\n") {
		if match := line.FindStringSubmatch(row); match != nil {
			parseLine(docs, match[1], "help")
		}
		if strings.HasPrefix(row, "Usage: ") { // busybox shows values only here
			for _, match := range valued.FindAllStringSubmatch(row, -1) {
				docs.add(match[1], programs.ValueRequired, "help")
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
				docs.add(name, value, "help")
			}
		}
	}
}

// parseManual reads the options in a manual page: lines that begin with an option and are not
// inside a paragraph.
func parseManual(docs documentedOptions, text string) {
	lines := strings.Split(text, "\n")
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	wasOption := false
	for i, row := range lines {
		trimmed := strings.TrimSpace(row)
		inside := i > 0 && strings.TrimSpace(lines[i-1]) != "" && indent(lines[i-1]) == indent(row) && !wasOption
		wasOption = !inside && indent(row) > 0 && indent(row) <= 14 && strings.HasPrefix(trimmed, "-") && parseLine(docs, trimmed, "manual page")
	}
}

// parseLine reads a line of a list of options, and reports whether it is such a line.
func parseLine(docs documentedOptions, row, source string) bool {
	column := regexp.MustCompile(` {2,}|\t| : `)
	option := regexp.MustCompile(`^(--?)(\[no-\])?([A-Za-z0-9][\w-]*)(|[ =\[<:].*|\.\.\.)$`)
	if strings.HasSuffix(row, ",") || strings.HasSuffix(row, ";") {
		return false // the continuation of a sentence
	}
	value, names, own := programs.ValueNone, []string{}, map[string]programs.Value{}
	for _, spelling := range regexp.MustCompile(`, (?:or )?| / | or `).Split(strings.ReplaceAll(column.Split(row, 2)[0], "|-", ", -"), -1) {
		if spelling = strings.TrimSpace(spelling); !strings.HasPrefix(spelling, "-") && len(names) > 0 && strings.Contains(spelling, " ") {
			return false // a sentence
		}
		parts := option.FindStringSubmatch(spelling)
		if parts == nil {
			continue
		}
		name := parts[1] + parts[3]
		names = append(names, name)
		if v := parseValue(parts[4]); v != programs.ValueNone {
			value, own[name] = v, v
		}
		if parts[2] != "" {
			names = append(names, parts[1]+"no-"+parts[3])
		}
	}
	for _, name := range names {
		ownValue, found := own[name]
		switch {
		case isPlaceholder(name):
		case found: // as for both names in -p DIR, --tmpdir[=DIR]
			docs.add(name, ownValue, source)
		case value != programs.ValueNone && strings.HasPrefix(name, "--no-"): // the negated option takes no value
			docs.add(name, programs.ValueUnknown, source)
		default:
			docs.add(name, value, source)
		}
	}
	return len(names) > 0
}

// parseValue returns the kind of value that the text after an option shows.
func parseValue(rest string) programs.Value {
	switch rest = strings.TrimSuffix(strings.TrimSpace(rest), "..."); {
	case rest == "":
		return programs.ValueNone
	case isOptional(rest):
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

// isOptional reports whether a text is one bracketed group.
func isOptional(text string) bool {
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

// isPlaceholder reports whether a name is a placeholder, such as -NUM.
func isPlaceholder(name string) bool {
	return len(name) > 2 && name[1] != '-' && name == strings.ToUpper(name)
}

// completions returns the long options in the bash-completion file of a program.
func completions(name string) map[string]bool {
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
