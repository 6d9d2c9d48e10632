package approvals_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/grant"
)

// The hashes were computed by another program, from the description alone.
func TestTheEncodingMatchesItsDescription(t *testing.T) {
	want := [][2]string{
		{"32e15836947468dc2f14bf5e2ec2d096a3aacdf69d2ba1377fdcd83fbff90a2e", "e80fb2a90990e219cd603ac3e418597de3cdbcd9b47473bf98a89cb930dd3631"},
		{"5464f280a534892188a6b676e2c939ffcdc948e8b901a5de93bd94b4508680c8", "3b030b0548d8d7230c595471209e7fdaba41091a1f98ef589e29422977c0d0d8"},
		{"d9c4a158ec1bc22550af357cdcee1f3a79d32cd2ce186c50b94f010e9a36c522", "310d7291df0d1177e1db14b5ab734f1cdcd488ddcd69751c1df8aca57d061ab2"},
	}
	vectors := grant.Vectors()
	require.Len(t, vectors, len(want))
	for i, v := range vectors {
		hash := v.Bound.Hash()
		assert.Equal(t, want[i], [2]string{hash.Hash, hash.Command}, v.About)
	}
}

type change = func(*gavel.Facts, *gavel.Decision)

func segments(list ...gavel.Segment) change {
	return func(f *gavel.Facts, d *gavel.Decision) {
		f.Exec.Segments = list
		d.Exec.Segments = make([]gavel.ExecSegment, len(list))
	}
}

func param(name string, value any) change {
	return func(f *gavel.Facts, _ *gavel.Decision) { f.Tool.Params[name] = value }
}

func bind(t *testing.T, d *desk, changes ...change) grant.Binding {
	t.Helper()
	b, err := d.Bind(question(changes...))
	require.NoError(t, err)
	return b.Hash()
}

func TestEveryFieldChangesTheBinding(t *testing.T) {
	d := newDesk(t, nil)
	base := bind(t, d)
	for field, change := range map[string]change{
		"agent":       func(f *gavel.Facts, _ *gavel.Decision) { f.Agent.ID = "other" },
		"session":     func(f *gavel.Facts, _ *gavel.Decision) { f.Session.Key = "other" },
		"host":        func(_ *gavel.Facts, d *gavel.Decision) { d.Exec.Host = "sandbox" },
		"cwd":         func(f *gavel.Facts, _ *gavel.Decision) { f.Exec.Workdir = "/srv/other" },
		"shell":       func(f *gavel.Facts, _ *gavel.Decision) { f.Exec.Shell = "zsh" },
		"command":     func(_ *gavel.Facts, d *gavel.Decision) { d.Exec.Command += " " },
		"argv":        segments(segment("/usr/bin/rg", "rg", "OTHER")),
		"env":         param("env", map[string]any{"A": "1"}),
		"params":      param("pty", true),
		"pathPrepend": func(f *gavel.Facts, _ *gavel.Decision) { f.Environment.PathPrepend = []string{"/opt/bin"} },
		"executables": segments(segment("/usr/bin/rg2", "rg", "TODO")),
		"wrappers": segments(gavel.Segment{Argv: []string{"rg", "TODO"}, Executable: segment("/usr/bin/rg", "rg").Executable,
			Wrappers: []gavel.Wrapper{{Kind: "dispatcher", Argv: []string{"nice"}, Executable: segment("/usr/bin/nice", "nice").Executable}}}),
	} {
		t.Run(field, func(t *testing.T) {
			changed := bind(t, d, change)
			assert.NotEqual(t, base.Hash, changed.Hash)
			assert.Contains(t, grant.Differing(base.Parts, changed.Parts), field)
			if field == "session" {
				assert.Equal(t, base.Command, changed.Command, "history knows no sessions")
			} else {
				assert.NotEqual(t, base.Command, changed.Command)
			}
		})
	}
	node := bind(t, d, func(_ *gavel.Facts, d *gavel.Decision) { d.Exec.Host, d.Exec.Node = "node", "mac-1" })
	other := bind(t, d, func(_ *gavel.Facts, d *gavel.Decision) { d.Exec.Host, d.Exec.Node = "node", "mac-2" })
	assert.Equal(t, []string{"node"}, grant.Differing(node.Parts, other.Parts))
}

func TestAReplacedFileIsADifferentFile(t *testing.T) {
	inode := "7"
	d := newDesk(t, func(c *approvals.Config) {
		c.Identify = func(string) (string, string, bool) { return "1", inode, true }
	})
	before := bind(t, d)
	inode = "8"
	assert.Equal(t, []string{"executables"}, grant.Differing(before.Parts, bind(t, d).Parts))
}

func TestAFileThatWasReplacedSinceTheAnalysisIsNotBound(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) {
		c.Identify = func(string) (string, string, bool) { return "1", "7", true }
	})
	for identity, want := range map[[2]string]bool{{"1", "7"}: true, {"", ""}: true, {"1", "8"}: false, {"2", "7"}: false} {
		_, err := d.Bind(question(func(f *gavel.Facts, _ *gavel.Decision) {
			program := &f.Exec.Segments[0].Executable
			program.Device, program.Inode = identity[0], identity[1]
		}))
		assert.Equal(t, want, err == nil, "%v: %v", identity, err)
	}
}

