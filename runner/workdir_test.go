//go:build linux

package runner_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
	"gavel/runner/proof"
)

// The page of the tool exec: workdir is where a command runs, and cwd if there is none. The call
// that is judged names the real directory.
func TestACommandRunsInItsWorkdirOrInTheDirectoryOfTheAgent(t *testing.T) {
	for name, c := range map[string]struct {
		workdir any // nil for none
		want    string
	}{
		"none":                       {nil, ""},
		"empty":                      {"", ""},
		"blanks":                     {"  ", ""},
		"below the agent's":          {"sub", "sub"},
		"absolute":                   {"@/sub", "sub"},
		"with blanks around":         {" sub\n", "sub"},
		"up and down":                {"sub/../sub/.", "sub"},
		"by a link":                  {"link", "sub"},
		"above what a link leads to": {"link/..", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := directory(t)
			require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
			require.NoError(t, os.Symlink("sub", filepath.Join(dir, "link")))
			want := filepath.Join(dir, c.want)
			var judged gavel.Call
			r := runnerOf(t, runner.Config{Authority: &answers{decide: func(call gavel.Call) (gavel.Decision, error) {
				judged = call
				return allow(t, want, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, "/usr/bin/pwd")}, "/usr/bin/pwd", "-P"), nil
			}}})
			params := map[string]any{"command": "pwd"}
			if text, given := c.workdir.(string); given {
				if rest, absolute := cutAt(text); absolute {
					text = dir + rest
				}
				params["workdir"] = text
			}
			plan, err := r.Prepare(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: params}}, dir)
			require.NoError(t, err)
			defer plan.Close()
			out, _, err := start(t, plan)
			require.NoError(t, err)
			assert.Equal(t, want+"\n", out)
			if c.workdir != nil {
				assert.Equal(t, want, judged.Tool.Params["workdir"])
			} else {
				assert.Equal(t, want, judged.Environment.Cwd)
			}
		})
	}
}

func cutAt(text string) (rest string, found bool) {
	if len(text) > 0 && text[0] == '@' {
		return text[1:], true
	}
	return "", false
}

func TestADirectoryThatCannotBeEnteredIsRefusedBeforeAnythingIsAsked(t *testing.T) {
	dir := directory(t)
	write(t, filepath.Join(dir, "file"), "")
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for name, workdir := range map[string]string{"it is missing": "missing", "it is a file": "file", "it is a loop": "loop", "a zero in it": "a\x00b", "what is not text": "\xff"} {
		authority := &answers{decide: func(gavel.Call) (gavel.Decision, error) { t.Error("it was asked"); return gavel.Decision{}, nil }}
		_, err := runnerOf(t, runner.Config{Authority: authority}).Prepare(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "true", "workdir": workdir}}}, dir)
		refused(t, err, proof.CodeDirectoryChanged)
		assert.ErrorContains(t, err, "name a directory that exists", name)
	}
}

func TestADirectoryThatIsRemovedOrReplacedAfterItWasJudgedIsRefused(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string){
		"removed": func(t *testing.T, dir string) { require.NoError(t, os.Remove(dir)) },
		"replaced": func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(dir, dir+"-2"))
			require.NoError(t, os.Mkdir(dir, 0o700))
		},
		"a link to it": func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(dir, dir+"-2"))
			require.NoError(t, os.Symlink(dir+"-2", dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(directory(t), "work")
			require.NoError(t, os.Mkdir(dir, 0o700))
			r := runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) {
				change(t, dir)
				return allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, "/usr/bin/pwd")}, "/usr/bin/pwd"), nil
			}}})
			_, _, _, err := run(t, r, dir)
			refused(t, err, proof.CodeDirectoryChanged)
		})
	}
}

// A program that is replaced by another file of the same content, name and time is another file.
func TestAProgramThatIsSwappedInAnyWayIsNotRun(t *testing.T) {
	for name, swap := range map[string]func(t *testing.T, tool, evil string){
		"by a rename": func(t *testing.T, tool, evil string) { require.NoError(t, os.Rename(evil, tool)) },
		"by a hard link": func(t *testing.T, tool, evil string) {
			require.NoError(t, os.Remove(tool))
			require.NoError(t, os.Link(evil, tool))
		},
		"by a symbolic link": func(t *testing.T, tool, evil string) {
			require.NoError(t, os.Remove(tool))
			require.NoError(t, os.Symlink(evil, tool))
		},
		"in place": func(t *testing.T, tool, evil string) { write(t, tool, "#!/bin/sh\necho evil\n") },
		"in place, by a name": func(t *testing.T, tool, evil string) {
			require.NoError(t, os.Link(tool, tool+"-2"))
			write(t, tool+"-2", "#!/bin/sh\necho evil\n")
		},
		"of its directory": func(t *testing.T, tool, evil string) {
			dir := filepath.Dir(tool)
			require.NoError(t, os.Rename(dir, dir+"-2"))
			require.NoError(t, os.Mkdir(dir, 0o700))
			write(t, tool, "#!/bin/sh\necho good\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := directory(t)
			require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
			tool := write(t, filepath.Join(dir, "bin", "tool"), "#!/bin/sh\necho good\n")
			evil := write(t, filepath.Join(dir, "evil"), "#!/bin/sh\necho evil\n")
			decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, tool)}, tool)
			r := runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { swap(t, tool, evil); return decision, nil }}})
			_, _, _, err := run(t, r, dir)
			refused(t, err, proof.CodeProgramChanged)
		})
	}
}
