package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a loop goes through is known where it names files of the workspace, and no command of the
// loop changes them.
func TestTheVariableOfALoopStandsForEachOfItsFiles(t *testing.T) {
	t.Parallel()
	root := project(t)
	for _, name := range []string{"ws/two/c d.go", "ws/two/x.go"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	for command, known := range map[string]bool{
		`for f in src/*.go; do gofmt -l "$f"; done`:                               true,
		`for f in src/*.go; do gofmt -l $f; done`:                                 true,
		`for f in src/*.go README; do wc $f; done`:                                true,
		`for f in none*.go; do wc $f; done`:                                       true,
		`for f in src/*.go; do for g in clean/c*; do diff $f $g; done; done`:      true,
		`for f in src/*.go; do echo x; done; for f in clean/c*; do wc "$f"; done`: true,
		`for f in two/*.go; do gofmt -l "$f"; done`:                               true,  // quoted, a blank is a blank
		`for f in two/*.go; do gofmt -l $f; done`:                                 false, // one of the names has a blank
		`for f in src/*.go "a b"; do gofmt -l $f; done`:                           false,
		`for f in src/*.go; do gofmt -l $f.bak; done`:                             false,
		`for f in src/*.go; do gofmt -w $f; done`:                                 false, // it changes them
		`for f in src/*.go; do gofmt -l $f; touch src/-w; done`:                   false,
		`touch clean/a; for f in src/*.go; do gofmt -l $f; done`:                  false,
		`for f in src/*.go; do gofmt -l $f; done > src/b.go`:                      false,
		`for f in x*; do (cd two && wc $f); done`:                                 false, // the names are of another directory
		`for f in *; do (cd two && wc "$f"); done`:                                false,
		`cd clean; for f in *; do gofmt -l $f; done`:                              false, // cd may have failed
		`for f in $(git ls-files); do gofmt -l "$f"; done`:                        false,
		`for f in $X src/*.go; do gofmt -l "$f"; done`:                            false,
		`for f in src/*.go; do echo x; done; gofmt -l $f`:                         false, // only inside the loop is it set for certain
		`for f in src/*.go; do read f; gofmt -l $f; done`:                         false,
		`IFS=o; for f in src/*.go; do gofmt -l $f; done`:                          false,
		`for f in clean/*; do sort $f; done`:                                      true,
		`cd clean && for f in *; do sort $f; done`:                                false, // -w is not an option of sort that is known
	} {
		segments := segmentsIn(t, root, command)
		assert.Equal(t, known, len(segments[len(segments)-1].Patterns) > 0 && len(segments[len(segments)-1].Hazards) == 0, "%s: %+v", command, segments[len(segments)-1].Hazards)
	}
}

// A name that begins with a dash is an option, whichever way the loop gets to it.
func TestAnOptionAmongTheFilesOfALoopIsFound(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string]bool{
		`cd clean && for f in *; do gofmt $f; done`:   true,
		`cd clean && for f in *; do gofmt "$f"; done`: true,
		`cd clean && for f in ./*; do gofmt $f; done`: false,
		`cd clean && for f in c*; do gofmt $f; done`:  false,
		`for f in clean/*; do gofmt $f; done`:         false,
	} {
		assert.Equal(t, want, slicesContain(hazardsIn(t, root, command), "-w"), command)
	}
}
