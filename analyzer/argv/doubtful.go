package argv

import (
	"iter"
	"slices"
	"strings"
)

// Doubt configures a doubtful grammar, which reports both readings if words can be read in two ways.
// If it is unknown whether an option takes the next word, that word counts both as its value and as
// an operand. So a reader of files may find one too many, but never one too few.
type Doubt struct {
	On bool
	// Fallback are options that apply if Grammar.Options has none of that name. Those with an
	// optional value take none, and one dash with several letters is a cluster.
	Fallback map[string]Option
	// TextOptions are options whose value is text: the rest of a cluster, or perhaps the next word.
	TextOptions []string
}

// readDoubtful reads all words.
func (r *reader) readDoubtful() {
	mayTakeNext := false
	for r.next < len(r.words) {
		word, after := r.words[r.next], mayTakeNext
		r.next++
		mayTakeNext = false
		switch {
		case word == "--" && !r.ended:
			r.ended = true
		case r.ended || len(word) < 2 || word[0] != '-':
			r.addOperand(word)
			r.Operands[len(r.Operands)-1].MaybeValue = after
		default:
			mayTakeNext = r.doubtfulWord(word)
		}
	}
}

// doubtfulWord reads one word of options, and reports whether the next word may be a value.
func (r *reader) doubtfulWord(word string) (mayTakeNext bool) {
	name, value, attached := strings.Cut(word, "=")
	o, known := r.doubtfulOption(name)
	if slices.Contains(r.g.Doubt.TextOptions, name) {
		r.addOption(Option{Name: name}, true, value, attached)
		return !attached && (!known || o.Takes != None)
	}
	if r.option(name) == nil && !strings.HasPrefix(word, "--") && r.g.Style != StyleSingle {
		return r.doubtfulCluster(word)
	}
	if known && o.Takes != Value {
		r.addOption(Option{Name: name}, true, "", false)
		return false
	}
	r.addOption(o, known, value, attached)
	return !known && !attached
}

// doubtfulCluster reads options of one letter in one word.
func (r *reader) doubtfulCluster(word string) (mayTakeNext bool) {
	for i := 1; i < len(word); i++ {
		name, rest := "-"+word[i:i+1], word[i+1:]
		if slices.Contains(r.g.Doubt.TextOptions, name) {
			r.addOption(Option{Name: name}, true, rest, rest != "")
			return rest == ""
		}
		o, known := r.doubtfulOption(name)
		value := strings.TrimPrefix(rest, "=")
		switch {
		case known && o.Takes == None:
			r.addOption(o, true, "", false)
		case known && o.Takes == Value:
			r.addOption(o, true, value, rest != "")
			return false
		default:
			r.addOption(Option{Name: name}, false, value, rest != "")
			mayTakeNext = true
		}
	}
	return mayTakeNext
}

// doubtfulOption looks up an option.
func (r *reader) doubtfulOption(name string) (o Option, known bool) {
	if o := r.option(name); o != nil {
		return *o, true
	}
	o, known = r.g.Doubt.Fallback[name]
	if o.Name = name; o.Takes == Optional {
		o.Takes = None // it does not take the next word
	}
	return o, known
}

// Subcommand returns the index in argv of the sub-command, or 0. The first of the words has index
// base. Each word is read as a whole. After an option that may or may not take a value, the next
// word is the sub-command only if known reports it as one.
func (g *Grammar) Subcommand(words []string, base int, known func(string) bool) int {
	r := reader{g: *g}
	for i := 0; i < len(words); i++ {
		word := words[i]
		o, listed := r.doubtfulOption(word)
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
func (r *Reading) InOrder() iter.Seq2[*GivenOption, *Operand] {
	return func(yield func(*GivenOption, *Operand) bool) {
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
