package allowlist

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/internal/pathglob"
)

// view is the file as read, indexed. It never changes.
type view struct {
	err      error // why it is refused
	absent   bool
	raw      []byte
	watched  string    // the watcher's hash of it
	document *Document // nil when it is absent or refused
	agents   map[string]*listing
	lines    map[string]int // path in the file → line
}

func (v *view) missing() bool { return v.absent }

// listing is one agent's entries.
type listing struct {
	entries []gavel.Match
	index   *pathglob.Index
	limited map[string][]limited // by the path of the program
}

// limited is an entry that an answer limited to what was judged.
type limited struct {
	position int
	only     *limits
}

// viewOf indexes a document.
func viewOf(raw []byte, d *Document, seal *sealer) *view {
	v := &view{raw: raw, document: d, agents: map[string]*listing{}, lines: linesOf(raw)}
	for id, agent := range d.Agents {
		list := &listing{limited: map[string][]limited{}}
		var patterns []string
		for i, entry := range agent.Allowlist {
			pattern := strings.TrimSpace(entry.Pattern)
			list.entries = append(list.entries, gavel.Match{Found: true, Pattern: pattern,
				Path: fmt.Sprintf("%s#agents.%s.allowlist[%d]", Name, id, i), Args: append([]string{}, entry.Args...)})
			if entry.Only != nil && !entry.narrowed() {
				list.limited[pattern] = append(list.limited[pattern], limited{i, &limits{entry.Only, pattern, seal}})
			}
			if entry.narrowed() || entry.Only != nil {
				pattern = "" // does not match as an ordinary entry
			}
			patterns = append(patterns, pattern)
		}
		list.index = pathglob.New(patterns)
		v.agents[id] = list
	}
	return v
}

// Observe implements gavel.ApprovalsFile.
func (f *File) Observe(facts *gavel.Facts) {
	v := f.state.Load()
	if v.err != nil || v.document == nil {
		facts.ApprovalsFile.State = "refused"
		return
	}
	facts.ApprovalsFile = gavel.ApprovalsFileFacts{State: "read", Settings: v.settings(facts.Agent.ID)}
	if facts.Exec == nil {
		return
	}
	for i := range facts.Exec.Segments {
		segment := &facts.Exec.Segments[i]
		segment.Listed = v.match(facts, segment.Executable, segment)
		for j := range segment.Wrappers {
			segment.Wrappers[j].Listed = v.match(facts, segment.Wrappers[j].Executable, nil)
		}
	}
}

// match returns the first entry that the program matches, those of * before the agent's own,
// or nil. Entries with limits match segments only.
func (v *view) match(facts *gavel.Facts, program gavel.Executable, segment *gavel.Segment) *gavel.Match {
	if !program.Found || program.Real == "" {
		return nil
	}
	for _, id := range []string{"*", facts.Agent.ID} {
		list, ok := v.agents[id]
		if !ok {
			continue
		}
		if position, ok := list.index.First(program.Real, facts.Environment.Home); ok {
			match := list.entries[position]
			return &match
		}
		for _, entry := range list.limited[program.Real] {
			if segment != nil && !sets(facts.Exec) && fits(entry.only, segment) {
				match := list.entries[entry.position]
				return &match
			}
		}
	}
	return nil
}

// sets reports whether a call or its text sets variables, which no entry covers.
func sets(exec *gavel.ExecFacts) bool { return len(exec.Env)+len(exec.Variables) > 0 }

// settings are the sections for an agent, most specific first.
func (v *view) settings(agent string) []gavel.ApprovalsFileSetting {
	list := []gavel.ApprovalsFileSetting{}
	add := func(path string, s Settings) {
		said := gavel.ApprovalsFileSetting{Path: Name + "#" + path, Security: word(s.Security), Ask: word(s.Ask), AskFallback: word(s.AskFallback)}
		if s.AutoAllowSkills != nil {
			said.AutoAllowSkills = strconv.FormatBool(*s.AutoAllowSkills)
		}
		if said != (gavel.ApprovalsFileSetting{Path: said.Path}) {
			list = append(list, said)
		}
	}
	for _, id := range []string{agent, "*"} {
		if section, ok := v.document.Agents[id]; ok {
			add("agents."+id, section.settings())
		}
		if agent == "*" {
			break
		}
	}
	if v.document.Defaults != nil {
		add("defaults", *v.document.Defaults)
	}
	return list
}

func word(value *string) string {
	if value == nil {
		return ""
	}
	return strings.TrimSpace(*value)
}

// Locate implements gavel.ApprovalsFile.
func (f *File) Locate(path string) (file string, line int, ok bool) {
	inside, ours := strings.CutPrefix(path, Name+"#")
	if !ours {
		return "", 0, false
	}
	return f.cfg.Path, f.state.Load().lines[inside], true
}

// linesOf finds the line of every value by its path. The text is valid JSON.
func linesOf(text []byte) map[string]int {
	lines := map[string]int{}
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	line, counted := 1, int64(0)
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return lines
		}
		if token.Kind() == '}' || token.Kind() == ']' {
			continue
		}
		at := decoder.InputOffset()
		line += bytes.Count(text[counted:at], []byte("\n"))
		counted = at
		if path := pathOf(string(decoder.StackPointer())); lines[path] == 0 {
			lines[path] = line
		}
	}
}

// pathOf converts a JSON pointer to the form used in sources of reasons.
func pathOf(pointer string) string {
	var b strings.Builder
	for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if _, err := strconv.Atoi(part); err == nil {
			b.WriteString("[" + part + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	return b.String()
}
