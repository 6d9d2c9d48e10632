package allowlist_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals/allowlist"
)

// limitedTo is the segment that the limits below were made of.
func limitedTo() *gavel.Facts {
	facts := program("/usr/bin/cp")
	s := &facts.Exec.Segments[0]
	s.Argv, s.Cwd, s.Wrappers = []string{"cp", "a", "b"}, "/srv/app", nil
	s.Hazards = []gavel.Hazard{{Kind: "writes", Option: "TARGET", Argument: "b", Real: "/srv/app/b"}}
	return facts
}

func entryOf(only gavel.Only) gavel.OfferedPattern {
	return gavel.OfferedPattern{Pattern: "/usr/bin/cp", Args: []string{"TARGET"}, Only: &only}
}

// RT-07, RT-03: a segment that differs in anything is a miss.
func TestAnEntryWithLimitsMatchesNothingElse(t *testing.T) {
	words := gavel.Only{Form: gavel.FormWords, Argv: []string{"a", "b"}, Cwd: "/srv/app", Targets: []string{"/srv/app/b"}}
	for name, change := range map[string]func(*gavel.Facts, *gavel.Segment){
		"another word":                     func(_ *gavel.Facts, s *gavel.Segment) { s.Argv[2] = "c" },
		"a word more":                      func(_ *gavel.Facts, s *gavel.Segment) { s.Argv = append(s.Argv, "c") },
		"another directory":                func(_ *gavel.Facts, s *gavel.Segment) { s.Cwd = "/srv" },
		"an unknown directory":             func(_ *gavel.Facts, s *gavel.Segment) { s.Cwd = "" },
		"another file behind a name":       func(_ *gavel.Facts, s *gavel.Segment) { s.Hazards[0].Real = "/root/.profile" },
		"a word that is made":              func(_ *gavel.Facts, s *gavel.Segment) { s.Dynamic = []int{1} },
		"code that cannot be named":        func(_ *gavel.Facts, s *gavel.Segment) { s.Unbound = []gavel.Unbound{{What: "x", Why: "stdin"}} },
		"a file of code":                   func(_ *gavel.Facts, s *gavel.Segment) { s.Scripts = []gavel.Script{{Real: "/srv/app/x"}} },
		"a program that others may change": func(_ *gavel.Facts, s *gavel.Segment) { s.Executable.Writable = []string{"file"} },
		"a variable":                       func(f *gavel.Facts, _ *gavel.Segment) { f.Exec.Env = []string{"FOO"} },
		"a sub-command":                    func(_ *gavel.Facts, s *gavel.Segment) { s.SubCommand = "a" },
		"words that were not understood":   func(_ *gavel.Facts, s *gavel.Segment) { s.Opaque = "x" },
	} {
		f := open(t, private(t), "")
		require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{entryOf(words)}))
		facts := limitedTo()
		f.Observe(facts)
		require.NotNil(t, facts.Exec.Segments[0].Listed)
		change(facts, &facts.Exec.Segments[0])
		f.Observe(facts)
		assert.Nil(t, facts.Exec.Segments[0].Listed, name)
	}
}

func TestTheContentOfAProgramIsCompared(t *testing.T) {
	f := open(t, private(t), "")
	require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{entryOf(gavel.Only{Form: gavel.FormOperands, SHA256: "ab"})}))
	for content, fits := range map[string]bool{"ab": true, "cd": false, "": false} {
		facts := limitedTo()
		facts.Exec.Segments[0].Executable.SHA256, facts.Exec.Segments[0].Executable.Writable = content, []string{"file"}
		f.Observe(facts)
		assert.Equal(t, fits, facts.Exec.Segments[0].Listed != nil, content)
	}
}

// The same cases as in rego/gavel/exec/offer/forms.
func TestOtherPlainOperandsFit(t *testing.T) {
	f := open(t, private(t), "")
	require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{entryOf(gavel.Only{Form: gavel.FormOperands, Options: []string{"-n"}, Words: []string{"/srv"}})}))
	for word, fits := range map[string]bool{"a": true, "src/x.go": true, "./x": true, "TODO|FIX": true, "": true, "a b": true, "...": true, "-n": true, "/srv": true,
		"-x": false, "/etc/passwd": false, "~/x": false, "../x": false, "a/../b": false, "..": false, "https://a.b": false, "host:x": false, "of=b": false} {
		facts := limitedTo()
		facts.Exec.Segments[0].Argv = []string{"cp", word}
		f.Observe(facts)
		assert.Equal(t, fits, facts.Exec.Segments[0].Listed != nil, word)
	}
}

func TestAFileWithUnknownLimitsIsRefused(t *testing.T) {
	for name, only := range map[string]string{
		"an unknown form":                       `{"form":"any"}`,
		"no form":                               `{}`,
		"an unknown member":                     `{"form":"operands","anything":true}`,
		"a command without its hash":            `{"form":"command"}`,
		"words without a directory":             `{"form":"words","argv":["a"]}`,
		"content that is not a hash":            `{"form":"operands","sha256":"XY"}`,
		"a command that its pattern is not for": `{"form":"command","command":"0123456789012345678901234567890123456789012345678901234567890123"}`,
	} {
		dir := private(t)
		f := open(t, dir, `{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/usr/bin/cp","only":`+only+`}]}}}`)
		assert.Equal(t, gavel.CodeAllowlistCorrupt, code(f.Problem()), name)
		_, err := os.Stat(dir)
		require.NoError(t, err)
	}
}

func TestExactlyOneCommandIsFoundByItsHash(t *testing.T) {
	const hash = "0123456789012345678901234567890123456789012345678901234567890123"
	f := open(t, private(t), "")
	entry := gavel.OfferedPattern{Pattern: "=command:0123456789012345", Only: &gavel.Only{Form: gavel.FormCommand, Command: hash}}
	require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{entry, entry}))
	assert.Equal(t, allowlist.Name+"#agents.main.allowlist[0]", f.Exactly("main", hash))
	assert.Empty(t, f.Exactly("other", hash))
	assert.Empty(t, f.Exactly("main", "0123456789012345"))
	assert.Empty(t, f.Exactly("main", ""))
	s, err := f.Get()
	require.NoError(t, err)
	assert.Len(t, s.File.Agents["main"].Allowlist, 1)
}
