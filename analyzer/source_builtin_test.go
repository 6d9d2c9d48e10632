package analyzer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// virtual is a workspace with a virtual environment, scripts, and programs in a search path.
func virtual(t *testing.T) (root string, a *analyzer.Analyzer) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"ws/.venv/bin", "ws/fake/bin", "ws/src", "bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, name := range []string{"ws/.venv/pyvenv.cfg", "ws/.venv/bin/activate", "ws/.venv/bin/pytest", "ws/fake/bin/activate", "ws/fake/bin/pytest", "ws/env.sh", "ws/run.sh",
		"ws/src/main.py", "bin/pytest", "bin/make", "bin/git", "bin/tee", "bin/echo", "bin/npm", "bin/python3", "bin/ls", "bin/bash", "bin/ln"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte("#!/bin/sh\n"), 0o755)) //nolint:gosec // programs
	}
	a, err = analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: "/home/nobody", Cwd: root + "/ws",
		Path: []string{root + "/bin"}, Platform: "linux"})
	require.NoError(t, err)
	return root, a
}

func seen(t *testing.T, a *analyzer.Analyzer, command string) *gavel.ExecFacts {
	t.Helper()
	exec := a.Analyze(t.Context(), gavel.Call{Tool: execTool(command)}, nil).Exec
	require.True(t, exec.Parsed, "%s: %v", command, exec.Refusal)
	return exec
}

// checkSourced compares how commands are rendered that read a file in the shell; "" if the file is not\n// judged like a program.
func checkSourced(t *testing.T, cases map[string]string) {
	t.Helper()
	root, a := virtual(t)
	for command, rendered := range cases {
		exec := seen(t, a, command)
		sourced := false
		for _, s := range exec.Segments {
			for _, w := range s.Wrappers {
				sourced = sourced || w.Executable.Name == "source" && s.Executable.Found
			}
			if s.Executable.Name == "env.sh" && sourced {
				assert.Equal(t, root+"/ws/env.sh", s.Executable.Real, command)
				require.NotEmpty(t, s.Scripts, command)
				assert.Equal(t, "script", s.Scripts[0].Role, command)
			}
		}
		assert.Equal(t, rendered != "", sourced, command)
		if rendered != "" {
			assert.Equal(t, inPlace(root, rendered), exec.Rendered, command)
		}
	}
}

func TestAFileThatTheShellReadsIsJudgedLikeAProgram(t *testing.T) {
	t.Parallel()
	checkSourced(t, map[string]string{
		". ./env.sh":                    "'.' 'WS/env.sh'",
		"source ./env.sh":               "'.' 'WS/env.sh'",
		"cd src && . ../env.sh && ls":   "'cd' 'WS/src' && '.' 'WS/env.sh' && 'BIN/ls'",
		"set -euo pipefail; . ./env.sh": "'set' '-euo' 'pipefail'; '.' 'WS/env.sh'",
		"bash -c '. ./env.sh'":          `'BIN/bash' '-c' ''\''.'\'' '\''WS/env.sh'\'''`,
	})
}

func TestAFileThatTheShellMayReadDifferentlyIsNotJudgedLikeAProgram(t *testing.T) {
	t.Parallel()
	checkSourced(t, map[string]string{
		"source env.sh/../env.sh":                "",
		". env.sh":                               "",
		". ./missing.sh":                         "",
		". ./env.sh a":                           "",
		". -- ./env.sh":                          "",
		". -p ./env.sh":                          "",
		". ./$x":                                 "",
		". ./*.sh":                               "",
		"x=1; . ./env.sh":                        "",
		"x=1 . ./env.sh":                         "",
		"export x=1; . ./env.sh":                 "",
		"IFS=/; . ./env.sh":                      "",
		"set -- prod; . ./env.sh":                "",
		"set prod; . ./env.sh":                   "",
		"set -a; . ./env.sh":                     "",
		"set -f; . ./env.sh":                     "",
		"set -o noglob; . ./env.sh":              "",
		"shopt -s extglob; . ./env.sh":           "",
		"alias ls=x; . ./env.sh":                 "",
		"f() { . ./env.sh; }; f prod":            "",
		"g() { ls; }; . ./env.sh":                "",
		"for x in prod; do . ./env.sh; done":     "",
		"read x; . ./env.sh":                     "",
		"trap '. ./env.sh' EXIT":                 "",
		"x=1; trap '. ./env.sh' EXIT; ls":        "",
		"command . ./env.sh":                     "",
		"echo ./env.sh | xargs .":                "",
		"exec 3<f; . ./env.sh":                   "",
		"eval '. ./env.sh'":                      "",
		". /dev/stdin":                           "",
		"hash -p /x ls; . ./env.sh":              "",
		"unset PATH; . ./env.sh":                 "",
		"{ x=1; } && . ./env.sh":                 "",
		"[ -f ./env.sh ] && x=1; . ./env.sh; ls": "",
	})
}

