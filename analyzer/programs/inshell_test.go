package programs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer/programs"
)

func TestAnEntryThatIsImpossibleForABuiltinIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"name: a\nin_shell: {changes_directory: home}":                             `changes_directory is "home"`,
		"name: a\nin_shell: {declares: {}}":                                        "also has sets_variables",
		"name: a\nin_shell: {sets_variables: {}, declares: {exported_by: -x}}":     "is not one of the options",
		"name: a\nin_shell: {sets_variables: {}, declares: {options: [--global]}}": "want a dash and one letter",
		"name: a\nin_shell: {runs_texts: true}":                                    "field runs_texts not found",
	} {
		_, err := programs.Parse([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
}
