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
	// askMemory is how long someone who asked for a program cannot put it on the list.
	askMemory   = 24 * time.Hour
	personName  = "person:" // what the name of an asker who is a person begins with
	maxPrograms = 256       // programs of one asker; beyond that, the asker counts as having asked for everything
)

// askHistory remembers who asked for which programs: someone who adds such a program to the
// allowlist would answer their own question. It is kept in memory only.
type askHistory struct {
	mu     sync.Mutex
	byName map[string]*askedPrograms // by credential, and by person:NAME
}

// askedPrograms are the programs that someone asked for.
type askedPrograms struct {
	programs map[program]time.Time // program → until when it counts
	all      time.Time             // until when all programs count
}

type program struct{ path, home string }

// askerNames returns the keys under which an asker is remembered.
func askerNames(credential, person string) []string {
	if person = named(credential, person); person == "" {
		return []string{credential}
	}
	return []string{credential, personName + person}
}

// add remembers a question.
func (s *askHistory) add(q *gavel.Question, now time.Time) {
	if q.Facts.Exec == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName == nil {
		s.byName = map[string]*askedPrograms{}
	}
	for _, name := range askerNames(q.Caller, q.Person) {
		w := s.byName[name]
		if w == nil {
			w = &askedPrograms{programs: map[program]time.Time{}}
			s.byName[name] = w
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

func (w *askedPrograms) add(p program, now time.Time) {
	if p.path == "" {
		return
	}
	if _, known := w.programs[p]; !known && len(w.programs) >= maxPrograms {
		for old, until := range w.programs {
			if !now.Before(until) {
				delete(w.programs, old)
			}
		}
	}
	if _, known := w.programs[p]; !known && len(w.programs) >= maxPrograms {
		w.all = now.Add(askMemory)
		return
	}
	w.programs[p] = now.Add(askMemory)
}

// askedFor reports whether someone asked for a program that one of the patterns permits. If the
// edit permits everything, any program counts.
func (s *askHistory) askedFor(credential, person string, patterns []string, everything bool, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	index := pathglob.New(patterns)
	return slices.ContainsFunc(askerNames(credential, person), func(name string) bool {
		return s.byName[name].include(index, everything, now)
	})
}

// anyoneAskedFor reports whether any named person did, in the same sense.
func (s *askHistory) anyoneAskedFor(patterns []string, everything bool, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	index := pathglob.New(patterns)
	for name, w := range s.byName {
		if strings.HasPrefix(name, personName) && w.include(index, everything, now) {
			return true
		}
	}
	return false
}

func (w *askedPrograms) include(index *pathglob.Index, everything bool, now time.Time) bool {
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
