package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
)

// wrapped is a machine with every wrapper and a few programs.
func wrapped() *gavel.Environment {
	return claims("bash", strings.Fields("bash sh dash ash mksh ksh env nice nohup timeout stdbuf time setsid ionice chrt "+
		"taskset busybox toybox ls cat grep rm whoami id touch echo")...)
}

// checkUnwrapped compares the commands inside wrappers.
func checkUnwrapped(t *testing.T, cases map[string]string) {
	t.Helper()
	for command, want := range cases {
		exec := analyze(t, wrapped(), command)
		if !assert.True(t, exec.Parsed, "%q: %+v", command, exec.Refusal) {
			continue
		}
		got := []string{}
		for _, segment := range exec.Segments {
			got = append(got, strings.Join(segment.Argv, " "))
			assert.Empty(t, segment.Opaque, command)
			assert.True(t, segment.Executable.Found, command)
			assert.Equal(t, segment.Executable.Name, segment.Argv[0], command)
		}
		assert.Equal(t, want, strings.Join(got, "|"), command)
		assert.NotEmpty(t, exec.Rendered, "%s: has the machine of wrapped() all its programs?", command)
		assertRenderedRuns(t, t, exec)
	}
}

func TestWrappersAreUnwrapped(t *testing.T) {
	t.Parallel()
	checkUnwrapped(t, map[string]string{
		`nice whoami`:               "whoami",
		`nice -n 5 ls -l`:           "ls -l",
		`nice -n5 ls`:               "ls",
		`nice -5 ls`:                "ls",
		`nice --adjustment=5 ls`:    "ls",
		`nice --adjustment 5 -- ls`: "ls",
		`timeout 5 ls`:              "ls",
		`timeout -v -k 3 -sKILL --foreground 5 ls -k`: "ls -k",
		`timeout --signal=KILL --kill-after 3 5s ls`:  "ls",
		`timeout -- 5 ls`: "ls",
		`env ls`:          "ls",
		`env - ls`:        "ls",
		`env -i -u X -uY --unset=Z A=1 B='x y' ls`: "ls",
		`env -iu X ls`:                               "ls",
		`env -- A=1 ls`:                              "ls",
		`nohup ls`:                                   "ls",
		`stdbuf -oL -e 0 --input=0 ls`:               "ls",
		`/usr/bin/time -p -f %E ls`:                  "ls",
		`setsid -w ls`:                               "ls",
		`ionice -c3 -n 7 -t ls`:                      "ls",
		`chrt -f 10 ls`:                              "ls",
		`taskset -c 0,1 ls`:                          "ls",
		`busybox grep pattern file`:                  "grep pattern file",
		`toybox cat f`:                               "cat f",
		`nice nice nice nice nice nice nice nice ls`: "ls",
	})
}

func TestCommandsOfShellsAreUnwrapped(t *testing.T) {
	t.Parallel()
	checkUnwrapped(t, map[string]string{
		`bash -c "grep -n TODO src/"`:                    "grep -n TODO src/",
		`bash -lc 'whoami'`:                              "whoami",
		`busybox sh -c 'ls; cat f'`:                      "ls|cat f",
		`bash -cecho pipefail 'id -un'`:                  "id -un",
		`bash +x -eu -o pipefail -c - ls`:                "ls",
		`bash --norc --posix -co errexit -- ls`:          "ls",
		`bash -c -- ls`:                                  "ls",
		`bash -c -x 'ls'`:                                "ls",
		`dash -lec ls`:                                   "ls",
		`mksh -o noglob -c ls`:                           "ls",
		`sh -lc '$0 "$1"' touch /path/to/file`:           "touch /path/to/file",
		`sh -c 'exec -- "${0}" "$@"' rm -rf 'a b'`:       "rm -rf a b",
		`bash -c '"$@"' _ rm -rf x`:                      "rm -rf x",
		`nice busybox sh -c '$0' ls`:                     "ls",
		`busybox ash -c ls`:                              "ls",
		`sh -c 'ls | cat && rm x &'`:                     "ls|cat|rm x",
		`ls; nice cat f; sh -c 'rm x; id'; whoami`:       "ls|cat f|rm x|id|whoami",
		`nice env A=1 timeout 5 bash -c "sh -c 'ls -l'"`: "ls -l",
	})
}

