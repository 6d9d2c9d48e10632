package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// With -n alone before the name of a file, a shell reads the file and runs nothing of it.
func TestAShellThatOnlyReadsAScriptRunsNothing(t *testing.T) {
	t.Parallel()
	root := project(t)
	alsoPrograms(t, root, "bash", "sh")
	for command, want := range map[string]bool{
		`bash -n src/a.go`:                                     true,
		`sh -n ./src/a.go`:                                     true,
		`bash -n src/a.go argument`:                            true,
		`for f in src/*.go; do bash -n "$f"; done`:             true,
		`for f in a.sh b.sh; do bash -n $f; done`:              true,
		`f=src/a.go; bash -n "$f"`:                             true,
		`bash -n`:                                              false, // of its input, and on a terminal it runs that
		`bash -n -i src/a.go`:                                  false, // -i switches -n off
		`bash -n +n src/a.go`:                                  false,
		`bash -n -c id`:                                        false,
		`bash -n -- src/a.go`:                                  false,
		`bash -n - src/a.go`:                                   false,
		`bash -nv src/a.go`:                                    false,
		`bash -v -n src/a.go`:                                  false,
		`bash -n ""`:                                           false,
		`bash -n "$F"`:                                         false,
		`bash -n $(echo -i) src/a.go`:                          false,
		`for f in *.go; do bash -n "$f"; done`:                 true,
		`for f in clean/*; do bash -n "$f"; done`:              true,
		`cd clean && bash -n *`:                                false, // a name begins with a dash
		`for f in *.go; do bash -n "$f" -i; done`:              false,
		`for f in *.go; do bash -n "$f"; touch -- -i.go; done`: false,
		`for f in -i src/*.go; do bash -n $f; done`:            false,
		`bash $(echo -n) src/a.go`:                             false,
		`echo src/a.go | xargs bash -n`:                        false,
	} {
		list := segmentsIn(t, root, command)
		read := false
		for _, s := range list {
			if s.Executable.Name == "bash" || s.Executable.Name == "sh" {
				read = s.Opaque == ""
				for _, h := range s.Hazards {
					read = read && h.Kind != "runs"
				}
			}
		}
		assert.Equal(t, want, read, command)
	}
	assert.Contains(t, hazardsIn(t, root, `bash -n .env`), "denied ws/.env", "it shows lines that it cannot read")
	assert.Contains(t, hazardsIn(t, root, `for f in conf/*; do bash -n "$f"; done`), "denied ws/conf/server.key")
}
