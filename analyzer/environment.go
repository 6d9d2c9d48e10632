package analyzer

import (
	"cmp"
	"context"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/protected"
	"gavel/analyzer/shell"
	"gavel/analyzer/site"
	"gavel/analyzer/unwrap"
)

// windowsShell is the default shell on Windows. Its grammar is unknown, so its commands are
// refused.
const windowsShell = "powershell"

// environment is where a call would run: the environment that the call claims, or this machine if it
// claims none. A gateway that lists executables describes another machine, so nothing of this
// machine is added. A gateway that lists none describes this machine, and whatever it leaves out
// is taken from the configuration.
type environment struct {
	site.Site
	shell      string
	namedShell string // the same, or "" if neither the call nor the configuration names a shell
	tables     *unwrap.Tables
	parsers    *shell.Parsers
	// fileTools are the tools that take file names.
	fileTools map[string]FileTool
}

// environment returns where a call with these claims would run. Its host has the full budget of one
// call, which also ends with ctx.
func (a *Analyzer) environment(ctx context.Context, claims *gavel.Environment) environment {
	env, machine := a.combine(claims)
	if reused, ok := a.hosts.Get().(*host.Limited); ok {
		reused.Reset(ctx, machine)
		env.Host = reused
	} else {
		env.Host = host.Limit(ctx, machine)
	}
	env.Host.SetNameMatching(host.MatchingOn(env.Facts.Platform))
	for _, dir := range []*string{&env.Facts.Cwd, &env.Facts.Home} {
		if !env.Host.FitsPath(*dir) {
			*dir = ""
		}
	}
	env.Protected = a.protectedSet(env.Facts.Home)
	return env
}

// combine merges the claims of a call with the configuration, and returns the host that they
// describe.
func (a *Analyzer) combine(claims *gavel.Environment) (environment, host.Host) {
	local := environment{
		Site: site.Site{Facts: gavel.EnvironmentFacts{Cwd: a.config.Cwd, Home: a.config.Home, Platform: gavel.Fold(a.config.Platform), PathPrepend: []string{}},
			SearchPath: a.config.Path, Paths: &a.config.Tables.Hazards.Paths},
		shell: shell.Dialect(a.config.Shell), namedShell: a.namedShell, tables: &a.config.Tables.Tables, parsers: a.parsers, fileTools: a.config.Tables.Tools.Files,
	}
	if claims == nil {
		return local, a.config.Host.View()
	}
	claimed := local
	claimed.SearchPath = claims.Path
	claimed.Facts = gavel.EnvironmentFacts{
		Cwd: host.Absolute(claims.Cwd), Home: host.Absolute(claims.Home), Platform: gavel.Fold(claims.Platform),
		Claimed: claims.Executables != nil, SandboxRoot: sandboxRoot(claims.SandboxRoot), PathPrepend: []string{},
	}
	var machine host.Host
	if claims.Executables != nil {
		machine = host.Claim(claims.Executables)
	} else {
		machine = a.config.Host.View()
		claimed.Facts.Cwd = cmp.Or(claimed.Facts.Cwd, local.Facts.Cwd)
		claimed.Facts.Home = cmp.Or(claimed.Facts.Home, local.Facts.Home)
		claimed.Facts.Platform = cmp.Or(claimed.Facts.Platform, local.Facts.Platform)
		if claims.Path == nil {
			claimed.SearchPath = local.SearchPath
		}
	}
	if strings.HasPrefix(claimed.Facts.Platform, "win") {
		claimed.shell, claimed.namedShell = windowsShell, ""
	}
	if shell := shell.Dialect(claims.Shell); shell != "" {
		claimed.shell, claimed.namedShell = shell, shell
	}
	return claimed, machine
}

// sandboxRoot returns the stated root directory of a sandbox: "" if none is stated, and "?" for one
// that is not absolute.
func sandboxRoot(stated string) string {
	if stated == "" {
		return ""
	}
	return cmp.Or(host.Absolute(stated), "?")
}

// protectedSet returns the protected places for a call with this home directory. The last set is reused
// if neither the home directory nor what Self reports has changed.
func (a *Analyzer) protectedSet(home string) *protected.Set {
	var self protected.Self
	if a.config.Self != nil {
		self = a.config.Self()
	}
	last := a.lastProtected.Load()
	if last == nil || !last.BuiltFor(self, home) {
		last = protected.NewSet(self, home, &a.config.Tables.Protected)
		a.lastProtected.Store(last)
	}
	return last
}
