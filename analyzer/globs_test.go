package analyzer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
	"gavel/internal/pathglob"
)

// project is a workspace with secrets and with links that lead out of it, by its real path.
func project(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"ws/src", "ws/lib/deep", "ws/conf", "ws/clean", "ws/.git", "out", "home/.ssh", "bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, name := range []string{"ws/.env", "ws/README", "ws/src/a.go", "ws/lib/deep/b.go", "ws/conf/server.key", "ws/clean/c.go", "ws/clean/-w", "out/note"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	for _, name := range []string{"cat", "cp", "diff", "echo", "find", "git", "gofmt", "grep", "head", "ls", "prettier", "rg", "sed", "sort", "tail", "test", "touch", "wc", "xargs"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), nil, 0o755)) //nolint:gosec // programs
	}
	for link, target := range map[string]string{"ws/src/x": "/etc/shadow", "ws/lib/out": "../../out", "ws/lib/same": "deep"} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	return root
}

// segmentsIn analyzes a command in the workspace of a project. The policy denies to read some files.
func segmentsIn(t *testing.T, root, command string) []gavel.Segment {
	t.Helper()
	facts := execIn(t, root, command)
	require.True(t, facts.Parsed, "%s: %+v", command, facts.Refusal)
	return facts.Segments
}

// execIn is what such a command would do, parsed or not.
func execIn(t *testing.T, root, command string) *gavel.ExecFacts {
	t.Helper()
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: root + "/home", Cwd: root + "/ws", Path: []string{root + "/bin"}, Platform: "linux"})
	require.NoError(t, err)
	denied := pathglob.NewFiles([]string{"/**/.env", "/**/*.key", "/**/.ssh/**", "./lib/deep/b.go"})
	facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}},
		&gavel.AnalyzerSettings{Others: gavel.AgentSettings{Hosts: map[string]bool{"": true}, Denied: denied}})
	return facts.Exec
}

// hazardsIn are the hazards of a command, each once, as option and file.
func hazardsIn(t *testing.T, root, command string) []string {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range segmentsIn(t, root, command) {
		for _, h := range s.Hazards {
			seen[strings.TrimSpace(h.Option+" "+strings.TrimPrefix(h.Real, root+"/"))] = true
		}
	}
	list := []string{}
	for hazard := range seen {
		list = append(list, hazard)
	}
	return list
}

// outsideIn returns the hazard of a file outside the workspace: below a home directory, which is where some
// machines have their temporary files, it is closed.
func outsideIn(t *testing.T, root string) string {
	t.Helper()
	found := hazardsIn(t, root, "cat "+root+"/out/note")
	require.Len(t, found, 1)
	option, _, _ := strings.Cut(found[0], " ")
	require.Contains(t, []string{"outside", "closed"}, option)
	return option
}

func TestTheFilesOfPatternsAreExamined(t *testing.T) {
	t.Parallel()
	root := project(t)
	outside := outsideIn(t, root) + " out"
	for command, want := range map[string][]string{
		"cat src/a.go":                       {},
		"cat src/a*":                         {},
		"cat src/*":                          {"secret /etc/shadow"},
		"cp src/* clean":                     {"secret /etc/shadow", "TARGET /etc/shadow", "TARGET ws/clean"},
		"grep x src/*":                       {"secret /etc/shadow"},
		`for f in src/*; do cat "$f"; done`:  {"secret /etc/shadow"},
		"cat conf/*":                         {"denied ws/conf/server.key", "secret ws/conf/server.key"},
		"cat */server.*":                     {"denied ws/conf/server.key", "secret ws/conf/server.key"},
		"cat *":                              {},
		"cat .e*":                            {"denied ws/.env", "secret ws/.env", "secret ws"},
		"ls lib/*":                           {outside},
		"wc lib/*/*.go":                      {outside, "denied ws/lib/deep/b.go"},
		"wc lib/same/*":                      {"denied ws/lib/deep/b.go"},
		"cat lib/deep/b.go":                  {"denied ws/lib/deep/b.go"},
		"cat ./lib/same/b.go":                {"denied ws/lib/deep/b.go"},
		"grep --file=lib/deep/b.go README":   {"denied ws/lib/deep/b.go", "--file"},
		"gofmt src/*.go":                     {},
		"gofmt clean/c* clean/*.go":          {},
		"cd clean && gofmt *":                {"-w"},
		"echo *":                             {},
		"echo ~/.ssh/*":                      {"denied home/.ssh", "secret home/.ssh", "secret home/.ssh/\x00"},
		"echo /root/*":                       {"closed /root"},
		"echo /etc/none*/*":                  {"closed /etc"},
		"for f in /root/*; do echo $f; done": {"closed /root"},
		"d='/root/*'; echo $d":               {"closed /root"},
		"echo $HOME/.ssh/*":                  {"denied home/.ssh", "secret home/.ssh"},
		"test -f ~/.ssh/id":                  {"secret home/.ssh/id"},
		"test -f .env":                       {},
		"test -d /usr/share":                 {},
		`test -n "$CI"`:                      {},
		`test "$CI" = x`:                     {},
		"test $? -eq 0":                      {},
		"test -n $CI":                        {"expression"},
		`test "$CI" -eq 1`:                   {"expression"},
		"cat conf/s[a-f]rver.key":            {"denied ws/conf/server.key", "secret ws/conf/server.key"},
		"cat 'conf/server.key'":              {"denied ws/conf/server.key", "secret ws/conf/server.key"},
		"cat nothing/here/*":                 {},
		`cat "$(echo src)"/*`:                {},
		"rg --no-ignore -g '!{server,x}.key' x conf ": {},
	} {
		got := hazardsIn(t, root, command)
		if strings.HasPrefix(command, "cat ./lib") || strings.HasPrefix(command, "echo") || strings.HasPrefix(command, "cat .e") {
			assert.Subset(t, want, got, command)
			assert.NotEqual(t, len(want) == 0, len(got) > 0, command)
			continue
		}
		assert.ElementsMatch(t, want, got, command)
	}
}