// checkOpaque compares why commands with wrappers are opaque.
func checkOpaque(t *testing.T, cases map[string]string) {
	t.Helper()
	for command, why := range cases {
		exec := analyze(t, wrapped(), command)
		if !assert.True(t, exec.Parsed, "%q: %+v", command, exec.Refusal) {
			continue
		}
		got := ""
		for _, segment := range exec.Segments {
			got += segment.Opaque
		}
		assert.Equal(t, why, got, command)
		assertRenderedRuns(t, t, exec)
	}
}

func TestUnknownWordsOfWrappersAreOpaque(t *testing.T) {
	t.Parallel()
	checkOpaque(t, map[string]string{
		"env -S 'rm x'":                 "env -S",
		"env --split-string='rm x'":     "env --split-string=rm x",
		"env -C /etc ls":                "env -C",
		"env -P /tmp ls":                "env -P",
		"env -iS 'rm x'":                "env -iS",
		"env -v ls":                     "env -v",
		"env --ignore ls":               "env --ignore",
		"env --ignore-environment=x ls": "env --ignore-environment=x",
		"env":                           "env without a command",
		"env A=1":                       "env without a command",
		"env -u":                        "env -u without a value",
		"env -- - ls":                   "env -",
		"env -u 'A B' ls":               "env -u with a name that is not portable",
		"env 'BASH_FUNC_ls%%=x' ls":     "env BASH_FUNC_ls%%=x",
		"env =x ls":                     "env =x",
		"env ./a=b/ls":                  "env ./a=b/ls",
		"env ''":                        "env without a command",
		"nice":                          "nice without a command",
		"nice -n":                       "nice -n without a value",
		"nice --adj=5 ls":               "nice --adj=5",
		"nice -5x ls":                   "nice -5x",
		"nice -- -n":                    "nice -n",
		"nice - ls":                     "nice -",
		"timeout ls":                    "timeout without a command",
		"timeout":                       "timeout without its operands",
		"timeout 5 -k 3 ls":             "timeout -k",
		"timeout 5 -- ls":               "timeout --",
		"nohup --help":                  "nohup --help",
		"/usr/bin/time -o f ls":         "time -o",
		"/usr/bin/time -of ls":          "time -of",
		"/usr/bin/time -pa ls":          "time -pa",
		"/usr/bin/time --output=f ls":   "time --output=f",
		"ionice -p 1":                   "ionice -p",
		"chrt -o ls -l":                 "chrt -o",
		"taskset -p 1 2":                "taskset -p",
		"busybox":                       "busybox without a command",
		"busybox --install":             "busybox --install",
		"busybox -- ls":                 "busybox --",
		"busybox awk x":                 "busybox awk",
		"busybox nice ls":               "busybox nice",
		"busybox busybox ls":            "busybox busybox",
		"toybox sh -c ls":               "toybox sh",
		"Env ls":                        "Env, another name for env",
		"nice env -S 'rm x'":            "env -S",
	})
}

