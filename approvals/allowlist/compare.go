package allowlist

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel"
	"gavel/internal/pathglob"
)

// Change describes the effect of an edit. Usage counts and the socket are not part of it.
type Change struct {
	Agents []string // the agents it affects, sorted; * means all agents
	// Loosens says that the edit may permit more commands. It is true in case of doubt.
	Loosens  bool
	Admits   []string // patterns of entries that were not there before
	Settings bool     // a setting is looser
	Before   string   // the parts that differ, as JSON
	After    string
	Summary  string // what is added, removed and set, as JSON
}

// difference is the summary of one agent's part.
type difference struct {
	Add      []Entry   `json:"add,omitempty"`
	Remove   []Entry   `json:"remove,omitempty"`
	Reorder  bool      `json:"reorder,omitempty"`
	Settings *Settings `json:"settings,omitempty"` // as they would be
	Cleared  bool      `json:"settingsRemoved,omitempty"`
}

// allAgents is the agent id that means all agents.
const allAgents = "*"

// Compare returns the effect of an edit.
func Compare(before, after *Document) Change {
	var c Change
	was, is := judgedParts(before), judgedParts(after)
	summary, old, next := map[string]difference{}, map[string]Agent{}, map[string]Agent{}
	for _, id := range agentIDs(was, is) {
		a, b := was.Agents[id], is.Agents[id]
		if equalJSON(a, b) {
			continue
		}
		c.Agents = append(c.Agents, id)
		old[id], next[id] = a, b
		d := compareEntries(a.Allowlist, b.Allowlist)
		for _, entry := range d.Add {
			c.Admits = append(c.Admits, entry.Pattern)
		}
		c.Loosens = c.Loosens || len(d.Add) > 0 || d.Reorder || uncovers(was, id, d.Remove)
		if !equalJSON(a.settings(), b.settings()) {
			settings := b.settings()
			d.Settings, d.Cleared = &settings, equalJSON(settings, Settings{})
		}
		summary[id] = d
	}
	if !equalJSON(was.Defaults, is.Defaults) {
		if c.Agents = append(c.Agents, allAgents); is.Defaults != nil {
			summary["defaults"] = difference{Settings: is.Defaults}
		} else {
			summary["defaults"] = difference{Cleared: true}
		}
	}
	slices.Sort(c.Agents)
	c.Agents = slices.Compact(c.Agents)
	c.Settings = loosened(was, is)
	c.Loosens = c.Loosens || c.Settings
	c.Before, c.After = encode(Document{Version: 1, Defaults: was.Defaults, Agents: old}), encode(Document{Version: 1, Defaults: is.Defaults, Agents: next})
	c.Summary = encode(summary)
	return c
}