func TestWordsCannotBeMovedBetweenArguments(t *testing.T) {
	d := newDesk(t, nil)
	seen := map[string]string{}
	for name, c := range map[string]change{
		"one argument":         segments(segment("/usr/bin/rg", "rg", "a b")),
		"two":                  segments(segment("/usr/bin/rg", "rg", "a", "b")),
		"two, cut elsewhere":   segments(segment("/usr/bin/rg", "rg", "a ", "b")),
		"an empty one":         segments(segment("/usr/bin/rg", "rg", "a", "", "b")),
		"two segments":         segments(segment("/usr/bin/rg", "rg", "a"), segment("/usr/bin/rg", "b")),
		"two of another order": segments(segment("/usr/bin/rg", "b"), segment("/usr/bin/rg", "rg", "a")),
	} {
		hash := bind(t, d, c).Hash
		assert.Empty(t, seen[hash], name)
		seen[hash] = name
	}
}

func TestVariablesAreBoundByNameAndValueInAnyOrder(t *testing.T) {
	d := newDesk(t, nil)
	one := bind(t, d, param("env", map[string]any{"A": "1", "B": "2"}))
	assert.NotEqual(t, one.Hash, bind(t, d, param("env", map[string]any{"A": "2", "B": "1"})).Hash)
	assert.NotEqual(t, one.Hash, bind(t, d, param("env", map[string]any{"A": "1"})).Hash)
	for range 20 {
		assert.Equal(t, one.Hash, bind(t, d, param("env", map[string]any{"B": "2", "A": "1"})).Hash)
	}
}

func TestParametersThatOnlyTightenAreNotBound(t *testing.T) {
	d := newDesk(t, nil)
	assert.Equal(t, bind(t, d).Hash, bind(t, d, param("ask", "always"), param("security", "allowlist")).Hash)
}

// W46: what is unclear exactly is bound to nothing.
func TestAnUnclearCallHasNoBinding(t *testing.T) {
	d := newDesk(t, nil)
	for name, c := range map[string]change{
		"no tool":                      func(f *gavel.Facts, _ *gavel.Decision) { f.Tool.Name = "" },
		"no agent":                     func(f *gavel.Facts, _ *gavel.Decision) { f.Agent.ID = "" },
		"an unknown working directory": func(f *gavel.Facts, _ *gavel.Decision) { f.Exec.Workdir = "" },
		"a relative working directory": func(f *gavel.Facts, _ *gavel.Decision) { f.Exec.Workdir = "src" },
		"no facts of the command":      func(f *gavel.Facts, _ *gavel.Decision) { f.Exec = nil },
		"nothing to execute":           func(_ *gavel.Facts, d *gavel.Decision) { d.Exec = nil },
		"no text to execute":           func(_ *gavel.Facts, d *gavel.Decision) { d.Exec.Command = "" },
		"no host":                      func(_ *gavel.Facts, d *gavel.Decision) { d.Exec.Host = "" },
		"a node without a name":        func(_ *gavel.Facts, d *gavel.Decision) { d.Exec.Host = "node" },
		"a program that was not found": segments(gavel.Segment{Argv: []string{"zz"}}),
		"a program without words":      segments(gavel.Segment{Executable: segment("/usr/bin/rg", "rg").Executable}),
		"a variable that is not text":  param("env", map[string]any{"A": 1.0}),
		"variables that are not a map": param("env", "A=1"),
		"a wrapper that was not found": segments(gavel.Segment{Argv: []string{"rg"}, Executable: segment("/usr/bin/rg", "rg").Executable,
			Wrappers: []gavel.Wrapper{{Argv: []string{"nice"}}}}),
	} {
		_, err := d.Bind(question(c))
		assert.Error(t, err, name)
	}
	blind := newDesk(t, func(c *approvals.Config) { c.Identify = func(string) (string, string, bool) { return "", "", false } })
	_, err := blind.Bind(question())
	assert.Error(t, err, "a file that cannot be looked at")
	_, err = blind.Bind(question(func(f *gavel.Facts, _ *gavel.Decision) { f.Environment.Claimed = true }))
	assert.NoError(t, err, "what a gateway claims of another machine is bound by path")
}

func TestUnparsedTextIsBoundUnchanged(t *testing.T) {
	d := newDesk(t, nil)
	text := func(command string) change {
		return func(f *gavel.Facts, d *gavel.Decision) {
			f.Exec.Parsed, f.Exec.Segments = false, nil
			d.Exec.Command, d.Exec.Segments = command, nil
		}
	}
	assert.NotEqual(t, bind(t, d, text("echo $(date) ")).Hash, bind(t, d, text("echo $(date)")).Hash)
}

func TestOtherToolsAreBoundByTheirParameters(t *testing.T) {
	d := newDesk(t, nil)
	tool := func(name string, params map[string]any) change {
		return func(f *gavel.Facts, d *gavel.Decision) {
			f.Tool, f.Exec, d.Exec = gavel.ToolFacts{Name: name, Params: params}, nil, nil
		}
	}
	one := bind(t, d, tool("message", map[string]any{"to": "#ops", "n": 1.0}))
	assert.Equal(t, one.Hash, bind(t, d, tool("message", map[string]any{"n": 1.0, "to": "#ops"})).Hash)
	assert.Equal(t, []string{"params"}, grant.Differing(one.Parts, bind(t, d, tool("message", map[string]any{"to": "#ops", "n": 2.0})).Parts))
	assert.Equal(t, []string{"tool"}, grant.Differing(one.Parts, bind(t, d, tool("cron", map[string]any{"to": "#ops", "n": 1.0})).Parts))
}

func TestShellBuiltinsAreBoundByTheirWords(t *testing.T) {
	d := newDesk(t, nil)
	cd := func(to string) change {
		return segments(gavel.Segment{Argv: []string{"cd", to}, Builtin: "cd"}, segment("/usr/bin/rg", "rg"))
	}
	assert.NotEqual(t, bind(t, d, cd("a")).Hash, bind(t, d, cd("b")).Hash)
	assert.Equal(t, bind(t, d, cd("a")).Hash, bind(t, d, cd("a")).Hash)
}
