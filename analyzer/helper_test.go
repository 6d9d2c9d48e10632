package analyzer_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/rego"
)

// emptyHost is a machine without programs.
type emptyHost struct{}

func (emptyHost) Named(string, []string) (host.Program, bool)  { return host.Program{}, false }
func (emptyHost) Absent(string, []string) bool                 { return true }
func (emptyHost) At(string) (host.Program, bool)               { return host.Program{}, false }
func (emptyHost) Script(string) (host.Script, bool)            { return host.Script{}, false }
func (emptyHost) Kind(string) host.Kind                        { return host.KindUnknown }
func (emptyHost) File(string) (size int64, names int, ok bool) { return 0, 0, false }
func (emptyHost) Resolve(string) (string, bool)                { return "", false }
func (emptyHost) List(string) ([]string, bool)                 { return nil, false }
func (emptyHost) Entries(string, int) ([]host.Entry, bool)     { return nil, false }
func (emptyHost) Text(string, int) (string, bool)              { return "", false }
func (emptyHost) Program(string) (sha256, interpreter string)  { return "", "" }
func (h emptyHost) View() host.Host                            { return h }

// shippedTables are those that Gavel ships, read once: they never change.
func shippedTables(t testing.TB) analyzer.Tables {
	t.Helper()
	tables, err := readShipped()
	require.NoError(t, err)
	return tables
}

var readShipped = sync.OnceValues(func() (analyzer.Tables, error) { return analyzer.ReadTables(rego.Policy) })

// noHazards knows the arguments of no program.
func noHazards(t testing.TB) *hazard.Table {
	t.Helper()
	catalog, err := programs.New(nil, nil, programs.Words{})
	require.NoError(t, err)
	table, err := hazard.New(catalog)
	require.NoError(t, err)
	return table
}

// newAnalyzer knows wrappers and builtins with what they do, and the arguments of no program.
func newAnalyzer(t testing.TB) *analyzer.Analyzer {
	t.Helper()
	tables := analyzer.Tables{Aliases: analyzer.Aliases{"bash": "exec", "apply-patch": "apply_patch"}, Tools: shippedTables(t).Tools}
	shipped := shippedTables(t)
	tables.Wrappers, tables.Builtins, tables.Effects, tables.Hazards = shipped.Wrappers, shipped.Builtins, shipped.Effects, noHazards(t)
	a, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: tables})
	require.NoError(t, err)
	return a
}

// claims returns an environment in which each name is a program in /usr/bin.
func claims(shell string, names ...string) *gavel.Environment {
	executables := map[string]string{}
	for _, name := range names {
		executables[name] = "/usr/bin/" + name
	}
	return &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Shell: shell, Executables: executables}
}

// analyze returns the exec facts of one command.
func analyze(t testing.TB, environment *gavel.Environment, command string) *gavel.ExecFacts {
	t.Helper()
	facts := newAnalyzer(t).Analyze(t.Context(), gavel.Call{
		Agent:       gavel.Agent{ID: "main"},
		Tool:        gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
		Environment: environment,
	}, nil)
	require.NotNil(t, facts.Exec)
	require.Equal(t, facts.Exec.Parsed, facts.Exec.Refusal == nil, "a command is parsed or refused")
	return facts.Exec
}

// argvs returns the words of every segment.
func argvs(exec *gavel.ExecFacts) [][]string {
	all := [][]string{}
	for _, segment := range exec.Segments {
		all = append(all, segment.Argv)
	}
	return all
}

// lines reads a file of one JSON object per line, and fails when it has none.
func lines[T any](t testing.TB, file string) []T {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var all []T
	scanner := bufio.NewScanner(bytes.NewReader(data))
	for scanner.Scan() {
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var one T
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &one), "%s", scanner.Text())
		all = append(all, one)
	}
	require.NoError(t, scanner.Err())
	require.NotEmpty(t, all, "%s has no cases", file)
	return all
}
