package analyzer

import (
	"slices"
	"strings"
)

// How a program reads its arguments. The default is getopt_long of GNU: short
// clusters, attached values, --name=value, unambiguous abbreviations, "--", and
// options behind operands unless the vocabulary says stop. single is that of find's
// and Go's relatives: one dash, whole names, -name=value. predicates looks at every
// word by itself, so that nothing is hidden as another one's value.
const (
	styleSingle     = "single_dash"
	stylePredicates = "predicates"
)

// arity is what an option takes behind its name.
type arity int

const (
	takesNone arity = iota
	takesOptional
	takesValue
	takesPair
)

// words is how many words behind it an option takes.
func (a arity) words() int { return max(0, int(a-takesOptional)) }

// given is one option of a command line.
type given struct {
	option
	known    bool
	hasValue bool
	value    string
	index    int  // position in argv
	short    bool // the name was abbreviated, and a program may know another one by it
}

// operand is a word that is no option.
type operand struct {
	text  string
	index int
}

// arguments is a command line taken apart. Where it is uncertain, because an
// option is not known and might have taken the next word, words may be there twice:
// as a value and as an operand. Then nothing may be concluded from their number.
type arguments struct {
	options   []given
	operands  []operand
	uncertain bool
	anything  []int // positions of words that may be any option
}

// argvReader takes the words of one command apart.
type argvReader struct {
	*vocabulary
	arguments
	words []string
	base  int // position of words[0] in argv
	at    int
	ended bool // by --
}

// takeApart reads words, the first of which stands at position base of argv. Of a
// vocabulary with sub-commands it reads what stands before the first operand, and
// that, and leaves the rest to the command.
func (v *vocabulary) takeApart(words []string, base int) (a arguments, rest int) {
	r := &argvReader{vocabulary: v, words: words, base: base}
	if v.Old && len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		r.old()
	}
	for r.at < len(r.words) {
		word := r.words[r.at]
		r.at++
		r.dynamic(word)
		switch {
		case word == "--" && !r.ended && v.Style != stylePredicates:
			r.ended = !r.uncertain
		case r.ended || word == "-" || !strings.HasPrefix(word, "-"):
			r.operand(word)
			if v.Commands != nil && len(v.Commands) > 0 {
				return r.arguments, r.at
			}
			r.ended = r.ended || v.Stop
		case v.Style != "":
			r.whole(word)
		case strings.HasPrefix(word, "--"):
			r.long(word)
		default:
			r.cluster(word)
		}
	}
	return r.arguments, r.at
}

// dynamic notes a word that is made at run time, and may be any option. Then nothing
// is certain about the words behind it.
func (r *argvReader) dynamic(word string) {
	may := strings.HasPrefix(word, unknownText) || word == "-"+unknownText || word == "--"+unknownText
	if r.ended || !may || strings.HasPrefix(word, unknownText+unknownText) {
		return
	}
	r.anything = append(r.anything, r.base+r.at-1)
	r.uncertain = true
}

func (r *argvReader) operand(word string) {
	if r.operands == nil {
		r.operands = make([]operand, 0, len(r.words)-r.at+1)
	}
	r.operands = append(r.operands, operand{word, r.base + r.at - 1})
}

// put notes an option that stands in the word just read. One that wants a value
// and has none attached takes the next word, or the next two; where that is not
// certain, and where such a word may become several, of which the second may be an
// option, the words are looked at once more by themselves.
func (r *argvReader) put(o option, known bool, attached string, hasValue bool) {
	g := given{option: o, known: known, value: attached, hasValue: hasValue, index: r.base + r.at - 1}
	wants := o.arity.words()
	if wants > 0 && !hasValue && r.at+wants <= len(r.words) {
		g.value, g.hasValue = r.words[r.at+wants-1], true
		r.uncertain = r.uncertain || slices.ContainsFunc(r.words[r.at:r.at+wants], several)
		if !r.uncertain && r.Style != stylePredicates {
			r.at += wants
		}
	}
	r.options = append(r.options, g)
	r.ended = r.ended || known && slices.Contains(r.Hands, o.name)
}

// unknown notes an option that the vocabulary does not have.
func (r *argvReader) unknown(name, value string, hasValue bool) {
	if strings.Contains(name, unknownText) {
		r.anything = append(r.anything, r.base+r.at-1)
	}
	r.put(option{name: name}, false, value, hasValue)
	if !hasValue {
		r.uncertain = true
	}
}

// whole reads an option of one word, with one dash or two.
func (r *argvReader) whole(word string) {
	name, value, hasValue := strings.Cut(word, "=")
	if strings.HasPrefix(name, "--") && r.option(name) == nil {
		name = name[1:]
	}
	if r.Style == stylePredicates && r.option(name) == nil {
		name = strings.ToLower(name) // no find reads -EXEC, and none has both
	}
	if o := r.option(name); o != nil {
		r.put(*o, true, value, hasValue)
		return
	}
	for _, o := range r.listed {
		if prefix, ok := strings.CutSuffix(o.name, "*"); ok && strings.HasPrefix(word, prefix) {
			o.arity = takesOptional
			r.put(o, true, word[len(prefix):], true)
			return
		}
	}
	r.unknown(name, value, hasValue)
}

func (r *argvReader) option(name string) *option {
	if o, ok := r.listed[name]; ok {
		return &o
	}
	return nil
}

// long reads --name and --name=value. An abbreviation is every option that it may
// stand for: a program refuses an ambiguous one, and we need not know.
func (r *argvReader) long(word string) {
	name, value, hasValue := strings.Cut(word, "=")
	name = strings.ReplaceAll(name, "_", "-")
	if o := r.option(name); o != nil {
		r.put(*o, true, value, hasValue)
		return
	}
	var candidates []option
	from := len(r.options)
	for _, o := range r.listed {
		if strings.HasPrefix(o.name, name) {
			candidates = append(candidates, o)
		}
	}
	switch len(candidates) {
	case 0:
		r.unknown(name, value, hasValue)
	case 1:
		r.put(candidates[0], true, value, hasValue)
	default:
		r.uncertain = r.uncertain || !hasValue
		for _, o := range candidates {
			r.put(o, true, value, hasValue)
		}
	}
	for i := from; i < len(r.options); i++ {
		r.options[i].short = true
	}
}

// cluster reads short options in one word. Digits stand for numbers, as in -20,
// unless they are listed.
func (r *argvReader) cluster(word string) {
	if o := r.option(word); o != nil && len(word) > 2 {
		r.put(*o, true, "", false)
		return
	}
	sure := true
	for i := 1; i < len(word); i++ {
		o := r.option("-" + word[i:i+1])
		rest := word[i+1:]
		switch {
		case o == nil && '0' <= word[i] && word[i] <= '9':
		case o == nil:
			sure = false
			r.unknown("-"+word[i:i+1], "", false)
		case o.arity == takesNone:
			r.put(*o, true, "", false)
		default:
			r.put(*o, true, rest, rest != "" || o.arity == takesOptional)
			if sure {
				return
			}
		}
	}
}

// old reads a first word that is a cluster without its dash, as tar does: the
// values follow as words, in order.
func (r *argvReader) old() {
	letters := r.words[0]
	r.at = 1
	for i := range len(letters) {
		o := r.option("-" + letters[i:i+1])
		switch {
		case o == nil:
			r.unknown("-"+letters[i:i+1], "", false)
		case o.arity == takesValue:
			r.put(*o, true, "", false)
		default:
			r.put(*o, true, "", false)
		}
	}
}
