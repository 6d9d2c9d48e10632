// Package all lists the translators of every host.
package all

import (
	"fmt"
	"slices"
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

// List holds translators. Each of them reads its tables once, so a server should keep the list.
type List []hosts.Host

// Hosts returns all translators. A payload belongs to the first one that detects it.
func Hosts() List {
	return List{
		opencode.Host(), openclaw.Host(), cursor.Host(), windsurf.Host(), cline.Host(), droid.Host(),
		vscode.Host(), copilot.Host(), codex.Host(), gemini.Host(), qwen.Host(), claudecode.Host(),
	}
}

// Names returns the canonical names, in order.
func Names() []string {
	var names []string
	for _, h := range Hosts() {
		names = append(names, h.Name)
	}
	slices.Sort(names)
	return names
}

// Named returns the translator with this name.
func Named(name string) (hosts.Host, bool) { return Hosts().Named(name) }

// Detect calls [List.Detect] for all hosts.
func Detect(p hosts.Payload, name string) (hosts.Host, error) { return Hosts().Detect(p, name) }

// Named returns the translator with this name.
func (l List) Named(name string) (hosts.Host, bool) {
	for _, h := range l {
		if h.Name == name {
			return h, true
		}
	}
	return hosts.Host{}, false
}

// Detect returns the translator for a payload. If name is not "", the payload must agree with it.
// The host that is returned with an error is the one that knows best how to deny; it is the zero
// Host if none is known.
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
			return h, fmt.Errorf("the payload comes from %s, but the hook was started for %s; if both read this settings file, leave the host's name out of its command", h.Name, name)
		}
		return h, nil
	}
	if known {
		return named, fmt.Errorf("the payload is not one of %s: %w", name, hosts.ErrUnknownHost)
	}
	return hosts.Host{}, hosts.ErrUnknownHost
}
