package analyzer_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel/analyzer/programs"
	"gavel/rego"
)

// realShell is a shell of this machine, and how it lists what it knows.
type realShell struct {
	argv      []string
	binaries  string // a pattern of the files that hold the names of its variables
	names     string // builtins, keywords and aliases
	variables string // those that it sets by itself
}

func realShells() map[string]realShell {
	modules := `for f in /usr/lib/*/zsh/*/zsh/**/*.so(N); do m=${f#*/zsh/*/}; zmodload ${m%.so} >/dev/null 2>&1; done; `
	list := `set | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'`
	return map[string]realShell{
		"bash": {[]string{"bash", "--norc"}, "", `compgen -b; compgen -k; compgen -a; :`, `compgen -v`},
		"zsh": {[]string{"zsh", "-f"}, "/usr/lib/*/zsh/*/zsh/*.so",
			`zmodload zsh/parameter; ` + modules + `print -l ${(k)builtins} ${(k)dis_builtins} ${(k)reswords} ${(k)aliases}`,
			`zmodload zsh/parameter; ` + modules + `for k in ${(k)parameters}; do [[ ${parameters[$k]} = *(special|integer)* ]] && print -r -- $k; done; :`},
		"mksh": {[]string{"mksh"}, "", `builtin 2>/dev/null; alias | sed 's/=.*//'; :`, `typeset | sed 's/.* //; s/\[.*//'`},
		"dash": {[]string{"dash"}, "", "", list},
		"ash":  {[]string{"busybox", "sh"}, "", `help | tail -n +2 | tr '\t' '\n' | tr ' ' '\n'`, list},
	}
}

// says runs a text in a shell with an empty environment, and returns the words it prints.
func (s realShell) says(t *testing.T, text string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.argv[0], append(slices.Clone(s.argv[1:]), "-c", text)...)
	cmd.Env, cmd.Dir = []string{"PATH=/usr/bin:/bin"}, t.TempDir()
	out, err := cmd.Output()
	require.NoError(t, err, "%s: %s", s.argv[0], text)
	return strings.Fields(string(out))
}

// variableTables says whether a text for a shell may not set a name.
func variableTables(t *testing.T) (closed func(shell, name string) bool) {
	t.Helper()
	text, err := os.ReadFile("../rego/gavel/catalog/environment/data.yaml")
	require.NoError(t, err)
	var table struct {
		Blocked  map[string]bool     `yaml:"blocked"`
		Special  map[string][]string `yaml:"special"`
		Shells   map[string][]string `yaml:"shells"`
		Prefixes []string            `yaml:"prefixes"`
		Suffixes []string            `yaml:"suffixes"`
	}
	require.NoError(t, yaml.Unmarshal(text, &table))
	return func(shell, name string) bool {
		upper := strings.ToUpper(name)
		special := slices.ContainsFunc(table.Shells[shell], func(one string) bool { return slices.Contains(table.Special[name], one) })
		return (table.Blocked[upper] && upper == name) || special ||
			slices.ContainsFunc(table.Prefixes, func(p string) bool { return strings.HasPrefix(upper, p) }) ||
			slices.ContainsFunc(table.Suffixes, func(s string) bool { return strings.HasSuffix(upper, s) })
	}
}

// The tables of names are held against every shell that this machine has. bash is one of
// them everywhere; the test says which of the others ran.
func TestTablesHaveTheNamesOfEveryShell(t *testing.T) {
	t.Parallel()
	closed := variableTables(t)
	catalog, err := programs.Read(rego.Policy)
	require.NoError(t, err)
	known := slices.Concat(catalog.Words().Words, catalog.Words().Builtins)
	for _, e := range catalog.Entries() {
		if e.ShellWord {
			known = append(known, e.Name)
		}
	}
	word := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	// Presets that mean nothing to the shell that has them.
	ordinary := []string{"_", "TERM", "HOSTNAME", "HOSTTYPE", "MACHTYPE", "OSTYPE", "A", "The", "FUNCNAME"}
	for name, shell := range realShells() {
		if _, err := exec.LookPath(shell.argv[0]); err != nil {
			t.Logf("%s is not on this machine", name)
			require.NotEqual(t, "bash", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if shell.names != "" {
				for _, function := range shell.says(t, shell.names) {
					if word.MatchString(function) {
						assert.Contains(t, known, function, "a function may not have this name, which means something to %s", name)
					}
				}
			}
			listed := shell.says(t, shell.variables)
			require.NotEmpty(t, listed)
			for _, variable := range listed {
				if word.MatchString(variable) && !slices.Contains(ordinary, variable) {
					assert.True(t, closed(name, variable), "%s sets %s by itself: it belongs under special", name, variable)
					for _, other := range map[string][]string{"bash": {"sh"}, "dash": {"sh"}, "ash": {"sh"}, "mksh": {"sh", "ksh"}}[name] {
						assert.True(t, closed(other, variable), "%s may be %s, which sets %s by itself", other, name, variable)
					}
				}
			}
			ran := shell.evaluated(t)
			if known := map[string]string{"bash": "OPTIND", "zsh": "ZLE_RPROMPT_INDENT", "mksh": "PGRP"}[name]; known != "" {
				require.Contains(t, ran, known, "what is known to be evaluated is found")
			}
			for _, variable := range ran {
				assert.True(t, closed(name, variable), "R01 to R04: %s evaluates what %s is given: it belongs under special", name, variable)
			}
			t.Logf("%s ran", name)
		})
	}
}

// evaluated returns the variables that a shell evaluates when they are assigned: of all
// names in capitals that its own files hold, those for which a substitution ran.
func (s realShell) evaluated(t *testing.T) []string {
	t.Helper()
	binary, err := exec.LookPath(s.argv[0])
	require.NoError(t, err)
	files := []string{binary}
	if s.binaries != "" {
		more, err := filepath.Glob(s.binaries)
		require.NoError(t, err)
		files = append(files, more...)
	}
	names := map[string]bool{}
	pattern := regexp.MustCompile(`[A-Z][A-Z_]{3,20}`)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range pattern.FindAll(content, -1) {
			names[string(name)] = true
		}
	}
	var script strings.Builder
	for name := range names {
		script.WriteString("( eval '" + name + "='\\''path[$(echo " + name + " >&3)]'\\''' ) 3>&1 >/dev/null 2>&1 </dev/null\n")
	}
	file := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(file, []byte(script.String()+":\n"), 0o600))
	return s.says(t, ". "+file)
}
