// Package analyzer turns a call into facts: canonical names, identities, and, for the exec tool,
// the simple commands that a shell command would run.
//
// It observes and never judges. What it cannot read exactly, it refuses: a [gavel.Refusal] names
// the construct and its position, and [gavel.ExecFacts] stays not parsed. It never guesses.
//
// [Analyzer.Analyze] in analyzer.go is the way in. environment.go determines where the call would
// run. Each of the other files observes one kind of fact: the agent, session and model (agent.go),
// the credential of the caller (caller.go), the sender and group (sender.go), the tool (tool.go),
// the files of file tools (resource.go, size.go; patch.go and patch_unified.go read patches), the
// URLs of web tools (web_urls.go), protected places in parameters (touches.go), and the tools exec
// (exec.go, skills.go), process (process.go) and credential (credential.go, regexp_options.go).
// parameters.go reads parameters by type, and tables.go reads the tables of a policy.
//
// The packages below it, from the bottom up. Each imports only those listed before it:
//
//   - spelling, argv, programs: names, options, and the catalog of programs;
//   - host: programs and files, on this machine ([host.Local]) or as a trusted gateway
//     claims them; this is the only input of an analysis from outside the call;
//   - web: URLs;
//   - shell: parses the text of a command into a script, or refuses it;
//   - hazard and filter: find argument hazards, and the class of a filter;
//   - treescan: searches directories for files that the policy denies;
//   - protected and site: say what words mean where the call runs;
//   - unwrap: splits a script into segments, and renders it again.
package analyzer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"sync/atomic"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/protected"
	"gavel/analyzer/shell"
	"gavel/analyzer/web"
)

// Config describes the machine that calls run on when they claim no environment.
type Config struct {
	// Host looks up programs. It is required; [Local] is this machine.
	Host host.Host
	// Home and Cwd are absolute directories; "" means unknown.
	Home string
	Cwd  string
	// Path is the search path, in order. An empty or relative entry ends the search, because a
	// shell would look in the working directory there.
	Path []string
	// Platform is the operating system, such as linux.
	Platform string
	// Shell is the shell that exec commands run in if the call does not name one; "" is bash.
	// Commands for a shell whose grammar is unknown are refused.
	Shell string
	// Self says where Gavel keeps its files and listens; nil if only the tables say so. It is
	// called once per call and must be safe for concurrent use.
	Self func() protected.Self
	// Tables are required; [ReadTables] reads those of a policy.
	Tables Tables
}

// Analyzer implements [gavel.Analyzer]. It is safe for concurrent use.
type Analyzer struct {
	config     Config
	namedShell string // the shell that the configuration names, or ""
	parsers    *shell.Parsers
	urls       *web.Reader
	trusted    gavel.CallerFacts // for a call that names no credential
	hosts      sync.Pool         // of released *host.Limited
	// lastProtected is the protected set built from the last result of Self.
	lastProtected atomic.Pointer[protected.Set]
}

var _ gavel.Analyzer = (*Analyzer)(nil)

// New returns an analyzer, or an error that names the setting that is wrong.
func New(config Config) (*Analyzer, error) {
	if config.Host == nil {
		return nil, errors.New("analyzer: Host is missing: give host.Local() to look up programs on this machine")
	}
	if config.Tables.Wrappers == nil || config.Tables.Effects == nil || config.Tables.Builtins == nil || config.Tables.Hazards == nil || config.Tables.Aliases == nil || config.Tables.Tools.Exec == "" {
		return nil, errors.New("analyzer: Tables is not complete: give what analyzer.ReadTables reads from the policy")
	}
	for name, dir := range map[string]string{"Home": config.Home, "Cwd": config.Cwd} {
		if dir != "" && !path.IsAbs(dir) {
			return nil, fmt.Errorf("analyzer: %s is %q: want an absolute directory, or nothing when it is unknown", name, dir)
		}
	}
	namedShell := shell.Dialect(config.Shell)
	if config.Shell == "" {
		config.Shell = "bash"
	}
	config.Path = append([]string(nil), config.Path...)
	parsers, err := shell.NewParsers(config.Tables.Effects)
	if err != nil {
		return nil, fmt.Errorf("analyzer: %w", err)
	}
	return &Analyzer{config: config, namedShell: namedShell, parsers: parsers, urls: web.NewReader(), trusted: *gavel.Trusted()}, nil
}

// Analyze returns the facts about a call. It accepts every call: what it could not observe is
// reported as the least trusted value. The work is bounded by the limits in shell/guard.go and
// host/budget.go, and stops when the context ends. policy has the settings of the policy that an
// analysis needs; nil if there is no policy.
func (a *Analyzer) Analyze(ctx context.Context, call gavel.Call, policy *gavel.AnalyzerSettings) gavel.Facts {
	env := a.environment(ctx, call.Environment)
	workspace := ""
	if call.Environment != nil {
		workspace = call.Environment.Workspace
	}
	env.StateWorkspace(workspace, "")
	facts := gavel.Facts{
		Caller:        a.caller(&call),
		Agent:         agent(call.Agent, call.Session.Key),
		Session:       session(call.Session, call.Message),
		Message:       gavel.MessageFacts{Directives: []gavel.DirectiveFacts{}},
		SessionValues: sessionValues(call.Session.Stored),
		Model:         model(call.Model),
		Sender:        sender(call.Sender, call.Caller),
		Group:         group(call.Group, call.Session.Key, call.Sender),
		Tool:          a.config.Tables.Aliases.tool(call.Tool),
		Plugins:       a.config.Tables.Aliases.plugins(call.Environment),
		Environment:   env.Facts,
		Host:          gavel.HostFacts(call.Host),
		Process:       gavel.ProcessFacts{Keys: []string{}},
		// The approval store fills this in.
		ApprovalsFile: gavel.ApprovalsFileFacts{Settings: []gavel.ApprovalsFileSetting{}},
		Verification:  gavel.VerificationFacts{Answers: []gavel.VerifierAnswer{}},
	}
	facts.Tool.Spawns = a.config.Tables.Tools.spawns(facts.Tool.Name, call.Tool.Params)
	facts.Stated = stated(&call, &facts)
	facts.Resources = env.resources(&facts.Tool, call.Tool.Params)
	facts.NamedFiles = env.namedFiles(&a.config.Tables.Tools, &facts.Tool, call.Tool.Params)
	facts.URLs = a.webURLs(&env, &facts.Tool, call.Tool.Params)
	if facts.Tool.Name == a.config.Tables.Tools.Exec {
		escaping := facts // this copy escapes to the heap; facts of other tools stay on the stack
		env.analyzeExec(&escaping, call.Environment, policy)
		a.finish(&env, &escaping)
		return escaping
	}
	facts.Touches = env.touches(&facts, facts.Tool.Name == a.config.Tables.Tools.Credential)
	if facts.Tool.Name == a.config.Tables.Tools.Process.Tool {
		escaping := facts
		env.analyzeProcess(&escaping, call.Environment, &a.config.Tables.Tools.Process, policy)
		a.finish(&env, &escaping)
		return escaping
	}
	if facts.Tool.Name == a.config.Tables.Tools.Credential {
		escaping := facts
		env.analyzeCredential(&escaping)
		a.finish(&env, &escaping)
		return escaping
	}
	a.finish(&env, &facts)
	return facts
}

// finish records the limits that the analysis exceeded, and releases its host. env must not be
// used afterwards.
func (a *Analyzer) finish(env *environment, facts *gavel.Facts) {
	facts.Exceeded = env.Host.Exceeded()
	env.Host.Release()
	a.hosts.Put(env.Host)
	env.Host = nil
}
