// Package analyzer turns a call into facts: canonical names, identities, and, for the exec tool,
// the simple commands that a shell command would run.
//
// It observes and never judges. What it cannot read exactly, it refuses: a [gavel.Refusal] names
// the construct and its position, and [gavel.ExecFacts] stays not parsed. It never guesses.
//
// The packages below it, from the bottom up. Each imports only those listed before it:
//
//   - spelling, argv, programs: names, options, and the catalog of programs;
//   - host: programs and files, on this machine ([host.Local]) or as a trusted gateway
//     claims them; this is the only input of an analysis from outside the call;
//   - web: the URLs that tools are given;
//   - shell: parses the text of a command into a script, or refuses it;
//   - hazard and filter: find argument hazards, and the class of a filter;
//   - protected and site: say what words mean where the call runs;
//   - unwrap: takes a script apart into segments, and prints it again.
package analyzer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/protected"
	"gavel/analyzer/shell"
	"gavel/analyzer/site"
	"gavel/analyzer/unwrap"
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
	config  Config
	told    string // the shell that the configuration names, or ""
	parsers *shell.Parsers
	urls    *web.Reader
	trusted gavel.CallerFacts // for a call that names no credential
	watched sync.Pool         // of *host.Watched without a call
	// own is the protected set built from the last result of Self.
	own atomic.Pointer[protected.Set]
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
	told := shell.Dialect(config.Shell)
	if config.Shell == "" {
		config.Shell = "bash"
	}
	config.Path = append([]string(nil), config.Path...)
	parsers, err := shell.NewParsers(config.Tables.Effects)
	if err != nil {
		return nil, fmt.Errorf("analyzer: %w", err)
	}
	return &Analyzer{config: config, told: told, parsers: parsers, urls: web.NewReader(), trusted: *gavel.Trusted()}, nil
}

// Analyze returns the facts about a call. It accepts every call: what it could not observe is
// reported as the least trusted value. The work is bounded by the limits in guard.go and
// budget.go, and stops when the context ends.
func (a *Analyzer) Analyze(ctx context.Context, call gavel.Call, searches *gavel.Searches) gavel.Facts {
	where := a.place(ctx, call.Environment)
	workspace := ""
	if call.Environment != nil {
		workspace = call.Environment.Workspace
	}
	where.StateWorkspace(workspace, "")
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
		Environment:   where.Facts,
		Host:          gavel.HostFacts(call.Host),
		Process:       gavel.ProcessFacts{Keys: []string{}},
		// The approval store fills this in.
		ApprovalsFile: gavel.ApprovalsFileFacts{Settings: []gavel.ApprovalsFileSetting{}},
		Verification:  gavel.VerificationFacts{Answers: []gavel.VerifierAnswer{}},
	}
	facts.Tool.Spawns = a.config.Tables.Tools.spawns(facts.Tool.Name, call.Tool.Params)
	facts.Stated = stated(&call, &facts)
	facts.Resources = where.resources(&facts.Tool, call.Tool.Params)
	facts.URLs = a.opened(&facts.Tool, call.Tool.Params)
	if facts.Tool.Name == a.config.Tables.Tools.Exec {
		told := facts // a copy moves to the heap; other tools do not pay for it
		where.exec(&told, call.Environment, searches)
		a.finish(&where, &told)
		return told
	}
	facts.Touches = where.touches(&facts, facts.Tool.Name == a.config.Tables.Tools.Credential)
	if facts.Tool.Name == a.config.Tables.Tools.Process.Tool {
		told := facts
		where.process(&told, call.Environment, &a.config.Tables.Tools.Process, searches)
		a.finish(&where, &told)
		return told
	}
	if facts.Tool.Name == a.config.Tables.Tools.Credential {
		told := facts
		where.credential(&told)
		a.finish(&where, &told)
		return told
	}
	a.finish(&where, &facts)
	return facts
}

