package approvals

import (
	"slices"
	"strings"
	"sync"
	"time"

	"gavel"
	"gavel/internal/pathglob"
)

const (
	// askedLife is how long someone who asked for a program cannot put it on the list.
	askedLife  = 24 * time.Hour
	personName = "person:" // what the name of an asker who is a person begins with
	maxAsked   = 256       // programs of one asker; beyond that, the asker counts as having asked for everything
)

// askers remembers who asked for which programs: an allowlist edit that permits one of them
// would be an answer to one's own question. It is kept in memory only.
type askers struct {
	mu sync.Mutex
	by map[string]*wishes // by credential, and by person:NAME
}

// wishes are the programs that someone asked for.
type wishes struct {
	programs map[program]time.Time // until when it counts
	all      time.Time             // until when all programs count
}

type program struct{ path, home string }

// askerNames are the names that identify an asker.
func askerNames(credential, person string) []string {
	if person = named(credential, person); person == "" {
		return []string{credential}
	}
	return []string{credential, personName + person}
}

// add remembers a question.
func (s *askers) add(q *gavel.Question, now time.Time) {
	if q.Facts.Exec == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]*wishes{}
	}
	for _, name := range askerNames(q.Caller, q.Person) {
		w := s.by[name]
		if w == nil {
			w = &wishes{programs: map[program]time.Time{}}
			s.by[name] = w
		}
		for i := range q.Facts.Exec.Segments {
			segment := &q.Facts.Exec.Segments[i]
			w.add(program{segment.Executable.Real, q.Facts.Environment.Home}, now)
			for j := range segment.Wrappers {
				w.add(program{segment.Wrappers[j].Executable.Real, q.Facts.Environment.Home}, now)
			}
		}
	}
}

func (w *wishes) add(p program, now time.Time) {
	if p.path == "" {
		return
	}
	if _, known := w.programs[p]; !known && len(w.programs) >= maxAsked {
		for old, until := range w.programs {
			if !now.Before(until) {
				delete(w.programs, old)
			}
		}
	}
	if _, known := w.programs[p]; !known && len(w.programs) >= maxAsked {
		w.all = now.Add(askedLife)
		return
	}
	w.programs[p] = now.Add(askedLife)
}

// wants reports whether someone asked for a program that one of the patterns permits, or for
// any program at all if everything is permitted.
func (s *askers) wants(credential, person string, patterns []string, everything bool, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	index := pathglob.New(patterns)
	return slices.ContainsFunc(askerNames(credential, person), func(name string) bool {
		return s.by[name].wants(index, everything, now)
	})
}

// peopleWant reports the same of all named people.
func (s *askers) peopleWant(patterns []string, everything bool, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	index := pathglob.New(patterns)
	for name, w := range s.by {
		if strings.HasPrefix(name, personName) && w.wants(index, everything, now) {
			return true
		}
	}
	return false
}

func (w *wishes) wants(index *pathglob.Index, everything bool, now time.Time) bool {
	if w == nil {
		return false
	}
	if now.Before(w.all) {
		return true
	}
	for p, until := range w.programs {
		if !now.Before(until) {
			continue
		}
		if _, admitted := index.First(p.path, p.home); admitted || everything {
			return true
		}
	}
	return false
}