func TestUnknownWordsOfShellsAreOpaque(t *testing.T) {
	t.Parallel()
	checkOpaque(t, map[string]string{
		"bash":                              "bash without -c",
		"bash -c":                           "bash -c without a text",
		"bash -c ls name":                   "bash -c with positional parameters",
		`sh -c "'\$0'" touch x`:             "sh -c with positional parameters",
		"bash -ic ls":                       "bash -ic",
		"bash -i -c ls":                     "bash -i",
		"bash -sc ls":                       "bash -sc",
		"bash -cls 'id -un'":                "bash -cls",
		"bash --rcfile /tmp/x -c ls":        "bash --rcfile",
		"bash --init-file -c ls":            "bash --init-file",
		"bash --rcfile=/tmp/x -c ls":        "bash --rcfile=/tmp/x",
		"bash -c --norc ls":                 "bash --norc",
		"bash -rcfile /tmp/x -c ls":         "bash -rcfile",
		"bash -kc ls":                       "bash -kc",
		"bash -Hc ls":                       "bash -Hc",
		"bash -Oc extglob ls":               "bash -Oc",
		"bash -O extglob -c ls":             "bash -O",
		"bash -oc errexit ls":               "bash -oc",
		"bash -o -c ls":                     "bash -o -c",
		"bash -o history -c ls":             "bash -o history",
		"bash +c ls":                        "bash +c",
		"bash -c + ls":                      "bash +",
		"dash --norc -c ls":                 "dash --norc",
		"sh -Bc ls":                         "sh -Bc",
		"sh --login -c ls":                  "sh --login",
		"BASH -c ls":                        "BASH, another name for bash",
		"bash -c 'ls; env -S \"rm x\"; ls'": "env -S",
		"sh -c 'bash --rcfile f -c \"ls\"'": "bash --rcfile",
	})
}

func TestTextsForShellsAreRefusedLikeCommands(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		`sh -c '$0 "$1"' touch a b`:                       "expansion: parameter expansion $0",
		`sh -c '$0 "$1"' touch`:                           "expansion: parameter expansion $0",
		`sh -c '$0 $1' touch a`:                           "expansion: parameter expansion $0",
		`sh -c '$0 "$2" "$1"' touch a b`:                  "expansion: parameter expansion $0",
		`sh -c '$0 "$1"; id' touch a`:                     "expansion: parameter expansion $0",
		"sh -c 'exec\n$0' touch":                          "expansion: parameter expansion $0",
		`sh -c '$0 "$@"' env ls`:                          "expansion: parameter expansion $0",
		`sh -c '$0 "$@"' bash -c ls`:                      "expansion: parameter expansion $0",
		`sh -c '"$@"' _ nice ls`:                          "expansion: parameter expansion $@ in the text of sh -c",
		`sh -c '$0 "$1"' nosuch /tmp/m`:                   "expansion: parameter expansion $0 in the text of sh -c",
		`bash -c 'ls >& f'`:                               "redirect: duplicating redirection >& of something other than a descriptor in the text of bash -c",
		`nice bash -c '$(id) ls'`:                         "substitution: command substitution $(id) in the text of bash -c",
		`bash -c 'wc; tr "${x:=\$(id)}" "${x@P}"'`:        "expansion: ",
		`ksh -c 'ls; cat "${ id;}"'`:                      "",
		`sh -c 'ls; ls # x` + "\n" + `id | x >& f'`:       "redirect: ",
		`bash -c ''`:                                      "parameters: empty command in the text of bash -c",
		`bash -c -- '-x'`:                                 "guard: ",
		`bash -c 'A[1]=1; ls'`:                            "assignment: ",
		`bash -c 'for ((;;)); do ls; done'`:               "construct: ",
		`dash -c 'ls |& cat'`:                             "syntax: ",
		`bash -c 'ls "'`:                                  "syntax: ",
		`bash -c "sh -c 'ls >& f'"`:                       "redirect: duplicating redirection >& of something other than a descriptor in the text of sh -c",
		`nice nice nice nice nice nice nice nice nice ls`: "limit: more than 8 nested wrappers",
		`bash -c '` + strings.Repeat("ls;", 1025) + `'`:   "limit: ",
		strings.Repeat("ls;", 600) + "sh -c '" + strings.Repeat("ls;", 600) + "'": "limit: more than 256 commands",
		`sh -c "sh -c \"ls \\\"` + strings.Repeat("'", 10_000) + `\\\"\""`:        "limit: shell text that is too long",
	} {
		refusal := analyze(t, wrapped(), command).Refusal
		if assert.NotNil(t, refusal, command) {
			assert.Contains(t, refusal.Kind+": "+refusal.Construct, want, command)
			assert.LessOrEqual(t, refusal.End, len(command))
		}
	}
}

