package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// replacedPhrases returns the phrases that docs/words.md replaces, with their replacements.
func replacedPhrases(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "words.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "## Phrases\n\n| write | not |\n|---|---|\n")
	require.True(t, found, "docs/words.md has no table of phrases")
	phrases := map[string]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 {
			break
		}
		for not := range strings.SplitSeq(cells[1], ";") {
			phrases[strings.TrimSpace(not)] = strings.TrimSpace(cells[0])
		}
	}
	require.Greater(t, len(phrases), 10, "too few phrases were read")
	return phrases
}

// phrasesIn returns the replaced phrases in a text. It ignores case and line breaks, also those of
// comments.
func phrasesIn(text string, phrases map[string]string) []string {
	plain := idioms.ReplaceAllString(strings.ToLower(lineBreak.ReplaceAllString(text, " ")), "")
	var found []string
	for phrase, instead := range phrases {
		// Contains is much faster than the regular expression, and most texts do not contain the phrase.
		if strings.Contains(plain, phrase) && regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(phrase)+`(\W|$)`).MatchString(plain) {
			found = append(found, phrase+": write "+instead)
		}
	}
	slices.Sort(found)
	return found
}

var lineBreak = regexp.MustCompile(`\s*\n\s*(?://|#)?\s*`)

// idioms matches idiomatic phrases that contain a replaced one.
var idioms = regexp.MustCompile(`\bthere (is|are) no\b|\b(is|are) no (longer|more|less)\b`)

// testName matches the name of a test, in Go or in Rego.
var testName = regexp.MustCompile(`(?m)^(?:func )?((?:Test|Fuzz)[A-Z]\w*|test_\w+)`)

// sentences returns the names of the tests in a file, as sentences.
func sentences(text string) string {
	var all []string
	for _, name := range testName.FindAllStringSubmatch(text, -1) {
		words := capital.ReplaceAllString(strings.ReplaceAll(name[1], "_", " "), " $1")
		all = append(all, words)
	}
	return strings.Join(all, ".\n")
}

var capital = regexp.MustCompile(`([A-Z][a-z]|[A-Z]+\b)`)

func TestNoFileUsesAReplacedPhrase(t *testing.T) {
	phrases := replacedPhrases(t)
	for file, text := range repositoryFiles(t) {
		if file == "docs/words.md" || strings.Contains(file, "testdata/") || file == "tools/docs/words_test.go" {
			continue
		}
		assert.Empty(t, phrasesIn(text, phrases), file)
		assert.Empty(t, phrasesIn(sentences(text), phrases), "%s: names of tests", file)
	}
}

func TestAReplacedPhraseIsReported(t *testing.T) {
	phrases := map[string]string{"parted by blanks": "space-separated"}
	for text, want := range map[string]int{
		"names, parted by blanks":           1,
		"Parted by Blanks":                  1,
		"// names, parted\n// by blanks":    1,
		"# names, parted by\n#   blanks":    1,
		"names, space-separated":            0,
		"the parts are separated by blanks": 0,
		"parted by blanksmiths":             0,
	} {
		assert.Len(t, phrasesIn(text, phrases), want, text)
	}
	phrases = map[string]string{"is no": "is not a", "for good": "permanently"}
	for text, want := range map[string]int{
		"a word is no path":                         1,
		"there is no path":                          0,
		"a word is no longer a path":                0,
		"func TestAWordIsNoPath(t *testing.T) {":    1,
		"func TestThereIsNoPath(t *testing.T) {":    0,
		"func TestRT03AnAnswerForGood(t *testing.T": 1,
		"test_a_word_is_no_path if true":            1,
		"\ttest_a_word_is_no_path := 1":             0, // not the name of a test
		"test_a_word_is_not_a_path if true":         0,
	} {
		assert.Len(t, phrasesIn(sentences(text)+"\n"+text, phrases), want, text)
	}
}

// The first column of the table of terms has no duplicates.
func TestTheWordListHasEachTermOnce(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "words.md"))
	require.NoError(t, err)
	_, terms, found := strings.Cut(string(text), "## Terms\n\n| word | meaning | not |\n|---|---|---|\n")
	require.True(t, found, "docs/words.md has no table of terms")
	seen := map[string]bool{}
	for line := range strings.Lines(terms) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			break
		}
		word := strings.TrimSpace(cells[0])
		assert.False(t, seen[word], "%s is listed twice", word)
		seen[word] = true
	}
	require.Greater(t, len(seen), 40, "too few terms were read")
}
