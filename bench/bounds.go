package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// ratio is the quotient of two values of the same run.
type ratio struct {
	name  string
	value float64
}

// bound is the worst acceptable value of a ratio. Exactly one of the two fields is set.
type bound struct {
	AtLeast float64 `json:"atLeast,omitempty"`
	AtMost  float64 `json:"atMost,omitempty"`
}

func (b bound) holds(value float64) bool {
	// NaN satisfies no bound, because every comparison with it is false.
	return value > 0 && (b.AtLeast == 0 || value >= b.AtLeast) && (b.AtMost == 0 || value <= b.AtMost)
}

// String formats the bound for people.
func (b bound) String() string {
	if b.AtLeast != 0 {
		return fmt.Sprintf("at least %.4g", b.AtLeast)
	}
	return fmt.Sprintf("at most %.4g", b.AtMost)
}

// bounds contains the bounds by part of a run and by name of a ratio.
type bounds map[string]map[string]bound

func readBounds(path string) (bounds, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var all bounds
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	for _, part := range all {
		for name, b := range part {
			if (b.AtLeast > 0) == (b.AtMost > 0) {
				return nil, fmt.Errorf("read %s: the bound of %q needs exactly one of atLeast and atMost", path, name)
			}
		}
	}
	return all, nil
}

// check returns an error for each ratio of a part that is worse than its bound, for each ratio
// without a bound, and for each bound without a ratio.
func (b bounds) check(part string, measured []ratio) error {
	var problems []error
	missing := maps.Clone(b[part])
	for _, r := range measured {
		limit, bounded := b[part][r.name]
		delete(missing, r.name)
		switch {
		case !bounded:
			problems = append(problems, fmt.Errorf("%s: %q is %.4g and has no bound", part, r.name, r.value))
		case !limit.holds(r.value):
			problems = append(problems, fmt.Errorf("%s: %q is %.4g, but must be %s", part, r.name, r.value, limit))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		problems = append(problems, fmt.Errorf("%s: %q has a bound, but was not measured", part, name))
	}
	return errors.Join(problems...)
}

// write prints ratios with their bounds.
func (b bounds) write(w io.Writer, part string, measured []ratio) error {
	lines := []string{"ratio, " + part + "\tvalue\tbound"}
	for _, r := range measured {
		limit, verdict := "none", ""
		if bound, ok := b[part][r.name]; ok {
			limit = bound.String()
			if !bound.holds(r.value) {
				verdict = "  WORSE"
			}
		}
		lines = append(lines, fmt.Sprintf("%s\t%.4g\t%s%s", r.name, r.value, limit, verdict))
	}
	return writeAligned(w, lines)
}
