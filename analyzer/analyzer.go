// Package analyzer turns a call into facts: names in one spelling, identities,
// and, for the exec tool, the simple commands that a shell line would run.
//
// It observes and never judges. What it cannot read exactly it refuses, and says
// what and where: a [gavel.Refusal] names the construct and its position, and
// leaves [gavel.ExecFacts] not parsed. Nothing is guessed.
//
// The rooms below it, from the ground up, each of which knows only those before it:
//
//   - spelling, argv, programs: names, options, and what the catalog says of programs;
//   - host: programs and files, on this machine ([host.Local]) or as a trusted gateway
//     claims them; that is all that analysing a call reads from the outside;
//   - web: the URLs that tools are given;
//   - shell: the text of a command becomes a script, or is refused;
//   - hazard, and filter: words become argument hazards, or the class of a filter;
//   - protected, site: what words mean where the call runs;
//   - unwrap: a script becomes segments, and is printed again.
package analyzer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync/atomic"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/protected"
	"gavel/analyzer/shell"
	"gavel/analyzer/site"
	"gavel/analyzer/spelling"
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
	// Path is the search path, in order. An entry that is empty or relative ends
	// the search: a shell would look into the working directory there.
	Path []string
	// Platform is the operating system, such as linux.
	Platform string
	// Shell is what runs the text of exec when the call does not say; "" is bash.
	// Texts for a shell whose grammar is unknown are refused, one by one.
	Shell string
	// Self says where Gavel keeps its files and listens; nil where that is known by the
	// tables alone. It is called once for each call, and must be safe for concurrent use.
	Self func() protected.Self
	// Tables are required; [ReadTables] reads those of a policy.
	Tables Tables
}

// Analyzer implements [gavel.Analyzer]. It is safe for concurrent use.
type Analyzer struct {
	config  Config
	told    string // the shell, where the configuration says which
	parsers *shell.Parsers
	urls    *web.Reader
	trusted gavel.CallerFacts // of a call that names no credential
	// own is what Gavel said last of itself, made for looking up.
	own atomic.Pointer[protected.Set]
}

// The contract that the decision point relies on.
var _ gavel.Analyzer = (*Analyzer)(nil)

// New returns an analyzer, or an error that names the setting that is wrong.
func New(config Config) (*Analyzer, error) {
	if config.Host == nil {
		return nil, errors.New("analyzer: Host is missing: give host.Local() to look up programs on this machine")
	}
	if config.Tables.Wrappers == nil || config.Tables.Builtins == nil || config.Tables.Hazards == nil || config.Tables.Aliases == nil || config.Tables.Tools.Exec == "" {
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
	parsers, err := shell.NewParsers()
	if err != nil {
		return nil, fmt.Errorf("analyzer: %w", err)
	}
	return &Analyzer{config: config, told: told, parsers: parsers, urls: web.NewReader(), trusted: *gavel.Trusted()}, nil
}

// Analyze returns the facts about a call. It is total: whatever the call holds,
// there is an answer, and what could not be observed reads as the least trusted.
// The work is bounded by the limits of guard.go and budget.go, and ends with the
// context.
func (a *Analyzer) Analyze(ctx context.Context, call gavel.Call, searches *gavel.Searches) gavel.Facts {
	where := a.place(ctx, call.Environment)
	workspace := ""
	if call.Environment != nil {
		workspace = call.Environment.Workspace
	}
	where.StateWorkspace(workspace, "")
	facts := gavel.Facts{
		Caller:      a.caller(&call),
		Agent:       agent(call.Agent, call.Session.Key),
		Session:     session(call.Session, call.Message),
		Model:       model(call.Model),
		Sender:      sender(call.Sender),
		Group:       group(call.Group, call.Session.Key, call.Sender),
		Tool:        a.config.Tables.Aliases.tool(call.Tool),
		Plugins:     a.config.Tables.Aliases.plugins(call.Environment),
		Environment: where.Facts,
		Host:        gavel.HostFacts(call.Host),
		// Who keeps approvals and their file adds what is known of them.
		ApprovalsFile: gavel.ApprovalsFileFacts{Settings: []gavel.ApprovalsFileSetting{}},
	}
	facts.Stated = stated(&call, &facts)
	facts.Resources = where.resources(&facts.Tool, call.Tool.Params)
	facts.URLs = a.opened(&facts.Tool, call.Tool.Params)
	if facts.Tool.Name == a.config.Tables.Tools.Exec {
		told := facts // others see it, which those of another tool are spared
		where.exec(&told, workspace, searches)
		where.finish(&told)
		return told
	}
	facts.Touches = where.touches(&facts)
	where.finish(&facts)
	return facts
}

// finish notes the limits that the analysis met.
func (p *place) finish(facts *gavel.Facts) { facts.Exceeded = p.Host.Exceeded() }

// windowsShell is what runs texts on Windows when nobody says otherwise. No grammar is
// known for it, so its texts are refused.
const windowsShell = "powershell"

// place is where a call would run: the claims of its environment, or this
// machine when it claims none. A gateway that lists executables speaks of another
// machine, and nothing of this one is added; a gateway that lists none speaks of
// this machine, and what it leaves out is as it is here.
type place struct {
	site.Site
	shell   string
	told    string // the same, or "" where nobody said which shell it is
	tables  *unwrap.Tables
	parsers *shell.Parsers
	// fileTools are the tools that name files.
	fileTools map[string]FileTool
}

func (a *Analyzer) place(ctx context.Context, claims *gavel.Environment) place {
	where, machine := a.situated(claims)
	where.Host = host.Watch(ctx, machine)
	for _, dir := range []*string{&where.Facts.Cwd, &where.Facts.Home} {
		if !where.Host.Fits(*dir) {
			*dir = ""
		}
	}
	where.Protected = a.selves(where.Facts.Home)
	return where
}

// situated is what the claims of a call, and this machine, say of where it runs.
func (a *Analyzer) situated(claims *gavel.Environment) (place, host.Host) {
	here := place{
		Site: site.Site{Facts: gavel.EnvironmentFacts{Cwd: a.config.Cwd, Home: a.config.Home, Platform: spelling.Fold(a.config.Platform), PathPrepend: []string{}},
			SearchPath: a.config.Path, Paths: &a.config.Tables.Hazards.Places},
		shell: shell.Dialect(a.config.Shell), told: a.told, tables: &a.config.Tables.Tables, parsers: a.parsers, fileTools: a.config.Tables.Tools.Files,
	}
	if claims == nil {
		return here, a.config.Host.View()
	}
	there := here
	there.SearchPath = claims.Path
	there.Facts = gavel.EnvironmentFacts{
		Cwd: host.Absolute(claims.Cwd), Home: host.Absolute(claims.Home), Platform: spelling.Fold(claims.Platform),
		Claimed: claims.Executables != nil, PathPrepend: []string{},
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

// selves returns what is protected. home is that of the call. Calls mostly have the home
// of the call before, and Gavel says the same of itself.
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
