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

// ratio is the quotient of two values measured in the same run.
type ratio struct {
	name  string
	value float64
}

// bound is the worst acceptable ratio. Exactly one of the two fields is set.
type bound struct {
	AtLeast float64 `json:"atLeast,omitempty"`
	AtMost  float64 `json:"atMost,omitempty"`
}

func (b bound) holds(value float64) bool {
	// Written so that NaN never satisfies a bound.
	return value > 0 && (b.AtLeast == 0 || value >= b.AtLeast) && (b.AtMost == 0 || value <= b.AtMost)
}

// String formats the bound for people.
func (b bound) String() string {
	if b.AtLeast != 0 {
		return fmt.Sprintf("at least %.4g", b.AtLeast)
	}
	return fmt.Sprintf("at most %.4g", b.AtMost)
}

// bounds contains the bound of every ratio, by the part of a run that measures it.
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
				return nil, fmt.Errorf("read %s: the bound of %q is neither atLeast nor atMost, or both", path, name)
			}
		}
	}
	return all, nil
}

// check returns an error that names every ratio of a part that is worse than its bound. A ratio
// without a bound, or a bound without a ratio, is an error, too.
func (b bounds) check(part string, measured []ratio) error {
	var wrong []error
	missing := maps.Clone(b[part])
	for _, r := range measured {
		limit, known := b[part][r.name]
		delete(missing, r.name)
		switch {
		case !known:
			wrong = append(wrong, fmt.Errorf("%s: %q is %.4g and has no bound", part, r.name, r.value))
		case !limit.holds(r.value):
			wrong = append(wrong, fmt.Errorf("%s: %q is %.4g, and must be %s", part, r.name, r.value, limit))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		wrong = append(wrong, fmt.Errorf("%s: %q has a bound and was not measured", part, name))
	}
	return errors.Join(wrong...)
}

// write prints ratios with their bounds.
func (b bounds) write(w io.Writer, part string, measured []ratio) error {
	lines := []string{"ratio, " + part + "\tvalue\tbound"}
	for _, r := range measured {
		limit, verdict := "none", ""
		if known, ok := b[part][r.name]; ok {
			limit = known.String()
			if !known.holds(r.value) {
				verdict = "  WORSE"
			}
		}
		lines = append(lines, fmt.Sprintf("%s\t%.4g\t%s%s", r.name, r.value, limit, verdict))
	}
	return writeAligned(w, lines)
}