// agentIDs returns the agents of two documents, sorted.
func agentIDs(a, b *Document) []string {
	all := map[string]bool{}
	for _, d := range []*Document{a, b} {
		for id := range d.Agents {
			all[id] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// judgedParts returns a copy of a document that has only the parts that rules judge.
func judgedParts(d *Document) *Document {
	shown := &Document{Version: 1, Agents: map[string]Agent{}}
	if d == nil {
		return shown
	}
	shown.Defaults = d.Defaults
	for id, agent := range d.Agents {
		agent.Allowlist = slices.Clone(agent.Allowlist)
		for i := range agent.Allowlist {
			entry := &agent.Allowlist[i]
			entry.Pattern = strings.TrimSpace(entry.Pattern)
			entry.ID, entry.Source, entry.LastUsedAt, entry.LastUsedCommand, entry.LastResolvedPath = "", "", 0, "", ""
		}
		shown.Agents[id] = agent
	}
	return shown
}

// Base is the hash of the judged parts of a document. Using an entry does not change it.
func Base(d *Document) string { return hashOf([]byte(encode(judgedParts(d)))) }

func equalJSON(a, b any) bool { return encode(a) == encode(b) }

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("unreadable: %v, %v", err, v)
	}
	return string(raw)
}

// compareEntries returns the added and removed entries. A changed entry counts as removed and
// added. Reordered are entries whose order changed, because the first match counts.
func compareEntries(before, after []Entry) (d difference) {
	var stayed, stay []string
	for _, entry := range before {
		if slices.ContainsFunc(after, func(e Entry) bool { return equalJSON(e, entry) }) {
			stayed = append(stayed, encode(entry))
		} else {
			d.Remove = append(d.Remove, entry)
		}
	}
	for _, entry := range after {
		if slices.ContainsFunc(before, func(e Entry) bool { return equalJSON(e, entry) }) {
			stay = append(stay, encode(entry))
		} else {
			d.Add = append(d.Add, entry)
		}
	}
	d.Reorder = !slices.Equal(stayed, stay)
	return d
}

// uncovers reports whether removing an entry lets a later, different entry for the same
// programs take effect.
func uncovers(d *Document, id string, removed []Entry) bool {
	for other, agent := range d.Agents {
		if other != id && id != allAgents {
			continue
		}
		for _, gone := range removed {
			later := agent.Allowlist
			if other == id {
				later = later[slices.IndexFunc(later, func(e Entry) bool { return equalJSON(e, gone) })+1:]
			}
			if !gone.narrowed() && slices.ContainsFunc(later, func(e Entry) bool {
				return !equalJSON(e, gone) && !e.narrowed() && overlap(e.Pattern, gone.Pattern)
			}) {
				return true
			}
		}
	}
	return false
}

// overlap reports whether two patterns may match the same program. It is true in case of
// doubt, as for two patterns with wildcards.
func overlap(a, b string) bool {
	wild := func(pattern string) bool { return strings.ContainsAny(pattern, "*?[]{}~\\") }
	fits := func(pattern, path string) bool {
		_, found := pathglob.New([]string{pattern}).First(path, "")
		return found
	}
	switch {
	case wild(a) && wild(b), strings.HasPrefix(a, "~"), strings.HasPrefix(b, "~"):
		return true
	case wild(a):
		return fits(a, b)
	case wild(b):
		return fits(b, a)
	}
	return a == b
}

// loosened reports whether a setting of any agent became looser. The first section that has the
// setting counts: the agent's, then *, then the defaults.
func loosened(was, is *Document) bool {
	for _, id := range append(agentIDs(was, is), "(another agent)") {
		before, after := effective(was, id), effective(is, id)
		for i := range before {
			if after[i] > before[i] {
				return true
			}
		}
	}
	return false
}

// effective returns how loose the settings of an agent are, one number per setting; a missing
// setting tightens nothing.
func effective(d *Document, id string) [4]int {
	most := [4]int{9, 9, 9, 9}
	sections := []Settings{d.Agents[id].settings(), d.Agents[allAgents].settings()}
	if d.Defaults != nil {
		sections = append(sections, *d.Defaults)
	}
	set := func(i int, value *string, order ...string) {
		if value != nil && most[i] == 9 && word(value) != "" {
			most[i] = slices.Index(order, word(value))
		}
	}
	for _, s := range sections {
		set(0, s.Security, "deny", "allowlist", "full")
		set(1, s.Ask, "always", "on-miss", "off")
		set(2, s.AskFallback, "deny", "allowlist", "full")
		if s.AutoAllowSkills != nil && most[3] == 9 {
			most[3] = 0
			if *s.AutoAllowSkills {
				most[3] = 10
			}
		}
	}
	return most
}

// Agree replaces the file with the agreed version if its judged parts have not changed since
// people saw it. Entries that stay keep their usage counts.
func (f *File) Agree(next *Document, base string) error {
	_, err := f.change(context.Background(), func(d *Document) (bool, error) {
		if Base(d) != base {
			return false, &gavel.ApprovalError{Code: gavel.CodeBaseHashStale, Message: "the allowlist has changed since the edit was proposed", Fix: "propose it again"}
		}
		for id, agent := range next.Agents {
			for i := range agent.Allowlist {
				at := slices.IndexFunc(d.Agents[id].Allowlist, agent.Allowlist[i].sameMatch)
				if at >= 0 {
					used := d.Agents[id].Allowlist[at]
					entry := &agent.Allowlist[i]
					entry.LastUsedAt, entry.LastUsedCommand, entry.LastResolvedPath = used.LastUsedAt, used.LastUsedCommand, used.LastResolvedPath
				}
			}
		}
		socket := d.Socket
		*d = *next
		d.Socket = socket
		return true, nil
	})
	return err
}

// Section returns an agent's section of the file, as JSON.
func (f *File) Section(agent string) string {
	d := f.state.Load().document
	if d == nil {
		return ""
	}
	return encode(judgedParts(d).Agents[agent])
}
