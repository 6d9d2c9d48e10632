package analyzer

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
	"gavel/internal/nearest"
)

// parameters reads the parameters of a tool by name, and collects the names of those that are
// unexpected or have the wrong type.
type parameters struct {
	params map[string]any
	names  []string
	wrong  []gavel.Misfit
}

// read returns the parameter as a T, or the zero T if it is missing. wants is the type in words.
func read[T any](p *parameters, name, wants string) (value T) {
	p.names = append(p.names, name)
	given, ok := p.params[name]
	if !ok {
		return value
	}
	if value, ok = given.(T); !ok {
		p.refuse(name, wants)
	}
	return value
}

// refuse records that a parameter has the wrong type.
func (p *parameters) refuse(name, wants string) {
	p.wrong = append(p.wrong, gavel.Misfit{Name: name, Wants: wants})
}

// isWrong reports whether a parameter that was read has the wrong type.
func (p *parameters) isWrong(name string) bool {
	return slices.ContainsFunc(p.wrong, func(one gavel.Misfit) bool { return one.Name == name })
}

func (p *parameters) text(name string) string { return read[string](p, name, "text") }
func (p *parameters) flag(name string) bool   { return read[bool](p, name, "true or false") }

// number returns a number in units of 1/scale, rounded up: 0 if it is missing, and -1 if it is
// not positive. The result is limited to 2^53, the largest integer that JSON numbers hold exactly.
func (p *parameters) number(name string, scale float64) int {
	const exact = 1 << 53
	var value float64
	switch given := p.params[name].(type) {
	case float64:
		value = given
	case int:
		value = float64(given)
	case int64:
		value = float64(given)
	case uint64:
		value = float64(given)
	case json.Number:
		value, _ = given.Float64() // infinite if it is too large
	default:
		read[float64](p, name, "a number")
		return 0
	}
	p.names = append(p.names, name)
	value = math.Ceil(value * scale)
	if !(value > 0) {
		return -1
	}
	return int(min(value, exact))
}

// texts returns a list of texts, or nil if it is missing or has the wrong type.
func (p *parameters) texts(name string) []string {
	const wants = "a list of texts"
	given := read[[]any](p, name, wants)
	list := make([]string, 0, len(given))
	for _, value := range given {
		text, ok := value.(string)
		if !ok {
			p.refuse(name, wants)
			return nil
		}
		list = append(list, text)
	}
	return list
}

// env returns the names of the variables in an object of strings, in upper case, and their
// assignments. A value that is not a string, or a name that is not portable, makes the whole
// parameter wrong. The names that can be read are still returned.
func (p *parameters) env(name string) ([]string, []shell.Assignment) {
	const wants = "an object of texts, with names of letters, digits and _"
	names, values := []string{}, []shell.Assignment{}
	fits := true
	for key, value := range read[map[string]any](p, name, wants) {
		key = strings.TrimSpace(key)
		text, isText := value.(string)
		if spelling.Portable(key) {
			names = append(names, strings.ToUpper(key))
			values = append(values, shell.Assignment{Name: key, Form: shell.FormOf(text), Exported: true, Number: spelling.Digits(text)})
		}
		fits = fits && isText && spelling.Portable(key)
	}
	if !fits {
		p.refuse(name, wants)
	}
	return spelling.Tidy(names), values
}

// maxMisfits limits the misfits that are described.
const maxMisfits = 16

// misfits returns the sorted names of unexpected parameters and of those with the wrong type, and
// describes the first of them.
func (p *parameters) misfits() ([]string, []gavel.Misfit) {
	all := append([]gavel.Misfit{}, p.wrong...)
	for name := range p.params {
		if !slices.Contains(p.names, name) {
			all = append(all, gavel.Misfit{Name: name})
		}
	}
	slices.SortFunc(all, func(a, b gavel.Misfit) int { return strings.Compare(a.Name, b.Name) })
	names := make([]string, len(all))
	for i, misfit := range all {
		names[i] = misfit.Name
	}
	all = all[:min(len(all), maxMisfits)]
	for i := range all {
		if all[i].Wants == "" {
			all[i].Nearest = nearest.Name(all[i].Name, p.names)
		}
	}
	return names, all
}
