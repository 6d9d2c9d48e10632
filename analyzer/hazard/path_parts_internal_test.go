package hazard

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAPathIsFoundInWhateverSurroundsIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a/b":                       "a/b",
		"--file=/srv/(a)/b;c":       "/srv/(a)/b;c", // the characters that only some programs read as joints are part of names, too
		"f=</srv/a;type=text/plain": "/srv/a",
		`f=@"/srv/a"`:               "/srv/a",
		"{/srv/a,/srv/b}":           "/srv/b",
		"-o/srv/a":                  "/srv/a",
		"host:/srv/a":               "/srv/a",
		"file:///srv/%61?q":         "/srv/a",
		"file://host/srv/a#x":       "/srv/a",
		"file:///srv/{x,a}":         "/srv/a",
	} {
		assert.Contains(t, slices.Collect(parts(text)), want, text)
	}
	assert.NotContains(t, slices.Collect(Parts(`see ("/srv/a")`)), "/srv/a", "what a text says in brackets or quotes is not a path for most programs")
}
