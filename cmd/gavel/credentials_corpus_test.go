package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/credentials/cases"
	"gavel/credentials/wrappers"
)

// corpusTests says which test runs the cases of an area as they stand in the file. What a case of them
// has that does not exist here is in differs.
func corpusTests() map[string]string {
	return map[string]string{
		"auth": "credentials/wire/corpus_test.go", "framing": "credentials/wire/corpus_test.go", "derived.canonical": "credentials/wire/corpus_test.go",
		"derived.replay": "credentials/wire/corpus_test.go", "config": "credentials/wrappers/corpus_test.go", "credentials": "credentials/source/corpus_test.go",
		"replay": "credentials/daemon/replay_test.go", "admin.check_gate": "credentials/daemon/replay_test.go", "env.build": "credentials/daemon/corpus_test.go",
		"derived.env": "credentials/daemon/corpus_test.go", "exec.options": "credentials/daemon/corpus_test.go", "exec.lifecycle": "credentials/daemon/corpus_test.go",
		"derived.exec": "credentials/daemon/corpus_test.go", "derived.conn": "credentials/daemon/corpus_test.go", "exec.secrets": "credentials/redact/corpus_test.go",
	}
}

// corpusDifferences returns the cases whose expected result is not Gavel's, each with the reason. The test of
// their area checks what Gavel does instead.
func corpusDifferences() map[string]string {
	return map[string]string{
		"TestBuildEnvironment_UseProxyInjectsAuthenticatedURL": "there is no HTTP proxy: use_proxy is an error of the configuration",
		"TestBuildEnvironment_UseProxyRequiresToken":           "there is no HTTP proxy: use_proxy is an error of the configuration",
		"TestReplayCache_UpdateSettings":                       "nothing is forgotten before its time: a smaller cache refuses, and does not drop entries",
		"TestNDJSONReader_InvalidJSON":                         "the error has other words",
		"TestValidate_MissingCredentialRef":                    "an older version: a plain word that is not a credential is a literal",
		"TestRuntimeDirMode/gid":                               "the daemon makes no directory for its socket, and has no --runtime-gid: the service manager makes it",
	}
}

func TestEveryCaseOfTheCredentialReferenceHolds(t *testing.T) {
	pdp, err := newApp().credentialPDP(t.Context())
	require.NoError(t, err)
	environment, err := credentialEnvironment()
	require.NoError(t, err)
	counts := map[string]int{}
	names := map[string]bool{}
	for _, c := range cases.Read(t, "../../credentials") {
		counts[c.Area]++
		names[c.Name] = true
		name := c.Area + "/" + strings.ReplaceAll(c.Name, "/", "_")
		switch c.Area {
		case "args.blocked", "args.allowed", "args.tool":
			t.Run(name, func(t *testing.T) { argumentsCase(t, pdp, c) })
		case "config.argv":
			t.Run(name, func(t *testing.T) { argvCase(t, pdp, c) })
		case "env.deny":
			t.Run(name, func(t *testing.T) {
				key := cases.Get[string](t, c.Input, "key")
				assert.Equal(t, cases.Get[bool](t, c.Expect, "denied"), environment.Denied(key), key)
			})
		case "daemon.modes":
			t.Run(name, func(t *testing.T) { modeCase(t, c) })
		default:
			text, err := os.ReadFile(filepath.Join("../..", corpusTests()[c.Area]))
			require.NoError(t, err, c.Area)
			require.Contains(t, string(text), `"`+c.Area+`"`)
		}
	}
	for name := range corpusDifferences() {
		assert.True(t, names[name], "%s is not a case", name)
	}
	assert.Equal(t, 26, counts["args.blocked"]+counts["args.allowed"]+counts["args.tool"])
	assert.Equal(t, 35, counts["env.deny"])
}

// decideArguments returns the decision about the arguments of a tool with these rules.
func decideArguments(t *testing.T, pdp *gavel.PDP, allowlist bool, blocked, allowed []any, args []string) gavel.Decision {
	t.Helper()
	words := []any{}
	for _, arg := range args {
		words = append(words, arg)
	}
	return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "credential", Params: map[string]any{
		"tool": "t", "binary": "/opt/tool", "args": words, "cwd": "/srv", "uid": 1000.0, "caller": "/usr/bin/gavel", "env": []any{}, "dropped": []any{}, "pty": false,
		"credentials": []any{"token"}, "allowlist": allowlist, "blocked": blocked, "allowed": allowed}},
		Environment: &gavel.Environment{Cwd: "/srv"}}, gavel.Options{})
}

// ruleParams are rules as the daemon sends them. readable is false for a rule that wrappers.yaml
// cannot have.
func ruleParams(t *testing.T, text json.RawMessage) (list []any, readable bool) {
	t.Helper()
	list, readable = []any{}, true
	var rules []map[string]any
	if len(text) > 0 {
		require.NoError(t, json.Unmarshal(text, &rules))
	}
	for _, rule := range rules {
		match, pattern, message := rule["match"], rule["pattern"], rule["message"]
		if match == nil {
			match = wrappers.MatchArg
		}
		if message == nil {
			message = ""
		}
		if compiled, told := rule["compiled"]; told && compiled == nil {
			pattern, readable = "(", false
		}
		readable = readable && (match == wrappers.MatchArg || match == wrappers.MatchCommand)
		list = append(list, map[string]any{"match": match, "pattern": pattern, "argv": []any{}, "message": message})
	}
	return list, readable
}

