package analyzer_test

import (
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// said is a policy that says where to look first.
func said(dirs ...string) *gavel.AnalyzerSettings {
	return &gavel.AnalyzerSettings{Others: gavel.AgentSettings{First: dirs, Hosts: map[string]bool{"": true, "gateway": true}}}
}

func TestTheFirstDirectoriesAreSearchedBeforeThePath(t *testing.T) {
	t.Parallel()
	root := machine(t)
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: root, Cwd: root + "/work", Path: []string{root + "/bin"}})
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		first []string
		word  string
		want  string
	}{
		"the first directory wins":                          {[]string{root + "/opt"}, "rg", root + "/opt/rg"},
		"the first of two wins":                             {[]string{root + "/opt", root + "/work"}, "tool", root + "/opt/tool"},
		"what is in none of them is found in the path":      {[]string{root + "/opt"}, "ls", root + "/bin/ls"},
		"a directory that does not exist is passed by":      {[]string{root + "/gone"}, "rg", root + "/bin/rg"},
		"a relative entry ends the search":                  {[]string{"opt"}, "rg", ""},
		"an empty entry ends the search":                    {[]string{""}, "rg", ""},
		"a relative entry behind the hit does not":          {[]string{root + "/opt", "x"}, "rg", root + "/opt/rg"},
		"a path is not searched for":                        {[]string{root + "/opt"}, root + "/bin/rg", root + "/bin/rg"},
		"a file that is not a program does not hide others": {[]string{root + "/bin/dir"}, "ls", root + "/bin/ls"},
		"without any it is the path":                        {nil, "rg", root + "/bin/rg"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := a.Analyze(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "bash",
				Params: map[string]any{"command": tc.word, "host": "Gateway"}}}, said(tc.first...))
			assert.Equal(t, tc.want, facts.Exec.Segments[0].Executable.Path)
			assert.Equal(t, append([]string{}, tc.first...), facts.Environment.PathPrepend)
		})
	}
}

func TestTheFirstDirectoriesAreSearchedForEveryProgram(t *testing.T) {
	t.Parallel()
	root := machine(t)
	require.NoError(t, os.WriteFile(root+"/opt/nice", nil, 0o755))
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Cwd: root + "/work", Path: []string{root + "/bin", "/usr/bin"}})
	require.NoError(t, err)
	segment := func(command string) gavel.Segment {
		facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, said(root+"/opt"))
		require.NotEmpty(t, facts.Exec.Segments, "%s: %+v", command, facts.Exec.Refusal)
		return facts.Exec.Segments[len(facts.Exec.Segments)-1]
	}
	for _, command := range []string{"nice rg", "sh -c rg", "sh -c 'nice rg'", "echo x | rg", "xargs rg", `sh -c '$0 "$@"' rg x`, "(rg)", "f() { rg; }", "echo $(rg)"} {
		assert.Equal(t, root+"/opt/rg", segment(command).Executable.Path, command)
	}
	assert.Equal(t, root+"/opt/nice", segment("nice rg").Wrappers[0].Executable.Path)
}

func TestOnlyExecUsesTheDirectoriesToSearchFirst(t *testing.T) {
	t.Parallel()
	facts := newAnalyzer(t).Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "read"}}, said("/opt/a"))
	assert.Equal(t, []string{}, facts.Environment.PathPrepend)
}

func TestContradictoryClaimsMatchNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		first  []string
		claims map[string]string
		want   string
	}{
		"a claim is believed":                                        {[]string{"/opt/a"}, map[string]string{"rg": "/usr/bin/rg"}, "/usr/bin/rg"},
		"in the first directory":                                     {[]string{"/opt/a"}, map[string]string{"rg": "/opt/a/rg"}, "/opt/a/rg"},
		"in the first directory, however it is written":              {[]string{"/opt/a/"}, map[string]string{"rg": "/opt/a/rg"}, "/opt/a/rg"},
		"behind a link of the first directory":                       {[]string{"/opt/a"}, map[string]string{"rg": "/opt/a/rg", "/opt/a/rg": "/opt/b/rg"}, "/opt/a/rg"},
		"another program of the name stands before it":               {[]string{"/opt/a"}, map[string]string{"rg": "/usr/bin/rg", "x": "/opt/a/rg"}, ""},
		"a link of the name stands before it":                        {[]string{"/opt/a"}, map[string]string{"rg": "/usr/bin/rg", "/opt/a/rg": "/opt/x"}, ""},
		"a program of the name is in an earlier directory":           {[]string{"/opt/b", "/opt/a"}, map[string]string{"rg": "/opt/a/rg", "x": "/opt/b/rg"}, ""},
		"a program of the name is in a later one":                    {[]string{"/opt/a", "/opt/b"}, map[string]string{"rg": "/opt/a/rg", "x": "/opt/b/rg"}, "/opt/a/rg"},
		"a directory is unknown":                                     {[]string{"~/bin"}, map[string]string{"rg": "/usr/bin/rg"}, ""},
		"a directory behind the one that it is in is unknown":        {[]string{"/opt/a", "~/bin"}, map[string]string{"rg": "/opt/a/rg"}, "/opt/a/rg"},
		"a program that is listed, and its name is not, has no name": {[]string{"/opt/a"}, map[string]string{"x": "/opt/a/rg"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := newAnalyzer(t).Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "rg"}},
				Environment: &gavel.Environment{Executables: tc.claims}}, said(tc.first...))
			assert.Equal(t, tc.want, facts.Exec.Segments[0].Executable.Path)
			assert.Equal(t, tc.want != "", facts.Exec.Segments[0].Executable.Found)
		})
	}
}

// A function that is called before it is declared, or is never declared, is a program
// to the shell: so nothing else may go by its name.
func TestAFunctionHasANameThatIsAbsent(t *testing.T) {
	t.Parallel()
	root := machine(t)
	local, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Cwd: root + "/work"})
	require.NoError(t, err)
	here := func(path ...string) *gavel.Environment { return &gavel.Environment{Path: path} }
	claimed := func(more map[string]string) *gavel.Environment {
		programs := map[string]string{"ls": "/usr/bin/ls"}
		maps.Copy(programs, more)
		return &gavel.Environment{Executables: programs}
	}
	for name, tc := range map[string]struct {
		environment *gavel.Environment
		first       []string
		parsed      bool
	}{
		"no program has it":                            {here(root + "/work"), nil, true},
		"a program has it":                             {here(root + "/bin"), nil, false},
		"a program of the first directories has it":    {here(root + "/work"), []string{root + "/opt"}, false},
		"a file that is not a program has it":          {here(root+"/bin", root+"/work"), []string{root + "/notes"}, false},
		"an empty entry may have it":                   {here("", root+"/work"), nil, false},
		"an empty entry at the end may have it":        {here(root+"/work", ""), nil, false},
		"a relative entry may have it":                 {here("opt"), nil, false},
		"a first directory that is unknown may":        {here(root + "/work"), []string{"~/bin"}, false},
		"the path is empty, and a shell has its own":   {here([]string{}...), nil, false},
		"no claim has it":                              {claimed(nil), nil, true},
		"a claim has it":                               {claimed(map[string]string{"rg": "/usr/bin/rg"}), nil, false},
		"a claim that names nothing has it":            {claimed(map[string]string{"rg": "usr/bin/rg"}), nil, false},
		"claims that contradict one another have it":   {claimed(map[string]string{"rg": "/usr/bin/rg", "x": "/opt/rg"}), []string{"/opt"}, false},
		"a program that is listed by its path has it":  {claimed(map[string]string{"/opt/rg": "/opt/x"}), nil, false},
		"a program behind another name has it as well": {claimed(map[string]string{"x": "/opt/rg"}), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "a file that is not a program has it" {
				require.NoError(t, os.Mkdir(root+"/notes", 0o755))
				require.NoError(t, os.WriteFile(root+"/notes/rg", nil, 0o644))
			}
			if tc.environment.Path == nil && tc.environment.Executables == nil {
				tc.environment.Path = []string{}
			}
			exec := local.Analyze(t.Context(), gavel.Call{Environment: tc.environment,
				Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "rg x; rg() { /bin/true; }"}}}, said(tc.first...)).Exec
			assert.Equal(t, tc.parsed, exec.Parsed, "%+v", exec.Refusal)
		})
	}
}
