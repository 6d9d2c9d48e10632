package allowlist

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"gavel"
)

// uses are entry uses that are not written yet. Decisions write nothing; the last use of each
// entry is written every few seconds.
type uses struct {
	mu      sync.Mutex
	waiting map[useKey]use
}

// useKey identifies an entry by its content, because its index may have changed by the time
// its use is written.
type useKey struct{ agent, pattern, id string }

type use struct {
	at      int64
	command string
	path    string
}

// Used implements gavel.ApprovalsFile.
func (f *File) Used(facts *gavel.Facts) {
	if facts.Exec == nil {
		return
	}
	for i := range facts.Exec.Segments {
		segment := &facts.Exec.Segments[i]
		f.used(facts, segment.Listed, segment.Executable.Real)
		for j := range segment.Wrappers {
			f.used(facts, segment.Wrappers[j].Listed, segment.Wrappers[j].Executable.Real)
		}
	}
}

func (f *File) used(facts *gavel.Facts, entry *gavel.Match, path string) {
	if entry == nil || !entry.Found {
		return
	}
	_, inside, _ := strings.Cut(entry.Path, "#agents.")
	agent := inside[:max(strings.LastIndex(inside, ".allowlist["), 0)]
	key := useKey{agent, entry.Pattern, f.limitedID(agent, entry.Path)}
	f.uses.mu.Lock()
	defer f.uses.mu.Unlock()
	if _, known := f.uses.waiting[key]; !known && len(f.uses.waiting) >= maxUses {
		return // the next flush makes room; uses are only bookkeeping
	}
	f.uses.waiting[key] = use{f.cfg.Now().UnixMilli(), strings.ToValidUTF8(facts.Exec.Command[:min(len(facts.Exec.Command), maxCommand)], ""), path}
}

// limitedID is the id of an entry with limits, because several such entries may share a
// pattern; "" for other entries.
func (f *File) limitedID(agent, path string) string {
	d := f.state.Load().document
	if d == nil {
		return ""
	}
	_, number, _ := strings.Cut(path, ".allowlist[")
	position, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
	entries := d.Agents[agent].Allowlist
	if err != nil || position >= len(entries) || entries[position].Only == nil {
		return ""
	}
	return entries[position].ID
}

// Flush writes the recorded uses, if there are any.
func (f *File) Flush() error {
	f.uses.mu.Lock()
	waiting := f.uses.waiting
	f.uses.waiting = map[useKey]use{}
	f.uses.mu.Unlock()
	if len(waiting) == 0 {
		return nil
	}
	_, err := f.change(context.Background(), func(d *Document) (bool, error) {
		changed := false
		for id, agent := range d.Agents {
			for i := range agent.Allowlist {
				entry := &agent.Allowlist[i]
				key := useKey{agent: id, pattern: strings.TrimSpace(entry.Pattern)}
				if entry.Only != nil {
					key.id = entry.ID
				}
				if used, ok := waiting[key]; ok && !entry.narrowed() {
					entry.LastUsedAt, entry.LastUsedCommand, entry.LastResolvedPath = used.at, used.command, used.path
					changed = true
				}
			}
		}
		return changed, nil
	})
	return err
}
