package argv

import (
	"iter"
	"slices"
	"strings"
)

// Doubt configures a doubtful grammar, which decides nothing if words can be read in two ways. If
// nobody knows whether an option takes the next word, that word counts both as its value and as
// an operand. So it may find a file too many, never one too few.
type Doubt struct {
	On bool
	// Further are options that apply if Grammar.Options has none of that name. One of them with
	// an optional value takes none, and one dash with several letters is a cluster.
	Further map[string]Option
	// Ends are options after which the rest of a cluster, and perhaps the next word, is a text of
	// its own.
	Ends []string
}

// doubtful reads all words.
func (r *reader) doubtful() {
	maybe := false
	for r.at < len(r.words) {
		word, after := r.words[r.at], maybe
		r.at++
		maybe = false
		switch {
		case word == "--" && !r.ended:
			r.ended = true
		case r.ended || len(word) < 2 || word[0] != '-':
			r.operand(word)
			r.Operands[len(r.Operands)-1].Maybe = after
		default:
			maybe = r.doubt(word)
		}
	}
}

// doubt reads one word of options, and reports whether the next word may be a value.
func (r *reader) doubt(word string) (maybe bool) {
	name, value, attached := strings.Cut(word, "=")
	o, known := r.doubted(name)
	if slices.Contains(r.g.Doubt.Ends, name) {
		r.put(Option{Name: name}, true, value, attached)
		return !attached && (!known || o.Takes != None)
	}
	if r.option(name) == nil && !strings.HasPrefix(word, "--") && r.g.Style != StyleSingle {
		return r.doubtCluster(word)
	}
	if known && o.Takes != Value {
		r.put(Option{Name: name}, true, "", false)
		return false
	}
	r.put(o, known, value, attached)
	return !known && !attached
}

// doubtCluster reads options of one letter in one word.
func (r *reader) doubtCluster(word string) (maybe bool) {
	for i := 1; i < len(word); i++ {
		name, rest := "-"+word[i:i+1], word[i+1:]
		if slices.Contains(r.g.Doubt.Ends, name) {
			r.put(Option{Name: name}, true, rest, rest != "")
			return rest == ""
		}
		o, known := r.doubted(name)
		value := strings.TrimPrefix(rest, "=")
		switch {
		case known && o.Takes == None:
			r.put(o, true, "", false)
		case known && o.Takes == Value:
			r.put(o, true, value, rest != "")
			return false
		default:
			r.put(Option{Name: name}, false, value, rest != "")
			maybe = true
		}
	}
	return maybe
}

// doubted looks up an option.
func (r *reader) doubted(name string) (o Option, known bool) {
	if o := r.option(name); o != nil {
		return *o, true
	}
	o, known = r.g.Doubt.Further[name]
	if o.Name = name; o.Takes == Optional {
		o.Takes = None // it does not take the next word
	}
	return o, known
}

// Subcommand returns the position of the sub-command in words that begin at position base, or 0.
// Each word counts as a whole. After an option of which nobody knows what it takes, the next word
// is the sub-command only if it is a known one.
func (g *Grammar) Subcommand(words []string, base int, known func(string) bool) int {
	r := reader{g: *g}
	for i := 0; i < len(words); i++ {
		word := words[i]
		o, listed := r.doubted(word)
		switch {
		case word == "--":
			continue
		case !strings.HasPrefix(word, "-") || word == "-":
			return base + i
		case strings.Contains(word, "="):
		case listed && o.Takes == Value, !listed && i+1 < len(words) && !known(words[i+1]):
			i++
		}
	}
	return 0
}

// InOrder yields the options and operands in the order of the words. One of the two is nil each
// time.
func (r *Reading) InOrder() iter.Seq2[*Given, *Operand] {
	return func(yield func(*Given, *Operand) bool) {
		options := r.Options
		for i := range r.Operands {
			for len(options) > 0 && options[0].Index < r.Operands[i].Index {
				if !yield(&options[0], nil) {
					return
				}
				options = options[1:]
			}
			if !yield(nil, &r.Operands[i]) {
				return
			}
		}
		for i := range options {
			if !yield(&options[i], nil) {
				return
			}
		}
	}
}
