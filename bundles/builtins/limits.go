package builtins

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// The limits of bounded functions.
const (
	maxDigits    = 1_000       // digits of a number, and its largest exponent
	maxOutput    = 16 << 20    // bytes of a string that a function returns
	maxSteps     = 100_000_000 // steps of a quadratic comparison
	maxScanned   = 16 << 10    // bytes of a string that is searched for every match of a pattern
	maxMatchCost = 50_000_000  // bytes of a string times the instructions of the pattern that it is matched with
	maxRange     = 100_000     // numbers in a range
	maxPatches   = 1_000       // patches of one document, and networks that are merged
	maxPairs     = 1_000_000   // pairs of networks that are compared
	maxUnits     = 64          // bytes of a quantity with its unit, such as 10KiB
)

// checkMax returns an error if there is more than limit of something.
func checkMax(what string, n, limit int) error {
	if n < 0 || n > limit {
		return fmt.Errorf("more than %d %s", limit, what)
	}
	return nil
}

// stringValue returns the value of a string, and "" for anything else, which OPA's function
// refuses by itself.
func stringValue(term *ast.Term) string {
	s, _ := term.Value.(ast.String)
	return string(s)
}

// size returns the number of bytes of a string, and the number of elements of a collection.
func size(term *ast.Term) int {
	switch v := term.Value.(type) {
	case ast.String:
		return len(v)
	case *ast.Array:
		return v.Len()
	case ast.Set:
		return v.Len()
	case ast.Object:
		return v.Len()
	}
	return 1
}

// elements returns the elements of an array or a set, and the values of an object.
func elements(term *ast.Term) []*ast.Term {
	switch v := term.Value.(type) {
	case *ast.Array:
		list := make([]*ast.Term, 0, v.Len())
		v.Foreach(func(element *ast.Term) { list = append(list, element) })
		return list
	case ast.Set:
		return v.Slice()
	case ast.Object:
		list := make([]*ast.Term, 0, v.Len())
		v.Foreach(func(_, value *ast.Term) { list = append(list, value) })
		return list
	}
	return nil
}

// countNodes returns the number of values inside a value, including the value itself.
func countNodes(term *ast.Term) int {
	n := 1
	for _, element := range elements(term) {
		n += countNodes(element)
	}
	return n
}

// checkDigits refuses numbers that together have too many digits, or too large an exponent.
func checkDigits(limit int, terms ...*ast.Term) error {
	for _, term := range terms {
		number, ok := term.Value.(ast.Number)
		if !ok {
			continue
		}
		mantissa, exponent, _ := strings.Cut(strings.ToLower(string(number)), "e")
		power := 0
		if exponent != "" {
			var err error
			if power, err = strconv.Atoi(strings.TrimPrefix(exponent, "+")); err != nil {
				power = maxDigits + 1
			}
		}
		if limit -= len(mantissa) + max(power, -power); limit < 0 {
			return fmt.Errorf("a number has more than %d digits", maxDigits)
		}
	}
	return nil
}

// checkNumbers refuses a list in which a single number has too many digits.
func checkNumbers(args []*ast.Term) error {
	for _, arg := range args {
		if err := checkDigits(maxDigits, arg); err != nil {
			return err
		}
	}
	return nil
}

// checkUnits refuses quantities that are too long, or that have a large exponent. In 10Ei the e
// belongs to the unit.
func checkUnits(args []*ast.Term) error {
	if _, exponent, ok := strings.Cut(strings.ToLower(stringValue(args[0])), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 3 && exponent[0] < 'a' {
		return fmt.Errorf("a number has more than %d digits", maxDigits)
	}
	return checkMax("bytes", size(args[0]), maxUnits)
}

// checkRange refuses ranges of too many numbers.
func checkRange(from, to *ast.Term) error {
	first, ok1 := from.Value.(ast.Number)
	last, ok2 := to.Value.(ast.Number)
	if !ok1 || !ok2 {
		return nil // OPA's function refuses it
	}
	x, ok1 := first.Int64()
	y, ok2 := last.Int64()
	const limit = 1 << 62 // so that x-y cannot overflow
	if !ok1 || !ok2 || max(x, -x) > limit || max(y, -y) > limit {
		return errors.New("more than 62 bits at an end of the range")
	}
	return checkMax("numbers in a range", int(max(x-y, y-x)), maxRange)
}

// checkNetwork refuses networks of too many addresses.
func checkNetwork(cidr *ast.Term) error {
	prefix, err := netip.ParsePrefix(stringValue(cidr))
	if err != nil {
		return nil // OPA's function refuses it
	}
	if prefix.Addr().BitLen()-prefix.Bits() > 16 {
		return errors.New("the network has more than 65536 addresses")
	}
	return nil
}

// checkSearch refuses to search for a long string in a long string.
func checkSearch(args []*ast.Term) error {
	return checkMax("steps", size(args[0])*size(args[1]), maxSteps)
}

// maxReplaced returns the largest size of a string in which every character is replaced.
func maxReplaced(term *ast.Term, replacement int) int { return (size(term) + 1) * max(replacement, 1) }

// checkConcat refuses to join strings into one that is too long.
func checkConcat(args []*ast.Term) error {
	total := 0
	for _, part := range elements(args[1]) {
		total += size(part) + size(args[0])
	}
	return checkMax("bytes of output", total, maxOutput)
}

// checkFormat refuses widths that are large or come from an argument, and results that may be
// too long.
func checkFormat(args []*ast.Term) error {
	longest := 0
	for _, arg := range elements(args[1]) {
		longest = max(longest, encodedSize(arg))
		if err := checkDigits(maxDigits, arg); err != nil {
			return err
		}
	}
	format := stringValue(args[0])
	verbs := strings.Split(format, "%")[1:]
	for _, verb := range verbs {
		flags := verb[:len(verb)-len(strings.TrimLeft(verb, "+-# .0123456789[]*"))]
		if strings.Contains(flags, "*") {
			return errors.New("the format takes a width from its arguments, so it may be more than 999")
		}
		for _, number := range strings.FieldsFunc(flags, func(r rune) bool { return r < '0' || r > '9' }) {
			if len(number) > 3 {
				return fmt.Errorf("the format has the width %s, which is more than 999", number)
			}
		}
	}
	return checkMax("bytes of output", len(format)+len(verbs)*(longest+2_000), maxOutput)
}

// encodedSize estimates the size of a value as text, in bytes.
func encodedSize(term *ast.Term) int {
	n := size(term) + 8
	if object, ok := term.Value.(ast.Object); ok {
		for _, key := range object.Keys() {
			n += encodedSize(key)
		}
	}
	for _, element := range elements(term) {
		n += encodedSize(element)
	}
	return n
}

// checkMatch refuses to match a long string with a large pattern.
func checkMatch(pattern, subject *ast.Term) error {
	// Compiling a pattern to count its instructions takes time, so estimate first.
	instructions := 4 * (size(pattern) + 1)
	if strings.Contains(stringValue(pattern), "{") {
		instructions *= 1_000 // the largest repetition that Go's regular expressions allow
	}
	if size(subject)*instructions <= maxMatchCost {
		return nil
	}
	parsed, err := syntax.Parse(stringValue(pattern), syntax.Perl)
	if err != nil {
		return nil // OPA's function refuses it
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil
	}
	return checkMax("bytes of text times instructions of the pattern", size(subject)*len(program.Inst), maxMatchCost)
}
