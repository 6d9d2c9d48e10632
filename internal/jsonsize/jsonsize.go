// Package jsonsize measures a JSON document before memory is spent on it.
package jsonsize

// Problem is what is wrong with the size of a document.
type Problem int

// The problems. The zero value is none.
const (
	TooDeep Problem = iota + 1 // objects and arrays inside one another
	TooMany                    // values
)

// Scan looks for the first bracket that is nested deeper than depth, or the first value beyond
// values, and returns its offset; and for a null anywhere before it. It only looks at bytes outside
// strings, so what it says holds for valid JSON alone: there, an n begins a null, and there are as
// many values as brackets that open, and commas, and one. Whoever parses the document afterwards
// refuses anything else.
func Scan(data []byte, depth, values int) (at int, problem Problem, null bool) {
	deep, many, quoted := 0, 1, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if deep++; deep > depth {
				return i, TooDeep, null
			}
			if many++; many > values {
				return i, TooMany, null
			}
		case c == ',':
			if many++; many > values {
				return i, TooMany, null
			}
		case c == '}' || c == ']':
			deep--
		case c == 'n':
			null = true
		}
	}
	return 0, 0, null
}
