package bundles

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Limits of bounded functions.
const (
	maxDigits  = 1_000       // of a number, and of its exponent's value
	maxText    = 16 << 20    // bytes of a produced text
	maxProduct = 100_000_000 // steps of a quadratic comparison
	maxSearch  = 16 << 10    // bytes of a text searched for all matches of a pattern
	maxMatch   = 50_000_000  // bytes of a text times the size of the pattern that it is matched with
	maxRange   = 100_000     // numbers of a range, and addresses of a network
	maxPatches = 1_000       // changes to one document
	maxPairs   = 1_000_000   // networks that are compared with one another
	maxUnits   = 64          // bytes of an amount with its unit
)

// most refuses more than limit of something.
func most(what string, n, limit int) error {
	if n < 0 || n > limit {
		return fmt.Errorf("more than %d %s", limit, what)
	}
	return nil
}

// said returns a string's value; "" for anything else, which the function itself refuses.
func said(term *ast.Term) string {
	s, _ := term.Value.(ast.String)
	return string(s)
}

// size is the number of bytes of a text, and of elements of anything else.
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

// elements are the elements of an array or a set, and the values of an object.
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

// nodes counts the values in a value, itself included.
func nodes(term *ast.Term) int {
	n := 1
	for _, element := range elements(term) {
		n += nodes(element)
	}
	return n
}

// digits refuses numbers with too many digits in total, or too large an exponent.
func digits(limit int, terms ...*ast.Term) error {
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

// eachNumber refuses lists that contain a number with too many digits.
func eachNumber(args []*ast.Term) error {
	for _, arg := range args {
		if err := digits(maxDigits, arg); err != nil {
			return err
		}
	}
	return nil
}

// amount refuses amounts of many digits, or with an exponent of many digits.
func amount(args []*ast.Term) error {
	if _, exponent, ok := strings.Cut(strings.ToLower(said(args[0])), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 3 && exponent[0] < 'a' {
		return fmt.Errorf("a number has more than %d digits", maxDigits)
	}
	return most("bytes", size(args[0]), maxUnits)
}

// spans refuses ranges of too many numbers.
func spans(from, to *ast.Term) error {
	first, ok1 := from.Value.(ast.Number)
	last, ok2 := to.Value.(ast.Number)
	if !ok1 || !ok2 {
		return nil // the function refuses it
	}
	x, ok1 := first.Int64()
	y, ok2 := last.Int64()
	const far = 1 << 62
	if !ok1 || !ok2 || max(x, -x) > far || max(y, -y) > far {
		return errors.New("more than 62 bits at an end of the range")
	}
	return most("numbers in a range", int(max(x-y, y-x)), maxRange)
}

// network refuses networks of too many addresses.
func network(cidr *ast.Term) error {
	prefix, err := netip.ParsePrefix(said(cidr))
	if err != nil {
		return nil // the function refuses it
	}
	if prefix.Addr().BitLen()-prefix.Bits() > 16 {
		return errors.New("the network has more than 65536 addresses")
	}
	return nil
}

// search refuses to look for a long text in a long text.
func search(args []*ast.Term) error {
	return most("steps", size(args[0])*size(args[1]), maxProduct)
}

// grown is the size of a text if every character became that many bytes.
func grown(term *ast.Term, each int) int { return (size(term) + 1) * max(each, 1) }

// joined refuses to join parts into too long a text.
func joined(args []*ast.Term) error {
	total := 0
	for _, part := range elements(args[1]) {
		total += size(part) + size(args[0])
	}
	return most("bytes of output", total, maxText)
}

// formatted refuses widths that are numbers of many digits or arguments, and results that
// may become too long.
func formatted(args []*ast.Term) error {
	longest := 0
	for _, arg := range elements(args[1]) {
		longest = max(longest, written(arg))
		if err := digits(maxDigits, arg); err != nil {
			return err
		}
	}
	format := said(args[0])
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
	return most("bytes of output", len(format)+len(verbs)*(longest+2_000), maxText)
}

// written estimates the encoded size of a value in bytes.
func written(term *ast.Term) int {
	n := size(term) + 8
	if object, ok := term.Value.(ast.Object); ok {
		for _, key := range object.Keys() {
			n += written(key)
		}
	}
	for _, element := range elements(term) {
		n += written(element)
	}
	return n
}

// matched refuses to match a long text with a large pattern.
func matched(pattern, subject *ast.Term) error {
	atMost := 4 * (size(pattern) + 1) // instructions, unless something is repeated so many times
	if strings.Contains(said(pattern), "{") {
		atMost *= 1_000 // the most that a pattern may repeat anything
	}
	if size(subject)*atMost <= maxMatch {
		return nil
	}
	parsed, err := syntax.Parse(said(pattern), syntax.Perl)
	if err != nil {
		return nil // the function refuses it
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil
	}
	return most("bytes times the size of the pattern", size(subject)*len(program.Inst), maxMatch)
}
