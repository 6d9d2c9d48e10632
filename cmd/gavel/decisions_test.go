package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
	"gavel/internal/cases"
	"gavel/internal/strictjson"
	"gavel/server"
)

// gatewayToken is a token of the scope gateway, for tests.
const gatewayToken = "gateway-token-of-the-decision-cases"

// patience is the time limit of one decision in tests: a machine that is
// busy with other tests must not change a decision.
const patience = "1m"

// shared has the compiled programs of every policy that the tests of this package load. Compiling and
// planning the shipped Rego again for each is most of what the tests would do.
var shared = sync.OnceValues(func() (*bundles.CompileCache, error) {
	programs, err := bundles.NewCompileCache()
	if err != nil {
		return nil, err
	}
	shipped, err := bundles.Load(context.Background(), (&app{now: time.Now, programs: programs, getenv: func(string) string { return "" }}).source("", nil))
	if err != nil {
		return nil, err
	}
	shipped.Compile()
	return programs, nil
})

// sharedTables are the tables of every analyzer that a test of this package makes.
// Reading the catalog again for each takes longer than most tests.
var sharedTables = sync.OnceValues(readTables)

// withoutPacing returns an environment in which servers and hooks do not set the garbage collector's pace: it
// works for all tests of the process.
func withoutPacing(name string) string { return map[string]string{"GOGC": "400"}[name] }

// withVariables returns an environment with further variables: name, value, name, value.
func withVariables(getenv func(string) string, pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return getenv(name)
	}
}

// testApp returns an app with its own streams and environment. Of this machine, it sees only the files.
func testApp(stdin string) (a *app, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	a = &app{stdin: strings.NewReader(stdin), stdout: stdout, stderr: stderr,
		getenv: withVariables(withoutPacing, "HOME", "/home/u", "PATH", "/nonexistent"), getwd: func() (string, error) { return "/srv/app", nil }, now: time.Now, tables: sharedTables}
	var err error
	if a.programs, err = shared(); err != nil {
		panic(err)
	}
	return a, stdout, stderr
}

// TestDecisions runs every case through Go, the command line and HTTP. All three
// must decide what the case wants, and the same to the letter. Together the cases provoke
// every code but those that testdata/unprovoked.yaml explains.
func TestDecisions(t *testing.T) {
	t.Parallel()
	list, err := cases.Read(filepath.Join("..", "..", "testdata", "decisions", "*.txtar"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(list), 25)
	seen := &provoked{codes: map[string]bool{}}
	t.Cleanup(func() { seen.compare(t, len(list)) }) // when all cases are done
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			require.True(t, c.HasPolicy(), "the case has no policy of its own")
			dir := t.TempDir()
			require.NoError(t, c.WritePolicy(dir))
			a, _, _ := testApp("")
			a.evaluator = bundles.Both // on the command line and over HTTP it is the usual one
			pdp, err := a.load(t.Context(), dir)
			require.NoError(t, err)
			own, verifiers := asIn(&c, pdp)

			inGo := own.DecideAll(t.Context(), c.Calls, gavel.Options{})
			assert.NoError(t, verifiers.Unasked())
			inShell := decideInShell(t, dir, c)
			own, _ = asIn(&c, pdp)
			overHTTP := decideOverHTTP(t, own, c)
			seen.add(overHTTP)
			for i := range c.Calls {
				assert.NoError(t, c.Compare(i, inGo[i]), "%s:%d", c.Path, c.Line(i))
				assert.Empty(t, badlyWorded(inGo[i]), "%s:%d", c.Path, c.Line(i))
				inGo[i].ID, inShell[i].ID, overHTTP[i].ID = "", "", ""
				assert.Equal(t, text(t, inGo[i]), text(t, inShell[i]), "Go and the command line differ")
				assert.Equal(t, text(t, inGo[i]), text(t, overHTTP[i]), "Go and HTTP differ")
			}
		})
	}
}

func text(t *testing.T, d gavel.Decision) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, strictjson.Write(&b, d))
	return b.String()
}

func decideInShell(t *testing.T, policy string, c cases.Case) []gavel.Decision {
	t.Helper()
	a, stdout, stderr := testApp(strings.Join(c.Texts, "\n"))
	if !c.Now.IsZero() {
		a.now = func() time.Time { return c.Now }
	}
	if verifiers := c.Verifiers(); verifiers != nil {
		a.verifiers = verifiers
	}
	code := a.run(context.Background(), []string{"decide", "--policy", policy, "-"})
	require.Empty(t, stderr.String())
	decisions := readDecisions(t, stdout, len(c.Calls))
	require.Equal(t, exitCode(decisions), code, "the exit code follows from the decisions")
	return decisions
}

func readDecisions(t *testing.T, from *bytes.Buffer, n int) []gavel.Decision {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(from.String(), "\n"), "\n")
	require.Len(t, lines, n)
	decisions := make([]gavel.Decision, n)
	for i, line := range lines {
		require.NoError(t, json.Unmarshal([]byte(line), &decisions[i]))
	}
	return decisions
}

func exitCode(decisions []gavel.Decision) int {
	code := exitOK
	for _, d := range decisions {
		switch {
		case d.Effect == gavel.Deny:
			return exitDenied
		case d.Effect == gavel.Ask:
			code = exitAsked
		}
	}
	return code
}

func decideOverHTTP(t *testing.T, pdp *gavel.PDP, c cases.Case) []gavel.Decision {
	t.Helper()
	tokens, err := server.NewTokens(map[string]string{"gateway": gatewayToken})
	require.NoError(t, err)
	s, err := server.New(server.Config{PDP: pdp, Status: func() gavel.PolicyStatus { return gavel.PolicyStatus{} }, Tokens: tokens})
	require.NoError(t, err)
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	decisions := make([]gavel.Decision, len(c.Calls))
	for i, call := range c.Texts {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"/v1/decisions", strings.NewReader(call))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+gatewayToken)
		answer, err := web.Client().Do(request)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&decisions[i]))
		require.NoError(t, answer.Body.Close())
	}
	return decisions
}
