package gavel_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who may import whom. The vocabulary is at the bottom and the wiring on top; the
// parts between them do not know one another, so that each can be read, tested and
// replaced alone. internal/ holds leaves that carry no decision.
func TestImportsPointOneWay(t *testing.T) {
	allowed := map[string]struct {
		imports []string
		why     string
	}{
		"gavel":                      {nil, "the vocabulary knows nobody"},
		"gavel/rego":                 {nil, "the policy is files"},
		"gavel/internal/nearest":     {nil, "it guesses what was meant, whoever wrote it"},
		"gavel/internal/redact":      {[]string{"gavel/internal/secrets"}, "it hides parameters, whoever is shown them"},
		"gavel/internal/secrets":     {nil, "it hides secrets, whoever shows a text"},
		"gavel/internal/jsonsize":    {nil, "it measures documents, whatever they say"},
		"gavel/internal/strictjson":  {[]string{"gavel", "gavel/internal/jsonsize", "gavel/internal/nearest"}, "it reads calls"},
		"gavel/internal/cases":       {[]string{"gavel", "gavel/internal/strictjson"}, "it reads calls and compares decisions"},
		"gavel/internal/display":     {nil, "it makes text harmless, whatever it says"},
		"gavel/internal/packed":      {nil, "it writes numbers and texts, whatever they mean"},
		"gavel/internal/regoir":      {[]string{"gavel/internal/packed"}, "it evaluates plans of OPA, whatever they decide"},
		"gavel/internal/inherit":     {nil, "it closes what this process was given, whatever it starts"},
		"gavel/internal/printed":     {nil, "it runs a program for what it prints, whatever it is for"},
		"gavel/internal/private":     {nil, "it opens secret files, whatever the secret"},
		"gavel/internal/statefile":   {[]string{"gavel/internal/private", "gavel/internal/strictjson"}, "it keeps one document, whatever it says"},
		"gavel/internal/telegram":    {[]string{"gavel/internal/display", "gavel/internal/outgoing", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/statefile", "gavel/internal/strictjson"}, "it asks people, whatever the question, and judges nothing"},
		"gavel/internal/rescue":      {nil, "it catches panics, whoever panicked"},
		"gavel/approvals/forward":    {[]string{"gavel", "gavel/approvals", "gavel/approvals/view", "gavel/internal/outgoing", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/strictjson", "gavel/internal/telegram"}, "it sends what everybody is shown, and serves nobody"},
		"gavel/approvals/view":       {[]string{"gavel", "gavel/approvals"}, "it makes approvals fit to be shown, wherever that is"},
		"gavel/internal/reference":   {[]string{"gavel", "gavel/internal/private"}, "it reads what settings refer to, whatever it is for"},
		"gavel/verifiers/telegram":   {[]string{"gavel", "gavel/internal/display", "gavel/internal/reference", "gavel/internal/telegram"}, "it asks one verifier, and judges no answer"},
		"gavel/verifiers":            {[]string{"gavel", "gavel/internal/redact", "gavel/internal/rescue"}, "it asks whatever verifiers it is given"},
		"gavel/verifiers/receiver":   {[]string{"gavel", "gavel/internal/outgoing", "gavel/internal/strictjson"}, "it is the other side of the webhook"},
		"gavel/verifiers/webhook":    {[]string{"gavel", "gavel/internal/display", "gavel/internal/outgoing", "gavel/internal/reference", "gavel/internal/strictjson"}, "it asks one verifier, and judges no answer"},
		"gavel/internal/outgoing":    {nil, "it signs, checks addresses and makes clients, whatever is posted"},
		"gavel/internal/pathglob":    {nil, "it finds patterns, whatever they are of"},
		"gavel/approvals/allowlist":  {[]string{"gavel", "gavel/internal/watch", "gavel/internal/pathglob", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/secrets", "gavel/internal/strictjson"}, "it keeps one file, and watches it as policies are watched"},
		"gavel/lint":                 {[]string{"gavel", "gavel/analyzer", "gavel/analyzer/hazard", "gavel/analyzer/programs", "gavel/bundles", "gavel/bundles/config", "gavel/internal/nearest", "gavel/internal/pathglob", "gavel/packs", "gavel/rego"}, "it compares a loaded policy with the catalog and with this machine"},
		"gavel/packs":                {[]string{"gavel/rego"}, "it reads one table of the shipped policy"},
		"gavel/tools/factgen":        {nil, "it reads the structs of facts as text, so that it runs when nothing else compiles"},
		"gavel/tools/docs":           {[]string{"gavel", "gavel/approvals/view", "gavel/analyzer", "gavel/analyzer/host", "gavel/analyzer/programs", "gavel/bundles", "gavel/grant", "gavel/rego", "gavel/server/access"}, "it writes pages about the shipped policy and the HTTP API"},
		"gavel/runner":               {[]string{"gavel", "gavel/client", "gavel/grant", "gavel/internal/inherit", "gavel/internal/statefile", "gavel/runner/proof", "gavel/runner/spawn"}, "it runs what somebody else has decided"},
		"gavel/runner/proof":         {[]string{"gavel", "gavel/analyzer/fileglob", "gavel/analyzer/host"}, "it compares files with pins, whatever they are for"},
		"gavel/runner/spawn":         {[]string{"gavel/internal/inherit"}, "it starts and ends processes, and knows no decision"},
		"gavel/runner/sessions":      {[]string{"gavel", "gavel/client", "gavel/runner", "gavel/runner/spawn"}, "it keeps what runs, whoever asks"},
		"gavel/runner/service":       {[]string{"gavel", "gavel/internal/rescue", "gavel/internal/strictjson", "gavel/runner", "gavel/runner/sessions", "gavel/server"}, "it answers two rows of the server's table, also as lines"},
		"gavel/runner/front":         {[]string{"gavel", "gavel/client", "gavel/grant", "gavel/hook", "gavel/internal/nearest", "gavel/internal/private", "gavel/internal/printed", "gavel/rego", "gavel/runner", "gavel/runner/proof", "gavel/runner/spawn"}, "it is a command line, and the small gavel-run links it"},
		"gavel/client":               {[]string{"gavel"}, "enforcement points link it, and nothing else of ours"},
		"gavel/internal/hostconfig":  {nil, "it edits files of hosts, and knows nothing of decisions"},
		"gavel/internal/clientcases": {nil, "it starts servers as processes, whatever asks them"},
		"gavel/tools/hostcheck":      {nil, "it runs programs: hosts, and Gavel as they do"},
		"gavel/tools/hookload":       {nil, "it runs programs, as hosts do"},
		"gavel/tools/clientcheck":    {[]string{"gavel/internal/clientcases"}, "it runs the tests of clients in other languages"},
		"gavel/tools/soak":           {[]string{"gavel"}, "it is a client like any other: it starts the server and speaks HTTP"},
		"gavel/tools/soundness":      {[]string{"gavel", "gavel/analyzer", "gavel/analyzer/host", "gavel/bundles", "gavel/rego", "gavel/runner"}, "it checks the whole against real shells"},
		"gavel/tools/faults":         {nil, "it runs the tests of packages in which it has planted faults"},
		"gavel/tools/regotest":       {[]string{"gavel/internal/regoir"}, "it runs the Rego tests of any bundle, and knows nothing of this one"},
		"gavel/tools/soundness/stub": {nil, "it only says that it ran"},
		"gavel/analyzer":             {[]string{"gavel", "gavel/analyzer/hazard", "gavel/analyzer/host", "gavel/analyzer/programs", "gavel/analyzer/protected", "gavel/analyzer/shell", "gavel/analyzer/site", "gavel/analyzer/spelling", "gavel/analyzer/unwrap", "gavel/analyzer/web", "gavel/internal/nearest"}, "calls become facts"},
		"gavel/analyzer/unwrap":      {[]string{"gavel", "gavel/analyzer/archive", "gavel/analyzer/argv", "gavel/analyzer/fileglob", "gavel/analyzer/hazard", "gavel/analyzer/host", "gavel/analyzer/programs", "gavel/analyzer/shell", "gavel/analyzer/site", "gavel/analyzer/spelling", "gavel/analyzer/tracked"}, "scripts become segments"},
		"gavel/analyzer/protected":   {[]string{"gavel/analyzer/host", "gavel/analyzer/programs", "gavel/analyzer/spelling", "gavel/analyzer/web"}, "it compares words with what is closed to everybody"},
		"gavel/analyzer/archive":     {nil, "it reads archives, whoever unpacks them"},
		"gavel/analyzer/tracked":     {[]string{"gavel/analyzer/host", "gavel/analyzer/programs"}, "it reads repositories of git, whoever asks what is tracked"},
		"gavel/analyzer/treescan":    {[]string{"gavel", "gavel/analyzer/host"}, "it looks for files, and knows no commands"},
		"gavel/analyzer/site":        {[]string{"gavel", "gavel/analyzer/treescan", "gavel/analyzer/hazard", "gavel/analyzer/host", "gavel/analyzer/protected"}, "it says what words mean where a call runs"},
		"gavel/analyzer/hazard":      {[]string{"gavel", "gavel/analyzer/argv", "gavel/analyzer/treescan", "gavel/analyzer/filter", "gavel/analyzer/hazard/lang", "gavel/analyzer/host", "gavel/analyzer/programs", "gavel/analyzer/spelling", "gavel/analyzer/tracked"}, "it reads arguments, and knows no shell"},
		"gavel/analyzer/hazard/lang": {[]string{"gavel", "gavel/analyzer/spelling"}, "it reads programs in small languages, whoever runs them"},
		"gavel/analyzer/shell":       {[]string{"gavel", "gavel/analyzer/argv", "gavel/analyzer/programs", "gavel/analyzer/spelling"}, "it reads texts as shells do; of the catalog it needs what builtins do to a shell"},
		"gavel/analyzer/fileglob":    {[]string{"gavel/analyzer/host"}, "it expands globs, for those who judge them and for those who run them"},
		"gavel/analyzer/host":        {[]string{"gavel/analyzer/spelling"}, "it looks up files and programs, whatever they are for"},
		"gavel/analyzer/web":         {[]string{"gavel"}, "it reads URLs, whoever opens them"},
		"gavel/analyzer/directive":   {[]string{"gavel", "gavel/analyzer/spelling"}, "it reads messages, whoever wrote them"},
		"gavel/analyzer/spelling":    {nil, "it compares names, whatever they name"},
		"gavel/analyzer/argv":        {nil, "it reads words by whatever grammar it is given"},
		"gavel/analyzer/filter":      {[]string{"gavel", "gavel/analyzer/argv"}, "it says how a filter reads its words"},
		"gavel/analyzer/programs":    {[]string{"gavel/analyzer/argv"}, "it reads the catalog, whoever asks"},
		"gavel/tools/programcheck":   {[]string{"gavel/analyzer/programs"}, "it compares the catalog with programs"},
		"gavel/tools/catalogview":    {[]string{"gavel/analyzer/programs"}, "it prints the catalog"},
		"gavel/tools/sbom":           {nil, "it reads any Go binary"},
		"gavel/hook":                 {[]string{"gavel", "gavel/hosts", "gavel/hosts/all", "gavel/internal/private"}, "it is the process of a hook: it reads, asks whoever decides, and prints"},
		"gavel/hosts":                {[]string{"gavel", "gavel/internal/jsonsize"}, "it reads and writes what hosts say, and the small gavel-hook links it"},
		"gavel/hosts/hosttest":       {[]string{"gavel", "gavel/hosts"}, "it tests translators"},
		"gavel/hosts/all":            {[]string{"gavel/hosts", "gavel/hosts/claudecode", "gavel/hosts/cline", "gavel/hosts/codex", "gavel/hosts/copilot", "gavel/hosts/cursor", "gavel/hosts/droid", "gavel/hosts/gemini", "gavel/hosts/openclaw", "gavel/hosts/opencode", "gavel/hosts/qwen", "gavel/hosts/vscode", "gavel/hosts/windsurf"}, "it lists the translators"},
		"gavel/hosts/codex":          {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/gemini":         {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/qwen":           {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/cline":          {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/copilot":        {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/cursor":         {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/droid":          {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/vscode":         {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/windsurf":       {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/opencode":       {[]string{"gavel", "gavel/hosts", "gavel/hosts/plugin"}, "one host"},
		"gavel/hosts/plugin":         {nil, "it is a file in TypeScript"},
		"gavel/hosts/openclaw":       {[]string{"gavel", "gavel/hosts"}, "one host"},
		"gavel/hosts/claudecode":     {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/credentials/source":   {[]string{"gavel/internal/nearest", "gavel/internal/printed", "gavel/internal/private", "gavel/internal/strictjson"}, "it reads credentials, whatever they are for"},
		"gavel/credentials/wrappers": {[]string{"gavel", "gavel/credentials/source", "gavel/credentials/wire", "gavel/internal/nearest", "gavel/internal/private", "gavel/internal/secrets"}, "it reads one configuration, and runs nothing"},
		"gavel/credentials/redact":   {nil, "it takes texts out of texts, whatever they are"},
		"gavel/credentials/daemon":   {[]string{"gavel", "gavel/credentials/redact", "gavel/credentials/source", "gavel/credentials/wire", "gavel/credentials/wrappers", "gavel/internal/inherit", "gavel/internal/private", "gavel/internal/rescue"}, "it runs tools for clients, and asks whatever policy it is given"},
		"gavel/credentials/cases":    {nil, "it reads the cases of the reference, for tests"},
		"gavel/credentials/wrap":     {[]string{"gavel/credentials/wire"}, "it is the client: it has no credential and no policy"},
		"gavel/credentials/wire":     {[]string{"gavel/internal/private", "gavel/internal/strictjson"}, "it reads and writes a protocol, whoever speaks it"},
		"gavel/grant":                {nil, "whoever runs commands elsewhere links it, and nothing else of ours"},
		"gavel/approvals":            {[]string{"gavel", "gavel/grant", "gavel/internal/display", "gavel/internal/pathglob", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/secrets"}, "it keeps questions and answers, and judges neither"},
		"gavel/decisionlog":          {[]string{"gavel", "gavel/internal/private", "gavel/internal/redact", "gavel/internal/rescue", "gavel/internal/secrets"}, "it writes what it is given"},
		"gavel/internal/watch":       {[]string{"gavel/internal/rescue"}, "it watches files, whatever they hold"},
		"gavel/bundles/builtins":     {[]string{"gavel"}, "it says which functions a policy may call, and bounds them"},
		"gavel/bundles/config":       {[]string{"gavel", "gavel/internal/nearest"}, "it reads configurations"},
		"gavel/bundles/ruleindex":    {[]string{"gavel", "gavel/internal/pathglob"}, "it finds what a configuration says about a program, and judges nothing"},
		"gavel/bundles":              {[]string{"gavel", "gavel/bundles/builtins", "gavel/bundles/config", "gavel/bundles/ruleindex", "gavel/analyzer/argv", "gavel/analyzer/filter", "gavel/internal/nearest", "gavel/internal/packed", "gavel/internal/watch", "gavel/internal/pathglob", "gavel/internal/regoir", "gavel/internal/rescue", "gavel/internal/secrets"}, "facts become decisions"},
		"gavel/identity":             {[]string{"gavel", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/statefile", "gavel/internal/strictjson"}, "it knows who shows a credential, and judges nothing"},
		"gavel/recorded":             {[]string{"gavel", "gavel/internal/rescue", "gavel/internal/statefile"}, "it remembers what was recorded, whatever that is"},
		"gavel/pauses":               {[]string{"gavel", "gavel/internal/statefile"}, "it keeps one file"},
		"gavel/sessions":             {[]string{"gavel", "gavel/analyzer/spelling", "gavel/internal/statefile"}, "it keeps one file"},
		"gavel/server/access":        {[]string{"gavel"}, "it is a table: what HTTP offers, and what a caller must hold for it"},
		"gavel/server":               {[]string{"gavel", "gavel/server/access", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/secrets", "gavel/internal/strictjson"}, "it serves whatever PDP and handlers it is given"},
		"gavel/server/approvalapi":   {[]string{"gavel", "gavel/server/access", "gavel/approvals", "gavel/approvals/allowlist", "gavel/approvals/view", "gavel/grant", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/secrets", "gavel/internal/strictjson"}, "it is the way in for those who ask and those who answer; approvals know nothing of HTTP, and the server nothing of approvals"},
	}
	seen := map[string]bool{}
	for name, imports := range packages(t) {
		if strings.HasPrefix(name, "gavel/cmd/") {
			continue // the wiring knows everybody
		}
		rule, known := allowed[name]
		if !assert.True(t, known, "%s is a new package: say here what it may import, and why", name) {
			continue
		}
		seen[name] = true
		for _, other := range imports {
			if other == "gavel" || strings.HasPrefix(other, "gavel/") {
				assert.Contains(t, rule.imports, other, "%s must not import it: %s", name, rule.why)
			}
		}
	}
	for name := range allowed {
		assert.True(t, seen[name], "%s is gone: take it off this list", name)
	}
}

func TestTheVocabularyImportsTheStandardLibraryOnly(t *testing.T) {
	for _, path := range packages(t)["gavel"] {
		first, _, _ := strings.Cut(path, "/")
		assert.NotContains(t, first, ".", path)
	}
}

// What an enforcement point links must not pull in a module.
func TestTheClientImportsTheStandardLibraryOnly(t *testing.T) {
	for _, path := range packages(t)["gavel/client"] {
		first, _, _ := strings.Cut(path, "/")
		assert.NotContains(t, first, ".", path)
	}
}

// tools/regotest is not part of the product: it is to OPA's tests what go test is to Go's.
// internal/regoir evaluates OPA's plans; it has no decision in it.
func TestOnlyBundlesImportsOPA(t *testing.T) {
	found := false
	for name, imports := range packages(t) {
		for _, path := range imports {
			if strings.HasPrefix(path, "github.com/open-policy-agent/opa") {
				found = true
				assert.Contains(t, []string{"gavel/bundles", "gavel/bundles/builtins", "gavel/internal/regoir", "gavel/tools/regotest"}, name, path)
			}
		}
	}
	assert.True(t, found, "the list of imports is empty or wrong")
}

// packages lists the module's packages with what their production code imports.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	require.NoError(t, err)
	list := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		list[fields[0]] = fields[1:]
	}
	require.NotEmpty(t, list)
	return list
}

// Approvals are asked for and answered over HTTP, by webhooks and on the command line alike;
// only the server knows what a request is. approvals/forward is a client.
func TestOnlyTheServerKnowsHTTP(t *testing.T) {
	serves := 0
	for name, imports := range packages(t) {
		for _, path := range imports {
			if path != "net/http" && !strings.HasPrefix(path, "github.com/go-chi/chi") {
				continue
			}
			switch {
			case name == "gavel/server" || strings.HasPrefix(name, "gavel/server/"):
				serves++
			case strings.HasPrefix(name, "gavel/cmd/") || strings.HasPrefix(name, "gavel/tools/"):
			default:
				assert.Contains(t, clients(), name, "%s imports %s: only clients outside server do", name, path)
			}
		}
	}
	assert.NotZero(t, serves, "the list of imports is empty or wrong")
}

// clients are the packages outside server that speak HTTP.
func clients() []string {
	return []string{
		"gavel/approvals/forward",
		"gavel/client",
		"gavel/identity",
		"gavel/internal/clientcases",
		"gavel/internal/outgoing",
		"gavel/internal/telegram",
		"gavel/runner/service",
		"gavel/verifiers/receiver",
		"gavel/verifiers/webhook",
	}
}
