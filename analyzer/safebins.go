package analyzer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/internal/getopt"
)

// SafeBins is how filters read their arguments, by name. It never changes, and is
// safe for concurrent use. Which filters may run, with which of these options, is
// not said here.
type SafeBins map[string]filterProfile

// filterProfile is the part of a profile that reading arguments takes.
type filterProfile struct {
	vocabulary getopt.Vocabulary
	grammar    string // of the first operand, or ""
}

// safeBinTable is rego/gavel/catalog/safebins/data.yaml, which is its own manual.
type safeBinTable struct {
	Default, Directories, Through, Feeding, Never []string
	Profiles                                      map[string]safeBinEntry
	Filters                                       map[string][]string
}

type safeBinEntry struct {
	Flags, Values, Texts, Attached, Pairs, Denied []string
	Number, Words                                 bool
	OperandText                                   bool `yaml:"operandText"`
	Operands                                      struct{ Min, Max int }
	Grammar                                       string
}

// ReadSafeBins reads the profiles of a policy root. A key or a grammar that is not
// known, and an option that is there twice or is none, is an error.
func ReadSafeBins(policy fs.FS) (SafeBins, error) {
	const name = "gavel/catalog/safebins/data.yaml"
	text, err := fs.ReadFile(policy, name)
	if err != nil {
		return nil, fmt.Errorf("read the profiles of safe bins: %w", err)
	}
	bins, err := readSafeBins(text)
	if err != nil {
		return nil, fmt.Errorf("read the profiles of safe bins: %s: %w", name, err)
	}
	return bins, nil
}

func readSafeBins(text []byte) (SafeBins, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var table safeBinTable
	if err := decoder.Decode(&table); err != nil {
		return nil, err
	}
	if err := decoder.Decode(&safeBinTable{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	if len(table.Profiles) == 0 {
		return nil, errors.New("there is no profile")
	}
	bins := SafeBins{}
	for _, name := range slices.Sorted(maps.Keys(table.Profiles)) {
		profile, err := table.Profiles[name].read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		bins[name] = profile
	}
	return bins, nil
}

func (e safeBinEntry) read() (filterProfile, error) {
	p := filterProfile{grammar: e.Grammar,
		vocabulary: getopt.Vocabulary{Options: map[string]getopt.Kind{}, Number: e.Number, Words: e.Words}}
	if !slices.Contains([]string{"", grammarJQ}, e.Grammar) {
		return p, fmt.Errorf("grammar %q is none", e.Grammar)
	}
	seen := map[string]bool{}
	put := func(kind getopt.Kind, names []string) error {
		for _, name := range names {
			if seen[name] || !strings.HasPrefix(name, "-") || strings.ContainsAny(name, "= ") || len(name) < 2 || len(name) > 2 && name[1] != '-' {
				return fmt.Errorf("option %q is there twice, or is none", name)
			}
			seen[name] = true
			if kind != "" {
				p.vocabulary.Options[name] = kind
			}
		}
		return nil
	}
	return p, errors.Join(put(getopt.Flag, e.Flags), put(getopt.Value, e.Values), put(getopt.Value, e.Texts),
		put(getopt.Attached, e.Attached), put(getopt.Pair, e.Pairs), put("", e.Denied))
}

// class reads the arguments of a filter that goes by its real name; it is nil for
// every other program.
func (s SafeBins) class(argv []string, executable gavel.Executable) *gavel.Class {
	profile, known := s[executable.RealName]
	if !known || !executable.Found {
		return nil
	}
	class := getopt.Read(executable.RealName, argv, profile.vocabulary)
	if profile.grammar == grammarJQ && len(class.Operands) > 0 {
		class.Filter = readJQ(class.Operands[0].Text)
	}
	return &class
}