// finish records the limits that the analysis exceeded. It is the end of the analysis.
func (a *Analyzer) finish(p *place, facts *gavel.Facts) {
	facts.Exceeded = p.Host.Exceeded()
	p.Host.Forget()
	a.watched.Put(p.Host)
	p.Host = nil
}

// windowsShell is the default shell on Windows. Its grammar is unknown, so its commands are
// refused.
const windowsShell = "powershell"

// place is where a call would run: the environment that the call claims, or this machine if it
// claims none. A gateway that lists executables describes another machine, so nothing of this
// machine is added. A gateway that lists none describes this machine, and whatever it leaves out
// is taken from here.
type place struct {
	site.Site
	shell   string
	told    string // the same, or "" if nobody named a shell
	tables  *unwrap.Tables
	parsers *shell.Parsers
	// fileTools are the tools that take file names.
	fileTools map[string]FileTool
}

func (a *Analyzer) place(ctx context.Context, claims *gavel.Environment) place {
	where, machine := a.situated(claims)
	if again, ok := a.watched.Get().(*host.Watched); ok {
		again.Watch(ctx, machine)
		where.Host = again
	} else {
		where.Host = host.Watch(ctx, machine)
	}
	where.Host.Reading(host.ReadsOn(where.Facts.Platform))
	for _, dir := range []*string{&where.Facts.Cwd, &where.Facts.Home} {
		if !where.Host.Fits(*dir) {
			*dir = ""
		}
	}
	where.Protected = a.selves(where.Facts.Home)
	return where
}

// situated combines the claims of a call with this machine into the place where it runs.
func (a *Analyzer) situated(claims *gavel.Environment) (place, host.Host) {
	here := place{
		Site: site.Site{Facts: gavel.EnvironmentFacts{Cwd: a.config.Cwd, Home: a.config.Home, Platform: gavel.Fold(a.config.Platform), PathPrepend: []string{}},
			SearchPath: a.config.Path, Paths: &a.config.Tables.Hazards.Places},
		shell: shell.Dialect(a.config.Shell), told: a.told, tables: &a.config.Tables.Tables, parsers: a.parsers, fileTools: a.config.Tables.Tools.Files,
	}
	if claims == nil {
		return here, a.config.Host.View()
	}
	there := here
	there.SearchPath = claims.Path
	there.Facts = gavel.EnvironmentFacts{
		Cwd: host.Absolute(claims.Cwd), Home: host.Absolute(claims.Home), Platform: gavel.Fold(claims.Platform),
		Claimed: claims.Executables != nil, SandboxRoot: sandboxRoot(claims.SandboxRoot), PathPrepend: []string{},
	}
	var machine host.Host
	if claims.Executables != nil {
		machine = host.Claim(claims.Executables)
	} else {
		machine = a.config.Host.View()
		there.Facts.Cwd = cmp.Or(there.Facts.Cwd, here.Facts.Cwd)
		there.Facts.Home = cmp.Or(there.Facts.Home, here.Facts.Home)
		there.Facts.Platform = cmp.Or(there.Facts.Platform, here.Facts.Platform)
		if claims.Path == nil {
			there.SearchPath = here.SearchPath
		}
	}
	if strings.HasPrefix(there.Facts.Platform, "win") {
		there.shell, there.told = windowsShell, ""
	}
	if shell := shell.Dialect(claims.Shell); shell != "" {
		there.shell, there.told = shell, shell
	}
	return there, machine
}

// sandboxRoot is the stated directory of a sandbox: "" if none is stated, and ? for one that is not
// absolute.
func sandboxRoot(stated string) string {
	if stated == "" {
		return ""
	}
	return cmp.Or(host.Absolute(stated), "?")
}

// selves returns the protected places for a call with this home directory. The last set is reused
// if neither the home directory nor what Self reports has changed.
func (a *Analyzer) selves(home string) *protected.Set {
	var self protected.Self
	if a.config.Self != nil {
		self = a.config.Self()
	}
	last := a.own.Load()
	if last == nil || !last.Holds(self, home) {
		last = protected.NewSet(self, home, &a.config.Tables.Protected)
		a.own.Store(last)
	}
	return last
}