// A shell with a file of commands is the wrapper of that file (EXEC-4).
func TestScriptsOfShellsAreJudgedAsPrograms(t *testing.T) {
	t.Parallel()
	environment := wrapped()
	environment.Executables["/srv/app/x.sh"] = "/srv/app/x.sh"
	environment.Executables["/srv/app/in/l.sh"] = "/srv/app/x.sh"
	for command, want := range map[string]struct{ argv, real, through, rendered string }{
		"bash x.sh":             {"x.sh", "/srv/app/x.sh", "bash", "'/usr/bin/bash' '/srv/app/x.sh'"},
		"bash ./x.sh -c ls":     {"./x.sh -c ls", "/srv/app/x.sh", "bash", "'/usr/bin/bash' '/srv/app/x.sh' '-c' 'ls'"},
		"sh -eu -- in/l.sh a":   {"in/l.sh a", "/srv/app/x.sh", "sh -eu --", "'/usr/bin/sh' '-eu' '--' '/srv/app/x.sh' 'a'"},
		"bash -l /srv/app/x.sh": {"/srv/app/x.sh", "/srv/app/x.sh", "bash -l", "'/usr/bin/bash' '-l' '/srv/app/x.sh'"},
		"nice busybox sh x.sh":  {"x.sh", "/srv/app/x.sh", "nice|busybox|sh", "'/usr/bin/nice' '/usr/bin/busybox' 'sh' '/srv/app/x.sh'"},
		"bash - -c ls":          {"-c ls", "", "bash -", ""},
		"bash evil.sh -c 'ls'":  {"evil.sh -c ls", "", "bash", ""},
		"sh ls":                 {"ls", "", "sh", ""},
	} {
		exec := analyze(t, environment, command)
		require.True(t, exec.Parsed, command)
		require.Len(t, exec.Segments, 1)
		s := exec.Segments[0]
		assert.Equal(t, want.argv, strings.Join(s.Argv, " "), command)
		assert.Equal(t, want.real, s.Executable.Real, command)
		assert.Equal(t, want.real != "", s.Executable.Found, command)
		assert.Empty(t, s.Opaque, command)
		require.Len(t, s.Scripts, 1)
		assert.Equal(t, want.real, s.Scripts[0].Real, command)
		assert.Equal(t, want.real != "", s.Scripts[0].Found, command)
		var through []string
		for _, w := range s.Wrappers {
			through = append(through, strings.Join(w.Argv, " "))
		}
		assert.Equal(t, want.through, strings.Join(through, "|"), command)
		assert.Equal(t, want.rendered, exec.Rendered, command)
	}
	a, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: shippedTables(t)})
	require.NoError(t, err)
	environment.Executables["python3"], environment.Executables["/srv/app/y.py"] = "/usr/bin/python3", "/srv/app/y.py"
	exec := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "python3 -B y.py x.sh"}}, Environment: environment}, nil).Exec
	assert.Equal(t, []gavel.Script{{Role: "script", Path: "/srv/app/y.py", Real: "/srv/app/y.py", Found: true}}, exec.Segments[0].Scripts)
}

func TestAProgramWhosePathLooksLikeAnAssignmentIsNotUnwrapped(t *testing.T) {
	t.Parallel()
	environment := wrapped()
	environment.Executables["tool"] = "/opt/a=b/tool"
	assert.Equal(t, "env with a program whose path contains =", analyze(t, environment, "env tool").Segments[0].Opaque)
	assert.Equal(t, "", analyze(t, environment, "nice tool").Segments[0].Opaque)
}