func argumentsCase(t *testing.T, pdp *gavel.PDP, c cases.Case) {
	tool := map[string]json.RawMessage{}
	if text, given := c.Input["tool"]; given {
		require.NoError(t, json.Unmarshal(text, &tool))
	} else if c.Area == "args.allowed" {
		tool["allowed_args"], tool["mode"] = c.Input["rules"], json.RawMessage(`"allowlist"`)
		if string(c.Input["rules"]) == "[]" {
			tool["mode"] = nil // wrappers.yaml cannot have an allowlist without rules
		}
	} else {
		tool["blocked_args"] = c.Input["rules"]
	}
	var args []string
	require.NoError(t, json.Unmarshal(c.Input["args"], &args))
	blocked, good := ruleParams(t, tool["blocked_args"])
	allowed, fine := ruleParams(t, tool["allowed_args"])
	decision := decideArguments(t, pdp, string(tool["mode"]) == `"allowlist"`, blocked, allowed, args)
	want := string(c.Expect["allowed"]) == "true"
	require.Equal(t, want, decision.Effect == gavel.Allow, "%+v", decision.Reasons)
	var message string
	if text := c.Expect["message"]; len(text) > 0 && good && fine && !want {
		require.NoError(t, json.Unmarshal(text, &message))
		var says []string
		for _, reason := range decision.Reasons {
			says = append(says, reason.Message)
		}
		assert.Contains(t, says, message)
	}
}

func argvCase(t *testing.T, pdp *gavel.PDP, c cases.Case) {
	if c.Input["rule"] != nil {
		_, err := wrappers.Parse("w", []byte("tools: {t: {binary: /bin/true, mode: allowlist, allowed_args: [{match: command, pattern: x, argv: [call]}]}}"))
		require.ErrorContains(t, err, "argv is only valid with match: argv")
		return
	}
	var patterns []any
	var arg string
	require.NoError(t, json.Unmarshal(c.Input["argv"], &patterns))
	require.NoError(t, json.Unmarshal(c.Input["arg"], &arg))
	rules := []any{map[string]any{"match": "argv", "pattern": "", "argv": patterns, "message": ""}}
	for text, want := range map[string]bool{arg: string(c.Expect["match"]) == "true", "front.read": true} {
		decision := decideArguments(t, pdp, true, []any{}, rules, []string{"call", text, "--args", "{\n}"})
		assert.Equal(t, want, decision.Effect == gavel.Allow, "%s: %+v", text, decision.Reasons)
	}
}

func modeCase(t *testing.T, c cases.Case) {
	text := cases.Get[string](t, c.Input, "mode") + cases.Get[string](t, c.Input, "socket_mode")
	switch name, _, _ := strings.Cut(c.Name, "/"); name {
	case "TestParseAuthFileMode":
		_, err := fileMode("--auth-mode", text, 0o600, 0o640)
		assert.Equal(t, cases.Get[bool](t, c.Expect, "ok"), err == nil)
	case "TestParseSocketFileMode", "TestDaemonRunRejectsInvalidRuntimeOptions":
		_, err := fileMode("--socket-mode", text, 0o600, 0o660)
		assert.Equal(t, cases.Get[bool](t, c.Expect, "ok"), err == nil)
	default:
		require.NotEmpty(t, corpusDifferences()[c.Name], "nothing runs this case")
		assert.Nil(t, newApp().credentialsServeCommand().Flags().Lookup("runtime-gid"))
	}
}

func TestModesOfTheDaemonsFiles(t *testing.T) {
	for text, ok := range map[string]bool{"0600": true, "0o600": true, "600": true, "0640": true, "0666": false, "2640": false, "": false, "rw": false} {
		_, err := fileMode("--auth-mode", text, 0o600, 0o640)
		assert.Equal(t, ok, err == nil, text)
	}
	for text, ok := range map[string]bool{"0600": true, "0660": true, "0640": false, "0666": false} {
		_, err := fileMode("--socket-mode", text, 0o600, 0o660)
		assert.Equal(t, ok, err == nil, text)
	}
}

func TestADaemonOfAnotherVersionIsReported(t *testing.T) {
	for answer, want := range map[string]string{`{"tools":{},"version":"0.1.3"}`: "0.1.3", `{"tools":{},"version":"dev"}`: "", `{"error":"unknown admin command"}`: "", `x`: ""} {
		assert.Equal(t, want, otherVersion([]byte(answer), "dev"), answer)
	}
}

func TestALinkWithTheNameOfAToolIsTheTool(t *testing.T) {
	for name, c := range map[string]struct{ argv0, executable, want string }{
		"a link":              {"/usr/local/bin/gh", "/usr/local/bin/gavel", "gh"},
		"by its bare name":    {"gh", "/usr/local/bin/gavel", "gh"},
		"gavel":               {"gavel", "/usr/local/bin/gavel", ""},
		"a build of gavel":    {"gavel-linux", "/opt/gavel-linux", ""},
		"another link to it":  {"gavel-shell", "/usr/local/bin/gavel", ""},
		"a login shell":       {"-gavel", "/usr/local/bin/gavel", ""},
		"a test":              {"/tmp/x/gavel.test", "/tmp/x/gavel.test", ""},
		"another program":     {"gh", "/tmp/main.test", ""},
		"no name of a tool":   {"/usr/bin/g h", "/usr/local/bin/gavel", ""},
		"the name of claw":    {"claw-wrap", "/usr/local/bin/gavel", ""},
		"a name that is dots": {"..", "/usr/local/bin/gavel", ""},
	} {
		assert.Equal(t, c.want, multicall(c.argv0, func() (string, error) { return c.executable, nil }), name)
	}
}
