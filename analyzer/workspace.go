package analyzer

import (
	"path"
	"strings"

	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
)

// The workspace is the directory that a call may treat as its own. The gateway or the
// configuration states it; what the agent chooses, such as workdir, never does.

// settle decides which directory the workspace is. Each of two may narrow the other.
func (p *site) settle(claimed, configured string) {
	stated := p.facts.Cwd
	switch {
	case claimed != "" && configured != "":
		stated = narrower(p.ground(claimed), p.ground(configured))
	case claimed+configured != "":
		stated = claimed + configured
	}
	p.facts.Workspace = p.ground(stated)
	p.grounds = [2]string{}
	if p.facts.Workspace != "" {
		p.grounds = [2]string{p.facts.Workspace, path.Clean(stated)}
	}
}

// ground is a directory by its real path, or "" when it is not an absolute one, is not
// known, or is the root, in which everything would be.
func (p *site) ground(dir string) string {
	if !path.IsAbs(dir) {
		return ""
	}
	if real, ok := p.host.Resolve(dir); ok && real != "/" {
		return real
	}
	return ""
}

// narrower is the directory that lies in the other one, or "" when neither does.
func narrower(a, b string) string {
	switch {
	case host.Within(a, b):
		return a
	case host.Within(b, a):
		return b
	default:
		return ""
	}
}

// startsIn finds the directory that a command begins in, and what the tables say of it.
func (p *site) startsIn(dir string) (real, says string) {
	if dir == "" {
		return "", ""
	}
	at := p.surroundings("")
	says = p.paths.Path(dir, at)
	if found, ok := p.host.Resolve(dir); ok {
		real = found
		if says == "" && real != dir {
			says = p.paths.Path(real, at)
		}
	}
	return real, says
}

// surroundings are where words mean something to a command that runs in a directory.
func (p *site) surroundings(dir string) hazard.Surroundings {
	return hazard.Surroundings{Dir: dir, Home: p.facts.Home, Grounds: p.grounds, Folds: p.folds(), Blind: p.facts.Claimed, Host: p.host}
}

// folds reports whether file systems of the platform take letters of both cases for the
// same, as a rule.
func (p *site) folds() bool {
	return p.facts.Platform == "darwin" || strings.HasPrefix(p.facts.Platform, "mac") || strings.HasPrefix(p.facts.Platform, "win")
}
