package secrets

import (
	"slices"
	"strings"
	"unicode"
)

// weight says how much a name tells of its value.
type weight int

const (
	no    weight = iota // it is not a secret
	maybe               // it is one if it looks like one
	yes
)

// Name tells whether a variable, an option, a parameter or a member of that name holds
// a secret, whatever its value is: API_KEY, --password, accessToken.
func (m *Masker) Name(name string) bool { return m.weigh(name) == yes }

// OpenHeader tells whether the value of an HTTP header is known to be no secret.
func (m *Masker) OpenHeader(name string) bool {
	return slices.Contains(m.table.openHeaders, strings.ToLower(strings.TrimSpace(name)))
}

func (m *Masker) weigh(name string) weight {
	t := &m.table
	name = strings.Trim(name, "-_./: ")
	words := parts(name)
	if len(words) == 0 || len(words) == 1 && slices.Contains(t.plainNames, words[0]) && name != "PASS" {
		if len(words) == 1 && words[0] == "auth" {
			return maybe
		}
		return no
	}
	last := words[len(words)-1]
	switch {
	case slices.Contains(t.harmless, last), len(words) > 1 && slices.Contains(t.switches, words[0]):
		return no
	case slices.Contains(t.last, last) && len(words) > 1 && last != "auth", last == "pass", last == "passwd":
		return yes
	}
	for i, word := range words {
		switch {
		case slices.Contains(t.strong, word), strings.HasSuffix(word, "token"), strings.HasSuffix(word, "secret"):
			return yes
		case word == "key" && i > 0 && slices.Contains(t.keys, words[i-1]):
			return yes
		case slices.ContainsFunc(t.within, func(inner string) bool { return strings.Contains(word, inner) }):
			return yes
		}
	}
	if slices.Contains(t.weak, last) {
		return maybe
	}
	return no
}

// parts are the words of a name, lower case: API_KEY, api-key and apiKey are api and key.
func parts(name string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	letters := []rune(name)
	for i, c := range letters {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
			continue
		case i > 0 && unicode.IsUpper(c) && (unicode.IsLower(letters[i-1]) || unicode.IsUpper(letters[i-1]) && i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			end()
		}
		word = append(word, c)
	}
	end()
	return words
}

// secret tells whether the value of a name so heavy is a secret.
func (m *Masker) secret(w weight, value string) bool {
	switch {
	case w == no, value == "", m.reference(value):
		return false
	case w == yes:
		return true
	default:
		return opaque(value)
	}
}

// reference tells whether a value is the name of a secret and not the secret: $TOKEN,
// ${TOKEN}, the beginning of $(…), or nothing.
func (m *Masker) reference(value string) bool {
	switch value {
	case "$", "$(", "\"\"", "''", Redacted, "-", "@-", "null":
		return true
	}
	return m.patterns.reference.MatchString(value)
}

// opaque tells whether a text looks like a credential rather than like a word, a number
// or a path.
func opaque(text string) bool {
	if len(text) < 8 || strings.ContainsAny(text, " /\\$:") && len(text) < 40 {
		return false
	}
	letter, digit := false, false
	for _, c := range text {
		letter = letter || unicode.IsLetter(c)
		digit = digit || unicode.IsDigit(c)
	}
	return letter && digit
}
