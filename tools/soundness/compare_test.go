//go:build linux

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestCommandsThatRanAreComparedWithTheAllowedOnes(t *testing.T) {
	t.Parallel()
	ls := gavel.ExecSegment{Argv: []string{"/usr/bin/ls", "-l"}}
	rg := gavel.ExecSegment{Argv: []string{"/usr/bin/rg", "x"}}
	ran := func(words ...string) execution {
		e := execution{Path: []byte(words[0])}
		for _, word := range words {
			e.Argv = append(e.Argv, []byte(word))
		}
		return e
	}
	didLs, didRg := ran("/usr/bin/ls", "-l"), ran("/usr/bin/rg", "x")
	inSh := gavel.ExecSegment{Argv: rg.Argv, Wrappers: [][]string{{"/usr/bin/sh", "-c"}}}
	didSh := ran("/usr/bin/sh", "-c", "'/usr/bin/rg' 'x'")
	cases := map[string]struct {
		plan gavel.Exec
		did  outcome
		want string
	}{
		"exactly the segments, in any order": {gavel.Exec{Command: "'a' | 'b'", Segments: []gavel.ExecSegment{ls, rg}},
			outcome{ran: []execution{didRg, didLs}}, ""},
		"the right side of || does not run": {gavel.Exec{Command: "'a' || 'b'", Segments: []gavel.ExecSegment{ls, rg}},
			outcome{ran: []execution{didLs}}, ""},
		"the right side of && must": {gavel.Exec{Command: "'a' && 'b'", Segments: []gavel.ExecSegment{ls, rg}},
			outcome{ran: []execution{didLs}}, ranLess},
		"a segment that runs twice": {gavel.Exec{Command: "'a'", Segments: []gavel.ExecSegment{ls}},
			outcome{ran: []execution{didLs, didLs}}, ranOther},
		"other words": {gavel.Exec{Command: "'a'", Segments: []gavel.ExecSegment{ls}},
			outcome{ran: []execution{ran("/usr/bin/ls", "-l", "")}}, ranOther},
		"a program that is not allowed": {gavel.Exec{Command: "'a'", Segments: []gavel.ExecSegment{ls}},
			outcome{ran: []execution{didLs, ran("/usr/bin/id")}}, ranForbidden},
		"an allowed segment whose program is not allowed": {gavel.Exec{Command: "'a'", Segments: []gavel.ExecSegment{{Argv: []string{"/usr/bin/id"}}}},
			outcome{ran: []execution{ran("/usr/bin/id")}}, ranForbidden},
		"a written file": {gavel.Exec{Command: "'a'", Segments: []gavel.ExecSegment{ls}},
			outcome{ran: []execution{didLs}, wrote: []string{"/work/x"}}, wroteFile},
		"a shell that overtakes an earlier segment": {gavel.Exec{Command: "'a' & 'sh' '-c' 'b'", Segments: []gavel.ExecSegment{ls, inSh}},
			outcome{ran: []execution{didSh, didLs}}, ""},
		"a shell that gets another text": {gavel.Exec{Command: "'a' & 'sh' '-c' 'b'", Segments: []gavel.ExecSegment{ls, inSh}},
			outcome{ran: []execution{ran("/usr/bin/sh", "-c", "'/usr/bin/rg' 'y'"), didLs}}, ranForbidden},
		"a shell that runs its text twice": {gavel.Exec{Command: "'a' & 'sh' '-c' 'b'", Segments: []gavel.ExecSegment{ls, inSh}},
			outcome{ran: []execution{didSh, didLs, didSh}}, ranForbidden},
		"no segments": {gavel.Exec{Command: "'a'"}, outcome{}, noSegments},
	}
	w := world{allowed: map[string]map[string]bool{"main": {"/usr/bin/ls": true, "/usr/bin/rg": true}}}
	for name, c := range cases {
		assert.Equal(t, c.want, w.compare("main", &gavel.Decision{Exec: &c.plan}, c.did, false), name)
	}
	nothing := &gavel.Decision{Exec: &gavel.Exec{Command: "r="}, Reasons: []gavel.Reason{{Code: "exec.no_program"}}}
	assert.Empty(t, w.compare("main", nothing, outcome{}, false), "the decision says that nothing runs")
	assert.Equal(t, ranForbidden, w.compare("main", nothing, outcome{ran: []execution{ran("/usr/bin/id")}}, false), "and something does")
	assert.Equal(t, wroteFile, w.compare("main", nothing, outcome{wrote: []string{"/work/x"}}, false), "and something is written")
}

func TestOperatorsOutsideQuotes(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"||", ";", "|", "&"}, outside(`'a' '; x' || 'it'\''s &&'; 'b' | 'c' &`))
	segments := func(names ...string) (list []gavel.ExecSegment) {
		for _, name := range names {
			list = append(list, gavel.ExecSegment{Argv: []string{name}})
		}
		return list
	}
	for command, want := range map[string][]gavel.ExecSegment{
		"'a' || 'b' | 'c'; 'd'":      segments("a", "d"),
		"'a' || 'b' && 'c'":          segments("a", "c"),
		"'a' | 'b' || 'c' |& 'd'":    segments("a", "b"),
		"'false' || 'b' && 'c'":      segments("false", "b", "c"),
		"'false' && 'b' || 'c'; 'd'": segments("false", "c", "d"),
		"'false' & 'b'":              segments("false", "b"),
		"'false' | 'b' || 'c'":       segments("false", "b"),
		"'a' & 'b' || 'c' &":         segments("a", "b"),
	} {
		names := segments("a", "b", "c", "d")
		if strings.HasPrefix(command, "'false'") {
			names = segments("false", "b", "c", "d")
		}
		assert.Equal(t, want, due(command, names[:len(outside(command))+1-trailing(command)]), command)
	}
}

// trailing is 1 for a command that ends in an operator.
func trailing(command string) int {
	if command[len(command)-1] == '&' {
		return 1
	}
	return 0
}
