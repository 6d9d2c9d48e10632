package hazard

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"gavel/analyzer/programs"
)

// Table is what is known about argument hazards: for each program of the catalog, how its
// arguments are read, and which of them run, write, read or load something or use the network. It
// is immutable once in use, and safe for concurrent use. What a hazard means for a decision is up
// to the policy.
type Table struct {
	programs vocabularies
	harmless map[string]bool // destinations where nothing is stored, such as /dev/null
	Paths    Paths           // what the tables say about paths
	Names    *programs.Fold  // how names of programs are compared
}

// Means returns the sorted kinds of hazard that an option of a program, or of one of its
// sub-commands, has.
func (h *Table) Means(program, option string) []string {
	_, v := h.Program(program)
	kinds := map[string]bool{}
	v.means(option, kinds)
	return slices.Sorted(maps.Keys(kinds))
}

// New returns the table of a catalog.
func New(catalog *programs.Catalog) (*Table, error) {
	h := &Table{programs: vocabularies{}, harmless: map[string]bool{}, Names: catalog.Fold()}
	dynamic := map[*programs.Entry]*lazyVocabulary{}
	var errs []error
	for _, e := range catalog.Entries() {
		from := catalog.DescribedBy(e)
		if from == nil {
			continue
		}
		if dynamic[from] == nil {
			if err := checkRules(&from.Grammar); err != nil {
				errs = append(errs, fmt.Errorf("argument hazards: %s: %w", from.Name, err))
			}
			dynamic[from] = &lazyVocabulary{entry: from}
		}
		for _, name := range e.Names() {
			h.programs[name] = dynamic[from]
		}
	}
	return h, errors.Join(errs...)
}

// vocabularies are the vocabularies of programs, by name. Most processes need only a few of them, so each
// is compiled on first use.
type vocabularies map[string]*lazyVocabulary

// lazyVocabulary is a vocabulary that is compiled once.
type lazyVocabulary struct {
	entry      *programs.Entry
	once       sync.Once
	vocabulary *Vocabulary
}

// find returns the vocabulary of a program, or nil.
func (all vocabularies) find(name string) *Vocabulary {
	lazy := all[name]
	if lazy == nil {
		return nil
	}
	lazy.once.Do(func() {
		lazy.vocabulary = &Vocabulary{listsEveryOption: true, always: kindUnknown} // used if compiling it panics
		v := newVocabulary(&lazy.entry.Grammar, &lazy.entry.Grammar)
		v.compile(nil)
		v.setRepository(lazy.entry)
		v.externalPrefix = lazy.entry.ExternalSubcommands
		if lazy.entry.ChangesFiles && v.changes == nil {
			v.changes = []programs.ChangedFiles{{}}
		}
		lazy.vocabulary = v
	})
	return lazy.vocabulary
}

// AddPaths adds a table of paths, and the destinations where nothing is stored, such as /dev/null. It
// must not be called once the table is in use.
func (h *Table) AddPaths(t PathTable, harmless []string) error {
	for _, name := range harmless {
		h.harmless[name] = true
	}
	return h.Paths.add(t)
}

// Stores reports whether what is written to a destination may be kept there.
func (h *Table) Stores(destination string) bool { return !h.harmless[destination] }
