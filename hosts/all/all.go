// Package all lists the translators of every host.
package all

import (
	"fmt"
	"strings"

	"gavel/hosts"
	"gavel/hosts/claudecode"
	"gavel/hosts/cline"
	"gavel/hosts/codex"
	"gavel/hosts/copilot"
	"gavel/hosts/cursor"
	"gavel/hosts/droid"
	"gavel/hosts/gemini"
	"gavel/hosts/openclaw"
	"gavel/hosts/opencode"
	"gavel/hosts/qwen"
	"gavel/hosts/vscode"
	"gavel/hosts/windsurf"
)

// List are translators. Each reads its tables once; whoever answers many payloads keeps the list.
type List []hosts.Host

// Hosts are the translators. A payload is of the first one that detects it.
func Hosts() List {
	return List{
		opencode.Host(), openclaw.Host(), cursor.Host(), windsurf.Host(), cline.Host(), droid.Host(),
		vscode.Host(), copilot.Host(), codex.Host(), gemini.Host(), qwen.Host(), claudecode.Host(),
	}
}

// Names are the canonical names, in the order of Hosts.
func Names() []string {
	var names []string
	for _, h := range Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// Named returns the translator of a name.
func Named(name string) (hosts.Host, bool) { return Hosts().Named(name) }

// Detect is [List.Detect] of all hosts.
func Detect(p hosts.Payload, name string) (hosts.Host, error) { return Hosts().Detect(p, name) }

// Named returns the translator of a name.
func (l List) Named(name string) (hosts.Host, bool) {
	for _, h := range l {
		if h.Name == name {
			return h, true
		}
	}
	return hosts.Host{}, false
}

// Detect returns the translator of a payload. A name that is not "" must agree with what the
// payload shows; the host that is returned with an error knows best how to deny, and is the
// zero Host if none is known.
func (l List) Detect(p hosts.Payload, name string) (hosts.Host, error) {
	named, known := l.Named(name)
	if name != "" && !known {
		return hosts.Host{}, fmt.Errorf("%q is not a host: want one of %s", name, strings.Join(Names(), ", "))
	}
	for _, h := range l {
		if !h.Detect(p) {
			continue
		}
		if known && h.Name != name {
			return h, fmt.Errorf("the payload comes from %s, but the hook was started for %s", h.Name, name)
		}
		return h, nil
	}
	if known {
		return named, fmt.Errorf("the payload is not one of %s: %w", name, hosts.ErrUnknownHost)
	}
	return hosts.Host{}, hosts.ErrUnknownHost
}
