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

// spoken is what a program says of one of its options.
type spoken struct {
	value programs.Value // ValueUnknown where it does not say
	from  string         // help or completion
}

// helpTime bounds one question to a program.
const helpTime = 5 * time.Second

// help asks a program for its options, by name. It is not installed when nothing answers
// to its name.
func help(ctx context.Context, name string) (said map[string]spoken, installed bool) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, helpTime)
	defer cancel()
	question := "--help"
	if name == "git" {
		question = "-h"
	}
	cmd := exec.CommandContext(ctx, path, question)
	if name == "curl" {
		cmd = exec.CommandContext(ctx, path, "--help", "all")
	}
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "COLUMNS=200", "PAGER=cat", "TERM=dumb"}
	text, _ := cmd.CombinedOutput() // many fail although they help
	said = options(string(text))
	for option := range completed(name) {
		if _, known := said[option]; !known {
			said[option] = spoken{programs.ValueUnknown, "completion"}
		}
	}
	return said, true
}

// options reads the options that a help text lists: lines that begin with one.
func options(text string) map[string]spoken {
	said := map[string]spoken{}
	line := regexp.MustCompile(`^ {0,10}(-[^ ].*)$`)
	column := regexp.MustCompile(` {2,}|\t`)
	one := regexp.MustCompile(`^(--?[A-Za-z0-9][\w-]*)(.*)$`)
	for _, row := range strings.Split(text, "\n") {
		match := line.FindStringSubmatch(row)
		if match == nil {
			continue
		}
		spellings := strings.Split(column.Split(match[1], 2)[0], ", ")
		value, names := programs.ValueNone, []string{}
		for _, spelling := range spellings {
			parts := one.FindStringSubmatch(strings.TrimSpace(spelling))
			if parts == nil {
				continue
			}
			names = append(names, parts[1])
			if took := valueOf(parts[2]); took != programs.ValueNone {
				value = took
			}
		}
		for _, name := range names {
			if before, twice := said[name]; twice && before.value != value {
				said[name] = spoken{programs.ValueUnknown, "help"}
			} else if !placeholder(name) {
				said[name] = spoken{value, "help"}
			}
		}
	}
	return said
}

// valueOf is what is behind an option in a help text.
func valueOf(rest string) programs.Value {
	switch rest = strings.TrimSpace(rest); {
	case rest == "":
		return programs.ValueNone
	case strings.HasPrefix(rest, "["):
		return programs.ValueOptional
	case strings.HasPrefix(rest, "=") && rest == strings.ToLower(rest):
		return programs.ValueUnknown // one of its values, as --check=quiet
	case strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "<") || rest == strings.ToUpper(rest):
		return programs.ValueRequired
	}
	return programs.ValueUnknown
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
	if err != nil || name == "git" { // git's are those of all sub-commands
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
