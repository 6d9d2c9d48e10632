package argv

import (
	"slices"
	"strings"
)

// readPlain reads every word, or up to the sub-command, and marks where the reading becomes uncertain.
func (r *reader) readPlain() {
	if r.g.Dashless && len(r.words) > 0 && !strings.HasPrefix(r.words[0], "-") {
		r.dashlessCluster()
	}
	for r.next < len(r.words) {
		word := r.words[r.next]
		r.next++
		r.checkDynamic(word)
		switch {
		case word == "--" && !r.ended && r.g.Style != StylePredicates:
			r.ended = !r.Uncertain
		case r.ended || word == "-" || !strings.HasPrefix(word, "-"):
			r.addOperand(word)
			if r.g.Subcommands {
				return
			}
			r.ended = r.ended || r.g.EndAtOperand
		case r.g.Style != "":
			r.wholeWord(word)
		case strings.HasPrefix(word, "--"):
			r.long(word)
		default:
			r.cluster(word)
		}
	}
}

// checkDynamic records a word that is produced at run time and may be any option. The words after it
// are uncertain.
func (r *reader) checkDynamic(word string) {
	may := strings.HasPrefix(word, Unknown) || word == "-"+Unknown || word == "--"+Unknown
	if r.ended || !may || strings.HasPrefix(word, Unknown+Unknown) {
		return
	}
	r.AnyOption = append(r.AnyOption, r.base+r.next-1)
	r.Uncertain = true
}

// addOperand records the word just read as an operand.
func (r *reader) addOperand(word string) {
	if r.Operands == nil {
		r.Operands = make([]Operand, 0, len(r.words)-r.next+1)
	}
	r.Operands = append(r.Operands, Operand{Text: word, Index: r.base + r.next - 1})
}

// addOption records an option in the word just read. If it wants a value and has none attached, it
// takes the next word, or the next two. If that is uncertain, or if such a word may become
// several words, of which the second may be an option, those words are also read by themselves.
func (r *reader) addOption(o Option, known bool, attached string, hasValue bool) {
	g := GivenOption{Option: o, Known: known, Value: attached, HasValue: hasValue, Index: r.base + r.next - 1, ValueIndex: r.base + r.next - 1}
	wants := o.Takes.nextWords()
	if wants > 0 && !hasValue && r.next+wants <= len(r.words) {
		g.Value, g.HasValue, g.ValueIndex = r.words[r.next+wants-1], true, r.base+r.next+wants-1
		r.Uncertain = r.Uncertain || slices.ContainsFunc(r.words[r.next:r.next+wants], func(word string) bool { return strings.HasSuffix(word, Several) })
		if !r.Uncertain && r.g.Style != StylePredicates {
			r.next += wants
		}
	}
	r.Options = append(r.Options, g)
	r.ended = r.ended || known && slices.Contains(r.g.EndAfter, o.Name)
}

// addUnknown records an option that the grammar does not list.
func (r *reader) addUnknown(name, value string, hasValue bool) {
	if strings.Contains(name, Unknown) {
		r.AnyOption = append(r.AnyOption, r.base+r.next-1)
	}
	r.addOption(Option{Name: name}, false, value, hasValue)
	if !hasValue {
		r.Uncertain = true
	}
}

// wholeWord reads an option that is a whole word, with one dash or two.
func (r *reader) wholeWord(word string) {
	name, value, hasValue := strings.Cut(word, "=")
	if strings.HasPrefix(name, "--") && r.option(name) == nil {
		name = name[1:]
	}
	if r.g.Style == StylePredicates && r.option(name) == nil {
		name = strings.ToLower(name) // names are compared without case, as no find has two that differ in case
	}
	if o := r.option(name); o != nil {
		r.addOption(*o, true, value, hasValue)
		return
	}
	for _, o := range r.g.Options {
		if prefix, ok := strings.CutSuffix(o.Name, "*"); ok && strings.HasPrefix(word, prefix) {
			o.Takes = Optional
			r.addOption(o, true, word[len(prefix):], true)
			return
		}
	}
	r.addUnknown(name, value, hasValue)
}

// option looks up an option by its name, or returns nil.
func (r *reader) option(name string) *Option {
	if o, ok := r.g.Options[name]; ok {
		return &o
	}
	return nil
}

// long reads --name and --name=value. An abbreviation counts as every option that it may stand
// for: a program refuses an ambiguous one, so nothing is lost.
func (r *reader) long(word string) {
	name, value, hasValue := strings.Cut(word, "=")
	name = strings.ReplaceAll(name, "_", "-")
	if o := r.option(name); o != nil {
		r.addOption(*o, true, value, hasValue)
		return
	}
	var candidates []Option
	from := len(r.Options)
	for _, o := range r.g.Options {
		if strings.HasPrefix(o.Name, name) {
			candidates = append(candidates, o)
		}
	}
	switch len(candidates) {
	case 0:
		r.addUnknown(name, value, hasValue)
	case 1:
		r.addOption(candidates[0], true, value, hasValue)
	default:
		r.Uncertain = r.Uncertain || !hasValue
		for _, o := range candidates {
			r.addOption(o, true, value, hasValue)
		}
	}
	for i := from; i < len(r.Options); i++ {
		r.Options[i].Abbreviated = true
	}
}

// cluster reads short options in one word. Digits are numbers, as in -20, unless they are listed.
func (r *reader) cluster(word string) {
	if o := r.option(word); o != nil && len(word) > 2 {
		r.addOption(*o, true, "", false)
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
			r.addUnknown("-"+word[i:i+1], "", false)
		case o.Takes == None:
			r.addOption(*o, true, "", false)
		default:
			attached := rest
			if r.g.ShortEquals {
				attached = strings.TrimPrefix(rest, "=")
			}
			r.addOption(*o, true, attached, rest != "" || o.Takes == Optional)
			if sure {
				return
			}
		}
	}
}

// dashlessCluster reads a first word that is a cluster without its dash, as of tar. The values follow as
// words, in order.
func (r *reader) dashlessCluster() {
	letters := r.words[0]
	r.next = 1
	for i := range len(letters) {
		o := r.option("-" + letters[i:i+1])
		if o == nil {
			r.addUnknown("-"+letters[i:i+1], "", false)
		} else {
			r.addOption(*o, true, "", false)
		}
	}
}
