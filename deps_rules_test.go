package gavel_test

// importRule lists the packages of this module that a package may import, and why no others.
type importRule struct {
	imports []string
	why     string
}

// vocabularyImports covers the packages that others are built on.
func vocabularyImports() map[string]importRule {
	return map[string]importRule{
		"gavel":        {nil, "the vocabulary imports nothing, so that every package can import it"},
		"gavel/client": {[]string{"gavel"}, "enforcement points link it, so it must stay small"},
		"gavel/grant":  {nil, "enforcement points link it, so it must stay small"},
		"gavel/lint":   {[]string{"gavel", "gavel/analyzer", "gavel/analyzer/hazard", "gavel/analyzer/programs", "gavel/bundles", "gavel/bundles/config", "gavel/internal/nearest", "gavel/internal/pathglob", "gavel/packs", "gavel/rego"}, "it compares a loaded policy with the catalog and with this machine"},
		"gavel/packs":  {[]string{"gavel/rego"}, "it reads one table of the shipped policy"},
		"gavel/rego":   {nil, "it only embeds files"},
	}
}

// internalImports covers the packages in internal, which contain no decision.
func internalImports() map[string]importRule {
	return map[string]importRule{
		"gavel/internal/cases":       {[]string{"gavel", "gavel/internal/strictjson"}, "it reads test cases and compares decisions"},
		"gavel/internal/clientcases": {nil, "it starts servers as processes, for tests of clients"},
		"gavel/internal/display":     {nil, "it sanitises text for people"},
		"gavel/internal/hostconfig":  {nil, "it edits files of hosts, and knows nothing of decisions"},
		"gavel/internal/describe":    {nil, "it turns comments of structs into descriptions for JSON Schemas"},
		"gavel/internal/inherit":     {nil, "it closes inherited file descriptors"},
		"gavel/internal/jsonsize":    {nil, "it measures JSON documents"},
		"gavel/internal/nearest":     {nil, "it suggests the nearest name from a list"},
		"gavel/internal/outgoing":    {nil, "it creates HTTP clients with address checks, and signs requests"},
		"gavel/internal/packed":      {nil, "it encodes numbers and strings"},
		"gavel/internal/pathglob":    {nil, "it matches paths with patterns"},
		"gavel/internal/printed":     {[]string{"gavel/internal/inherit"}, "it runs a program and returns its output"},
		"gavel/internal/private":     {nil, "it opens files that only their owner may access"},
		"gavel/internal/redact":      {[]string{"gavel/internal/secrets"}, "it redacts parameters"},
		"gavel/internal/reference":   {[]string{"gavel", "gavel/internal/private"}, "it resolves references to secrets in settings"},
		"gavel/internal/regoir":      {[]string{"gavel/internal/packed"}, "it evaluates OPA's plans, and knows nothing about what they decide"},
		"gavel/internal/rescue":      {nil, "it recovers panics"},
		"gavel/internal/secrets":     {nil, "it masks secrets in text"},
		"gavel/internal/statefile":   {[]string{"gavel/internal/private", "gavel/internal/strictjson"}, "it stores one JSON document in a file"},
		"gavel/internal/strictjson":  {[]string{"gavel", "gavel/internal/jsonsize", "gavel/internal/nearest"}, "it decodes JSON strictly"},
		"gavel/internal/telegram":    {[]string{"gavel/internal/display", "gavel/internal/outgoing", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/statefile", "gavel/internal/strictjson"}, "it asks people through Telegram, and judges no answer"},
		"gavel/internal/watch":       {[]string{"gavel/internal/rescue"}, "it watches files for changes"},
	}
}

// analyzerImports covers the packages that turn a call into facts.
func analyzerImports() map[string]importRule {
	return map[string]importRule{
		"gavel/analyzer":             {[]string{"gavel", "gavel/analyzer/hazard", "gavel/analyzer/host", "gavel/analyzer/programs", "gavel/analyzer/protected", "gavel/analyzer/shell", "gavel/analyzer/site", "gavel/analyzer/spelling", "gavel/analyzer/unwrap", "gavel/analyzer/web", "gavel/internal/nearest"}, "it turns calls into facts"},
		"gavel/analyzer/archive":     {nil, "it lists the contents of archives"},
		"gavel/analyzer/argv":        {nil, "it reads options by the grammar that it is given"},
		"gavel/analyzer/directive":   {[]string{"gavel", "gavel/analyzer/spelling"}, "it parses directives in messages"},
		"gavel/analyzer/filter":      {[]string{"gavel", "gavel/analyzer/argv"}, "it reads the arguments of filters"},
		"gavel/analyzer/fileglob":    {[]string{"gavel/analyzer/host"}, "it expands patterns of file names"},
		"gavel/analyzer/hazard":      {[]string{"gavel", "gavel/analyzer/argv", "gavel/analyzer/treescan", "gavel/analyzer/filter", "gavel/analyzer/hazard/lang", "gavel/analyzer/host", "gavel/analyzer/programs", "gavel/analyzer/spelling", "gavel/analyzer/tracked"}, "it interprets arguments, and knows nothing of shells"},
		"gavel/analyzer/hazard/lang": {[]string{"gavel", "gavel/analyzer/spelling"}, "it reads programs in small languages"},
		"gavel/analyzer/host":        {[]string{"gavel/analyzer/spelling"}, "it looks up files and programs"},
		"gavel/analyzer/programs":    {[]string{"gavel/analyzer/argv"}, "it reads the catalog of programs"},
		"gavel/analyzer/protected":   {[]string{"gavel/analyzer/host", "gavel/analyzer/programs", "gavel/analyzer/spelling", "gavel/analyzer/web"}, "it compares words with protected locations"},
		"gavel/analyzer/shell":       {[]string{"gavel", "gavel/analyzer/argv", "gavel/analyzer/programs", "gavel/analyzer/spelling"}, "it parses text as shells do; from the catalog it needs the effects of builtins"},
		"gavel/analyzer/site":        {[]string{"gavel", "gavel/analyzer/treescan", "gavel/analyzer/hazard", "gavel/analyzer/host", "gavel/analyzer/protected"}, "it resolves words where a call runs"},
		"gavel/analyzer/spelling":    {nil, "it compares names"},
		"gavel/analyzer/tracked":     {[]string{"gavel/analyzer/host", "gavel/analyzer/programs"}, "it lists the files that git tracks"},
		"gavel/analyzer/treescan":    {[]string{"gavel", "gavel/analyzer/host"}, "it searches directories for files, and knows nothing of commands"},
		"gavel/analyzer/unwrap":      {[]string{"gavel", "gavel/analyzer/archive", "gavel/analyzer/argv", "gavel/analyzer/fileglob", "gavel/analyzer/hazard", "gavel/analyzer/host", "gavel/analyzer/programs", "gavel/analyzer/shell", "gavel/analyzer/site", "gavel/analyzer/spelling", "gavel/analyzer/tracked"}, "it turns scripts into segments"},
		"gavel/analyzer/web":         {[]string{"gavel"}, "it parses URLs"},
	}
}

// stateImports covers the packages that load policies, store state, and log.
func stateImports() map[string]importRule {
	return map[string]importRule{
		"gavel/approvals":           {[]string{"gavel", "gavel/grant", "gavel/internal/display", "gavel/internal/pathglob", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/secrets"}, "it stores questions and answers, and judges neither"},
		"gavel/approvals/allowlist": {[]string{"gavel", "gavel/internal/watch", "gavel/internal/pathglob", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/secrets", "gavel/internal/strictjson"}, "it stores the allowlist file, and watches it for changes"},
		"gavel/approvals/forward":   {[]string{"gavel", "gavel/approvals", "gavel/approvals/view", "gavel/internal/outgoing", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/strictjson", "gavel/internal/telegram"}, "it is a client that sends questions to chats and webhooks"},
		"gavel/approvals/view":      {[]string{"gavel", "gavel/approvals"}, "it prepares approvals for display"},
		"gavel/bundles":             {[]string{"gavel", "gavel/bundles/builtins", "gavel/bundles/config", "gavel/bundles/ruleindex", "gavel/analyzer/argv", "gavel/analyzer/filter", "gavel/internal/nearest", "gavel/internal/packed", "gavel/internal/watch", "gavel/internal/pathglob", "gavel/internal/regoir", "gavel/internal/rescue", "gavel/internal/secrets"}, "it turns facts into decisions"},
		"gavel/bundles/builtins":    {[]string{"gavel"}, "it defines and limits the functions that a policy may call"},
		"gavel/bundles/config":      {[]string{"gavel", "gavel/internal/nearest"}, "it reads configurations"},
		"gavel/bundles/ruleindex":   {[]string{"gavel", "gavel/bundles/config", "gavel/internal/pathglob"}, "it finds the entries and rules about a program, and judges nothing"},
		"gavel/decisionlog":         {[]string{"gavel", "gavel/internal/private", "gavel/internal/redact", "gavel/internal/rescue", "gavel/internal/secrets"}, "it writes the events that it is given"},
		"gavel/identity":            {[]string{"gavel", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/statefile", "gavel/internal/strictjson"}, "it identifies the holders of credentials, and judges nothing"},
		"gavel/pauses":              {[]string{"gavel", "gavel/internal/statefile"}, "it stores one file"},
		"gavel/recorded":            {[]string{"gavel", "gavel/internal/rescue", "gavel/internal/statefile"}, "it remembers which ids were recorded"},
		"gavel/sessions":            {[]string{"gavel", "gavel/analyzer/spelling", "gavel/internal/statefile"}, "it stores one file"},
		"gavel/verifiers":           {[]string{"gavel", "gavel/internal/redact", "gavel/internal/rescue"}, "it asks the verifiers that it is given"},
		"gavel/verifiers/receiver":  {[]string{"gavel", "gavel/internal/outgoing", "gavel/internal/strictjson"}, "it is the receiving side of the webhook protocol"},
		"gavel/verifiers/telegram":  {[]string{"gavel", "gavel/internal/display", "gavel/internal/reference", "gavel/internal/telegram"}, "it asks one verifier, and judges no answer"},
		"gavel/verifiers/webhook":   {[]string{"gavel", "gavel/internal/display", "gavel/internal/outgoing", "gavel/internal/reference", "gavel/internal/strictjson"}, "it asks one verifier, and judges no answer"},
	}
}

// serverImports covers the packages that serve HTTP.
func serverImports() map[string]importRule {
	return map[string]importRule{
		"gavel/server":             {[]string{"gavel", "gavel/server/access", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/secrets", "gavel/internal/strictjson"}, "it serves the PDP and the handlers that it is given"},
		"gavel/server/access":      {[]string{"gavel"}, "it is the table of routes and of the rights that they need"},
		"gavel/server/approvalapi": {[]string{"gavel", "gavel/server/access", "gavel/approvals", "gavel/approvals/allowlist", "gavel/approvals/view", "gavel/grant", "gavel/internal/private", "gavel/internal/rescue", "gavel/internal/secrets", "gavel/internal/strictjson"}, "it is the HTTP side of approvals: approvals know nothing of HTTP, and the server nothing of approvals"},
	}
}

// hostImports covers the hooks and translators of hosts.
func hostImports() map[string]importRule {
	return map[string]importRule{
		"gavel/hook":             {[]string{"gavel", "gavel/hosts", "gavel/hosts/all", "gavel/internal/private"}, "it is the process of a hook: it reads the payload, asks for a decision, and prints the reply"},
		"gavel/hosts":            {[]string{"gavel", "gavel/internal/jsonsize"}, "it defines the contract of translators, and the small binary gavel-hook links it"},
		"gavel/hosts/all":        {[]string{"gavel/hosts", "gavel/hosts/claudecode", "gavel/hosts/cline", "gavel/hosts/codex", "gavel/hosts/copilot", "gavel/hosts/cursor", "gavel/hosts/droid", "gavel/hosts/gemini", "gavel/hosts/openclaw", "gavel/hosts/opencode", "gavel/hosts/qwen", "gavel/hosts/vscode", "gavel/hosts/windsurf"}, "it lists the translators"},
		"gavel/hosts/claudecode": {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/cline":      {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/codex":      {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/copilot":    {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/cursor":     {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/droid":      {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/gemini":     {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/hosttest":   {[]string{"gavel", "gavel/hosts"}, "it tests translators"},
		"gavel/hosts/openclaw":   {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/opencode":   {[]string{"gavel", "gavel/hosts", "gavel/hosts/plugin"}, "it translates one host"},
		"gavel/hosts/plugin":     {nil, "it embeds a TypeScript file"},
		"gavel/hosts/qwen":       {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/vscode":     {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
		"gavel/hosts/windsurf":   {[]string{"gavel", "gavel/hosts"}, "it translates one host"},
	}
}

// enforcementImports covers the packages that run commands and tools.
func enforcementImports() map[string]importRule {
	return map[string]importRule{
		"gavel/credentials/cases":    {nil, "it reads the test cases of the reference"},
		"gavel/credentials/daemon":   {[]string{"gavel", "gavel/credentials/redact", "gavel/credentials/source", "gavel/credentials/wire", "gavel/credentials/wrappers", "gavel/internal/inherit", "gavel/internal/private", "gavel/internal/rescue"}, "it runs tools with credentials, and asks the policy that it is given"},
		"gavel/credentials/redact":   {nil, "it redacts credentials in output"},
		"gavel/credentials/source":   {[]string{"gavel/internal/nearest", "gavel/internal/printed", "gavel/internal/private", "gavel/internal/strictjson"}, "it reads credentials"},
		"gavel/credentials/wire":     {[]string{"gavel/internal/private", "gavel/internal/strictjson"}, "it encodes and decodes the daemon's protocol"},
		"gavel/credentials/wrap":     {[]string{"gavel/credentials/wire"}, "it is the client of the daemon: it has neither credentials nor a policy"},
		"gavel/credentials/wrappers": {[]string{"gavel", "gavel/credentials/source", "gavel/credentials/wire", "gavel/internal/nearest", "gavel/internal/private", "gavel/internal/secrets"}, "it reads wrappers.yaml, and runs nothing"},
		"gavel/runner":               {[]string{"gavel", "gavel/client", "gavel/grant", "gavel/internal/inherit", "gavel/internal/statefile", "gavel/runner/proof", "gavel/runner/spawn"}, "it runs what has been decided elsewhere"},
		"gavel/runner/front":         {[]string{"gavel", "gavel/client", "gavel/grant", "gavel/hook", "gavel/internal/nearest", "gavel/internal/private", "gavel/internal/printed", "gavel/rego", "gavel/runner", "gavel/runner/proof", "gavel/runner/spawn"}, "it is a command line, and the small binary gavel-run links it"},
		"gavel/runner/proof":         {[]string{"gavel", "gavel/analyzer/fileglob", "gavel/analyzer/host"}, "it compares files with pins"},
		"gavel/runner/service":       {[]string{"gavel", "gavel/internal/rescue", "gavel/internal/strictjson", "gavel/runner", "gavel/runner/sessions", "gavel/server"}, "it serves two routes of the server's table, also as JSON lines"},
		"gavel/runner/sessions":      {[]string{"gavel", "gavel/client", "gavel/runner", "gavel/runner/spawn"}, "it keeps running commands"},
		"gavel/runner/spawn":         {[]string{"gavel/internal/inherit"}, "it starts and ends processes, and knows nothing of decisions"},
	}
}

// toolImports covers the commands for building and testing Gavel.
func toolImports() map[string]importRule {
	return map[string]importRule{
		"gavel/tools/catalogview":    {[]string{"gavel/analyzer/programs"}, "it prints the catalog"},
		"gavel/tools/clientcheck":    {[]string{"gavel/internal/clientcases"}, "it runs the tests of clients in other languages"},
		"gavel/tools/docs":           {[]string{"gavel", "gavel/approvals/view", "gavel/analyzer", "gavel/analyzer/host", "gavel/analyzer/programs", "gavel/bundles", "gavel/grant", "gavel/internal/describe", "gavel/rego", "gavel/server/access"}, "it generates pages about the shipped policy and the HTTP API"},
		"gavel/tools/factgen":        {[]string{"gavel/internal/describe"}, "it parses the fact structs as source text, so that it runs even if nothing else compiles"},
		"gavel/tools/faults":         {nil, "it runs the tests of packages with faults planted in them"},
		"gavel/tools/hookload":       {nil, "it runs hooks as hosts do"},
		"gavel/tools/hostcheck":      {nil, "it runs hosts, and Gavel as they run it"},
		"gavel/tools/programcheck":   {[]string{"gavel/analyzer/programs"}, "it compares the catalog with the programs themselves"},
		"gavel/tools/regotest":       {[]string{"gavel/internal/regoir"}, "it runs the Rego tests of any bundle"},
		"gavel/tools/sbom":           {nil, "it reads any Go binary"},
		"gavel/tools/soak":           {[]string{"gavel"}, "it is an ordinary client: it starts the server and speaks HTTP"},
		"gavel/tools/soundness":      {[]string{"gavel", "gavel/analyzer", "gavel/analyzer/host", "gavel/bundles", "gavel/rego", "gavel/runner"}, "it checks the whole with real shells"},
		"gavel/tools/soundness/stub": {nil, "it only reports that it ran"},
	}
}
