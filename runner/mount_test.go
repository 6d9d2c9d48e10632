//go:build linux

package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gavel"
	"gavel/runner"
	"gavel/runner/proof"
)

// inMounts is set for a process that has mounts of its own.
const inMounts = "GAVEL_TEST_IN_MOUNTS"

// A mount over a path leads it elsewhere without any change to what lies below.
func TestAMountOverAJudgedFileRunsNothingElse(t *testing.T) {
	own := []string{"unshare", "--mount"}
	if os.Geteuid() != 0 {
		own = append(own, "--user", "--map-root-user")
	}
	if out, err := exec.CommandContext(t.Context(), own[0], append(own[1:], "true")...).CombinedOutput(); err != nil {
		require.Contains(t, string(out), "not permitted", "where nobody may mount, nothing can be covered: %v", err)
		return
	}
	cmd := exec.CommandContext(t.Context(), own[0], append(own[1:], os.Args[0], "-test.run=^TestCovered$", "-test.v")...)
	cmd.Env = append(os.Environ(), inMounts+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "--- PASS: TestCovered/the_directory", string(out))
}

// covered are places that a mount covers, below a directory, and the words that are judged.
func covered(dir string) map[string]struct {
	over  string
	words []string
	code  string // of the refusal if it is covered while it is judged
} {
	type place = struct {
		over  string
		words []string
		code  string
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	return map[string]place{
		"a program":                    {at("bin/elf"), []string{at("bin/elf"), "good"}, proof.CodeProgramChanged},
		"a script":                     {at("bin/script"), []string{at("bin/script")}, proof.CodeProgramChanged},
		"the script of an interpreter": {at("bin/script"), []string{"/usr/bin/sh", at("bin/script")}, proof.CodeScriptChanged},
		"the place of a program":       {at("bin"), []string{at("bin/elf"), "good"}, proof.CodeProgramChanged},
		"the directory":                {at("work"), []string{"/usr/bin/cat", "note"}, proof.CodeDirectoryChanged},
	}
}

// TestCovered runs in a process that may mount.
func TestCovered(t *testing.T) {
	if os.Getenv(inMounts) == "" {
		return // it is started by the test above
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	for name := range covered("") {
		t.Run(name, func(t *testing.T) {
			for _, early := range []bool{true, false} {
				dir := sides(t)
				place := covered(dir)[name]
				cover := func() {
					require.NoError(t, unix.Mount(place.over+".evil", place.over, "", unix.MS_BIND, ""))
					t.Cleanup(func() { assert.NoError(t, unix.Unmount(place.over, unix.MNT_DETACH)) })
				}
				var pins []gavel.Pin
				for i, word := range place.words {
					role := gavel.PinProgram
					if i > 0 {
						role = "script"
					}
					if filepath.IsAbs(word) {
						pins = append(pins, pinOf(t, 0, role, word))
					}
				}
				work := filepath.Join(dir, "work")
				decision := allow(t, work, pins, place.words...)
				r := runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) {
					if early {
						cover()
					}
					return decision, nil
				}}})
				plan, err := r.Prepare(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}}, work)
				if early {
					refused(t, err, place.code)
					continue
				}
				if err != nil { // among users of its own, root is another one, who could replace /bin/sh
					refused(t, err, runner.CodeUnheld)
					var shell unix.Stat_t
					require.NoError(t, unix.Stat("/bin/sh", &shell))
					require.NotZero(t, shell.Uid)
					continue
				}
				cover()
				out, code, err := start(t, plan)
				plan.Close()
				require.NoError(t, err)
				assert.Zero(t, code)
				assert.Equal(t, "good\n", out)
			}
		})
	}
}

// sides makes each place twice: as it is judged, and as it would like to be.
func sides(t *testing.T) string {
	t.Helper()
	dir := directory(t)
	echo, err := os.ReadFile("/usr/bin/echo")
	require.NoError(t, err)
	no, err := os.ReadFile("/usr/bin/false")
	require.NoError(t, err)
	for _, name := range []string{"bin", "bin.evil", "work", "work.evil"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	for name, text := range map[string]string{
		"bin/elf": string(echo), "bin/elf.evil": string(no), "bin.evil/elf": string(no),
		"bin/script": "#!/bin/sh\necho good\n", "bin/script.evil": "#!/bin/sh\necho evil\n", "bin.evil/script": "#!/bin/sh\necho evil\n",
		"work/note": "good\n", "work.evil/note": "evil\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}
