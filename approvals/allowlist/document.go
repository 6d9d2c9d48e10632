package allowlist

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/internal/strictjson"
)

// Document is the content of the file (APPROVALS-5).
type Document struct {
	Version  int              `json:"version"`
	Socket   *Socket          `json:"socket,omitempty"`
	Defaults *Settings        `json:"defaults,omitempty"`
	Agents   map[string]Agent `json:"agents,omitempty"`
}

// Socket is the operators' socket and its token.
type Socket struct {
	Path  string `json:"path,omitempty"`
	Token string `json:"token,omitempty"`
}

// Settings can tighten the configuration. Nil means not set.
type Settings struct {
	Security        *string `json:"security,omitempty"`
	Ask             *string `json:"ask,omitempty"`
	AskFallback     *string `json:"askFallback,omitempty"`
	AutoAllowSkills *bool   `json:"autoAllowSkills,omitempty"`
}

// Agent is one agent's section; the agent * means all agents.
type Agent struct {
	Security        *string `json:"security,omitempty"`
	Ask             *string `json:"ask,omitempty"`
	AskFallback     *string `json:"askFallback,omitempty"`
	AutoAllowSkills *bool   `json:"autoAllowSkills,omitempty"`
	Allowlist       []Entry `json:"allowlist,omitempty"`
}

func (a Agent) settings() Settings {
	return Settings{a.Security, a.Ask, a.AskFallback, a.AutoAllowSkills}
}

// Entry is one pattern of programs.
type Entry struct {
	ID      string `json:"id,omitempty"`
	Pattern string `json:"pattern"`
	Source  string `json:"source,omitempty"` // allow-always for what an answer added
	// Args are the argument hazards that the program may have, by name, as in the
	// configuration. OpenClaw does not have this field; any is not a name here.
	Args []string `json:"args,omitempty"`
	// Only limits an entry that an answer added to what was judged. OpenClaw does not have
	// this field.
	Only *gavel.Only `json:"only,omitempty"`
	// ArgPattern and CommandText narrow an entry to some arguments in OpenClaw. An entry with
	// either is kept, but matches nothing here.
	ArgPattern       string `json:"argPattern,omitempty"`
	CommandText      string `json:"commandText,omitempty"`
	LastUsedAt       int64  `json:"lastUsedAt,omitempty"` // milliseconds since 1970
	LastUsedCommand  string `json:"lastUsedCommand,omitempty"`
	LastResolvedPath string `json:"lastResolvedPath,omitempty"`
}

// narrowed reports whether the entry is limited to some arguments.
func (e Entry) narrowed() bool { return e.ArgPattern != "" || e.CommandText != "" }

// UnmarshalJSON reads an entry, or a bare pattern.
func (e *Entry) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return strictjson.Unmarshal(text, &e.Pattern)
	}
	type plainOperand Entry // without this method
	return strictjson.Unmarshal(text, (*plainOperand)(e))
}

// Parse reads a document strictly, because an unknown member or value may be a setting that
// was meant to be stricter.
func Parse(text []byte) (*Document, error) {
	var d Document
	if err := strictjson.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	return &d, d.normalise()
}

func (d *Document) check() error {
	if d.Version != 1 {
		return fmt.Errorf("version: %d is not supported; this build reads version 1", d.Version)
	}
	if d.Defaults != nil {
		if err := d.Defaults.check("defaults"); err != nil {
			return err
		}
	}
	for id, agent := range d.Agents {
		at := "agents." + id
		if err := agent.settings().check(at); err != nil {
			return err
		}
		for i, entry := range agent.Allowlist {
			if strings.TrimSpace(entry.Pattern) == "" {
				return fmt.Errorf("%s.allowlist[%d].pattern: is blank", at, i)
			}
			if err := checkOnly(entry); err != nil {
				return fmt.Errorf("%s.allowlist[%d].only: %w", at, i, err)
			}
			if slices.Contains(entry.Args, "any") || slices.Contains(entry.Args, "") {
				return fmt.Errorf("%s.allowlist[%d].args: name each hazard", at, i)
			}
		}
	}
	return nil
}

func (s Settings) check(at string) error {
	for _, setting := range []struct {
		name  string
		value *string
		words []string
	}{
		{"security", s.Security, []string{"deny", "allowlist", "full"}},
		{"ask", s.Ask, []string{"off", "on-miss", "always"}},
		// full is a value of OpenClaw; it reads as allowlist here (R17).
		{"askFallback", s.AskFallback, []string{"deny", "allowlist", "full"}},
	} {
		if setting.value != nil && !slices.Contains(setting.words, strings.TrimSpace(*setting.value)) {
			return fmt.Errorf("%s.%s: %q is not a valid value: want %s", at, setting.name, *setting.value, strings.Join(setting.words, ", "))
		}
	}
	return nil
}

// normalise folds agent ids as the analyzer does, and merges the agent default of old files
// into main, whose own settings win.
func (d *Document) normalise() error {
	folded := map[string]Agent{}
	for id, agent := range d.Agents {
		name := gavel.Fold(id)
		if _, twice := folded[name]; twice || name == "" {
			return fmt.Errorf("agents: %q is blank or listed twice", id)
		}
		folded[name] = agent
	}
	if old, ok := folded["default"]; ok {
		folded["main"] = merged(folded["main"], old)
		delete(folded, "default")
	}
	if d.Agents != nil {
		d.Agents = folded
	}
	return nil
}

func merged(a, old Agent) Agent {
	a.Security, a.Ask, a.AskFallback = first(a.Security, old.Security), first(a.Ask, old.Ask), first(a.AskFallback, old.AskFallback)
	if a.AutoAllowSkills == nil {
		a.AutoAllowSkills = old.AutoAllowSkills
	}
	for _, entry := range old.Allowlist {
		if !slices.ContainsFunc(a.Allowlist, entry.sameMatch) {
			a.Allowlist = append(a.Allowlist, entry)
		}
	}
	return a
}

func first(a, b *string) *string {
	if a != nil {
		return a
	}
	return b
}

// sameMatch reports whether two entries match the same.
func (e Entry) sameMatch(other Entry) bool {
	return strings.TrimSpace(e.Pattern) == strings.TrimSpace(other.Pattern) &&
		strings.TrimSpace(e.ArgPattern) == strings.TrimSpace(other.ArgPattern) && e.CommandText == other.CommandText &&
		sameOnly(withoutEmptyLists(e.Only), withoutEmptyLists(other.Only))
}

// withoutToken is the document without the socket's token.
func (d *Document) withoutToken() *Document {
	shown := *d
	if d.Socket != nil {
		shown.Socket = nil
		if d.Socket.Path != "" {
			shown.Socket = &Socket{Path: d.Socket.Path}
		}
	}
	return &shown
}
