package secrets

// triggers finds any of some texts, of three bytes or more, in another one, whatever
// their case, in one pass. Most events hold no secret, and this is what they cost.
type triggers struct {
	// may has a bit for each three bytes with which a text begins, five bits of each: a
	// letter and its capital have the same.
	may   [1 << 15 / 64]uint64
	texts map[uint16][]string
	// words contain a trigger, but as words of their own they do not suggest a secret.
	words []string
}

const trigram = 1<<15 - 1

func newTriggers(texts, words []string) triggers {
	t := triggers{texts: map[uint16][]string{}, words: words}
	for _, text := range texts {
		h := uint16(text[0]&31)<<10 | uint16(text[1]&31)<<5 | uint16(text[2]&31)
		t.may[h>>6] |= 1 << (h & 63)
		t.texts[h] = append(t.texts[h], text)
	}
	return t
}

// in tells whether one of the texts is in text.
func (t *triggers) in(text []byte) bool {
	var h uint16
	for i, c := range text {
		h = (h<<5 | uint16(c&31)) & trigram
		if t.may[h>>6]&(1<<(h&63)) != 0 && i >= 2 && t.at(h, text[i-2:]) && !t.word(text, i-2) {
			return true
		}
	}
	return false
}

// at tells whether text begins with one of the texts that are known by h.
func (t *triggers) at(h uint16, text []byte) bool {
	for _, want := range t.texts[h] {
		if len(want) <= len(text) && folded(text[:len(want)], want) {
			return true
		}
	}
	return false
}

// word tells whether one of the words begins at i, between blanks.
func (t *triggers) word(text []byte, i int) bool {
	for _, word := range t.words {
		end := i + len(word)
		if i > 0 && text[i-1] == ' ' && end < len(text) && text[end] == ' ' && string(text[i:end]) == word {
			return true
		}
	}
	return false
}

// folded compares with a text in lower case.
func folded(text []byte, want string) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}