func TestPatternsCountAsReadOnlyIfNothingChangesTheirFilesBefore(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string][]int{
		"cat src/a*":                      {1},
		"cat lib/*/*.go":                  {1},
		"cd clean && gofmt -l c*":         {2},
		"touch clean/a && cat lib/*/*.go": {},
		"cp README clean && wc s*c/a*":    {},
		"cat $X":                          {},
		"grep -rn x --include=*.go src":   {3},
		"cat lib/*/$X":                    {},
	} {
		segments := segmentsIn(t, root, command)
		assert.Equal(t, want, segments[len(segments)-1].Patterns, command)
	}
	for command, want := range map[string]bool{"gofmt clean/../clean/c*": false, "cd clean && gofmt c*": false, "cd lib/deep && gofmt *": false, "cd lib/deep && touch b.go && gofmt *": true, "cd lib/deep && ls >names && gofmt *": true, "cd lib/deep && ls >/dev/null && gofmt *": false} {
		assert.Equal(t, want, slicesContain(hazardsIn(t, root, command), "dynamic"), command)
	}
}

// A path may lead elsewhere after commands that ran before it or run at the same time. Those behind
// the pipe of another command come later.
func TestAPipeRunsAtTheSameTimeAsItsOwnCommandsOnly(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string][]bool{
		"ls src && git checkout x | wc":                 {false, false, true},
		"ls src | wc && git checkout x":                 {false, false, false},
		"git checkout x | wc src/a.go":                  {false, true},
		"(cd src && wc a.go) | git checkout x":          {true, true, false},
		"wc src/a.go | git checkout x":                  {true, false},
		"wc src/a.go | cat | git checkout x":            {true, true, false},
		"ls src; (wc x | git checkout x); ls y":         {false, true, false, true},
		"ls src & git checkout x":                       {true, false},
		"ls src | wc; git checkout x & ls":              {true, true, false, true},
		"wc src/a.go > \"$(git checkout x)\"":           {true, false},
		"ls src | wc $(git checkout x)":                 {true, true, false},
		"wc src/a.go $(git checkout x)":                 {true, false},
		"diff src/a.go <(git checkout x)":               {true, false},
		"for i in 1 2; do ls src; git checkout x; done": {true, true},
	} {
		got := []bool{}
		for _, s := range segmentsIn(t, root, command) {
			got = append(got, s.After)
		}
		assert.Equal(t, want, got, command)
	}
}

func slicesContain(list []string, one string) bool {
	for _, other := range list {
		if other == one {
			return true
		}
	}
	return false
}

// Some programs read files of some names only.
func TestOnlyFilesThatAProgramReadsAreLookedFor(t *testing.T) {
	t.Parallel()
	root := project(t)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "ws/.ssh"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/.ssh/known.json"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/lib/deep/b.ts"), nil, 0o600))
	for command, want := range map[string][]string{
		"prettier .":                 {"inside ws/.ssh"},
		"prettier conf":              {},
		"prettier --check .":         {},
		"prettier -l .":              {},
		"prettier '**/*.json'":       {"pattern"},
		"prettier 'src/{a,b}.ts'":    {"pattern"},
		"prettier -c 'src/{a,b}.ts'": {},
	} {
		assert.ElementsMatch(t, want, hazardsIn(t, root, command), command)
	}
}

func TestAPatternWithTooManyFilesIsNotRead(t *testing.T) {
	t.Parallel()
	root := project(t)
	for i := range 1030 {
		require.NoError(t, os.WriteFile(filepath.Join(root, "ws/clean", fmt.Sprintf("auth%d", i)), nil, 0o600))
	}
	assert.Equal(t, []int{1}, segmentsIn(t, root, "cat clean/auth10*")[0].Patterns)
	assert.Empty(t, segmentsIn(t, root, "cat clean/auth*")[0].Patterns)
}