// After a virtual environment is switched on, its programs come first.
func TestAVirtualEnvironmentComesFirstInTheSearchPath(t *testing.T) {
	t.Parallel()
	root, a := virtual(t)
	for command, want := range map[string]string{
		". ./.venv/bin/activate && pytest -q":       "/ws/.venv/bin/pytest",
		"source .venv/bin/activate; pytest -q":      "/ws/.venv/bin/pytest",
		"cd src && . ../.venv/bin/activate; pytest": "/ws/.venv/bin/pytest",
		"pytest -q && . ./.venv/bin/activate":       "/bin/pytest",
		". ./fake/bin/activate && pytest":           "/bin/pytest", // there is no environment
		". ./env.sh && pytest":                      "/bin/pytest",
		"x=1; . ./.venv/bin/activate; pytest":       "/bin/pytest",
		// Only in the shell that does it.
		"(. ./.venv/bin/activate; pytest)":                 "/ws/.venv/bin/pytest",
		"(. ./.venv/bin/activate && (pytest) && pytest)":   "/ws/.venv/bin/pytest",
		"{ . ./.venv/bin/activate; }; pytest":              "/ws/.venv/bin/pytest",
		"sh -c '. ./.venv/bin/activate; pytest'":           "/ws/.venv/bin/pytest",
		"(. ./.venv/bin/activate); pytest":                 "/bin/pytest",
		"(. ./.venv/bin/activate && cat x) && pytest":      "/bin/pytest",
		"(cat x; (. ./.venv/bin/activate; cat x); pytest)": "/bin/pytest",
		". ./.venv/bin/activate | cat; pytest":             "/bin/pytest",
		". ./.venv/bin/activate & pytest":                  "/bin/pytest",
		"cat $(. ./.venv/bin/activate; cat x); pytest":     "/bin/pytest",
		"sh -c '. ./.venv/bin/activate'; pytest":           "/bin/pytest",
		"sh -c '. ./.venv/bin/activate; cat x'; (pytest)":  "/bin/pytest",
	} {
		for _, s := range seen(t, a, command).Segments {
			if s.Executable.Name == "pytest" {
				assert.Equal(t, root+want, s.Executable.Real, command)
			}
		}
	}
}

// What runs before a path is used may change where it leads. If it runs code of the workspace and
// does nothing else, the facts say which.
func TestTheCodeThatRunsBeforeAPathIsUsedIsAFact(t *testing.T) {
	t.Parallel()
	root, a := virtual(t)
	for command, want := range map[string][]string{
		"make | tee f":                       {""},
		"cd src && make && tee f":            {"/src"},
		"pytest | tee f":                     {""},
		"npm test && tee f":                  {""},
		"npm run build && tee f":             {""},
		"./run.sh && tee f":                  {"/run.sh"},
		"bash run.sh && tee f":               {"/run.sh"},
		"python3 src/main.py && tee f":       {"/src/main.py"},
		". ./env.sh && tee f":                {"/env.sh"},
		"make && ./run.sh && tee f":          {"", "/run.sh"},
		"make && ln -s a b && tee f":         nil,
		"make -n && tee f":                   nil,
		"make -C /opt/x && tee f":            nil,
		"make $x && tee f":                   nil,
		"npm ci && tee f":                    nil,
		"npm x && tee f":                     nil,
		"git commit -m x && tee f":           nil,
		"git checkout x && tee f":            nil,
		root + "/bin/make && tee f":          {""},
		"python3 /opt/x.py && tee f":         nil,
		"python3 -c 'import os' && tee f":    nil,
		"unknown && tee f":                   nil,
		"eval x && tee f":                    nil,
		"while tee f; do make; git gc; done": nil,
	} {
		exec := seen(t, a, command)
		for _, s := range exec.Segments {
			if s.Argv[0] != "tee" {
				continue
			}
			assert.True(t, s.After, command)
			code := []string{}
			for _, file := range want {
				code = append(code, root+"/ws"+file)
			}
			assert.Equal(t, code, s.AfterCode, command)
		}
	}
	redirects := seen(t, a, "make && echo x > f").Redirects
	require.Len(t, redirects, 1)
	assert.True(t, redirects[0].After)
	assert.Equal(t, []string{root + "/ws"}, redirects[0].AfterCode)
	assert.Equal(t, []string{}, seen(t, a, "git gc && echo x > f").Redirects[0].AfterCode)
}

// A makefile that the agent may not write keeps its promises, although the directory is the agent's.
func TestTheFilesThatSayWhatAProjectRunsAreItsCode(t *testing.T) {
	t.Parallel()
	root, a := virtual(t)
	require.NoError(t, os.WriteFile(root+"/ws/Makefile", []byte("all:\n"), 0o600))
	require.NoError(t, os.WriteFile(root+"/elsewhere.json", []byte("{}"), 0o600))
	require.NoError(t, os.Symlink(root+"/elsewhere.json", root+"/ws/package.json"))
	for command, want := range map[string][]string{
		"make && tee f":     {root + "/ws", root + "/ws/Makefile"},
		"npm test && tee f": {root + "/elsewhere.json", root + "/ws"},
	} {
		assert.Equal(t, want, seen(t, a, command).Segments[1].AfterCode, command)
	}
	assert.Equal(t, []string{root + "/ws", root + "/ws/Makefile"}, seen(t, a, "PYTHONPATH=src make").Assigned[0].Code)
}

// inPlace writes the directories of the test into a text.
func inPlace(root, text string) string {
	return strings.NewReplacer("WS", root+"/ws", "BIN", root+"/bin").Replace(text)
}
