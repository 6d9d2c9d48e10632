package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHarmlessProgramsAreNotRefusedByTheReaders has harmless texts that were once refused because
// they seemed to run other programs. A text that is not understood is reported as unread.
func TestHarmlessProgramsAreNotRefusedByTheReaders(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, command := range []string{
		"awk '{print ($1+$2)/2}' f", "awk '{s+=$1} END {print s/NR, (s/NR)/2}' f", "awk '{if ($1 > 2) print $2}' f", "awk '{ if ($1) /x/ }' f", "awk '{print f($1)/2, a[1]/2}' f",
		`sed '5a\text' f`, "sed '5a text' f", "sed '1i #!/bin/sh' f", "sed '$a last; line' f", "sed 's/[/]/x/' f", "sed 's,[,/],x,g' f", "sed -e 's/a/b/ # a comment' f", "sed '# comment\np' f", "sed -n '/a/p # x' f",
		"sqlite3 db 'select t.a from t'", "sqlite3 -json db 'select 1.5'",
		`printf '%s\n' "$x"`, `printf '%-10s|%5s\n' "$a" "$b"`, "printf 'done\\n'",
		"make FOO=1", "make -j4 V=1 DEBUG=yes test", "make VERSION=1.2.3", "git -C . status", "git -C ./ log",
	} {
		assert.Empty(t, hazards(command), command)
	}
	for command, want := range map[string]string{
		"sed 'e id' f": "runs script e id", "sed 's/x/id/e' f": "runs script s/x/id/e", "sed 'w out' f": "writes script w out", "sed 's/a/b/w out' f": "writes script s/a/b/w out", "sed 'r /etc/x' f": "reads script r /etc/x",
		"sed k f": "unread script k", `sed 's[a[b[' f`: "unread script s[a[b[", `sed '1a\x\' f`: `unread script 1a\x\`,
		"awk '{system($1)}' f": "runs program {system($1)}", `awk '{print > "out"}' f`: `writes program {print > "out"}`, `awk '{getline x < "f"}' f`: `reads program {getline x < "f"}`, `awk '{print | "id"}' f`: `runs program {print | "id"}`,
		"awk '{@f(1)}' f": "unread program {@f(1)}", "sqlite3 db .shell": "runs .command .shell", "printf '%d' 'a[$(id)]'": "runs expression a[$(id)]", `printf '%d' "$x"`: `runs expression "$x"`,
		"make SHELL=1": "runs VAR= SHELL=1", "make CC=evil": "runs VAR= CC=evil", "make MAKEFLAGS=1": "runs VAR= MAKEFLAGS=1", "make FOO=./x": "runs VAR= FOO=./x", "git -C sub status": "loads -C sub", "jq '@frob(' f": "unread environment @frob(",
	} {
		assert.Contains(t, hazards(command), want, command)
	}
	// What follows a harmless text, or a harmful one, is read as well.
	assert.Contains(t, hazards("sed '1a x\nw out' f"), "writes script 1a x\nw out")
	assert.Contains(t, hazards(`awk '{print > "o"; system("id")}' f`), `runs program {print > "o"; system("id")}`)
	// Where seds differ about a delimiter in brackets, both readings count.
	assert.Contains(t, hazards("sed 's/[/]/w out' f"), "writes script s/[/]/w out")
	assert.Contains(t, hazards("sed 's/[/]/e;w x/' f"), "runs script s/[/]/e;w x/")
}
