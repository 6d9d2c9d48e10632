package runner

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"gavel/runner/spawn"
)

// ScriptWord is the first word of this program when a text that it runs has it run a script of a shell.
const ScriptWord = "__script"

// Self opens the program that this process executes, for [Config].
func Self() (*os.File, error) { return os.Open("/proc/self/exe") }

// RunScript is this program inside of a text: it runs a shell that reads the copy of its script and
// knows the script by its name. The words behind ScriptWord are the copy, which word of the shell's own
// names the script, the path of the shell, and the shell's own words. It returns the exit code.
func RunScript(words []string) int {
	code, err := runScript(words)
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "gavel run: %v (%s)\n", err, CodeUnheld) // standard error is the only place to report it
		return ExitRefused
	}
	return code
}

func runScript(words []string) (int, error) {
	if len(words) < 4 {
		return 0, errors.New("the words for a script are incomplete: gavel run writes them")
	}
	sealed, shell, argv := words[0], words[2], words[3:]
	at, err := strconv.Atoi(words[1])
	if err != nil || at < 1 || at >= len(argv) {
		return 0, errors.New("the words for a script do not name it: gavel run writes them")
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, fmt.Errorf("find the directory of a script: %w", err)
	}
	state, err := spawn.Within(shell, argv, spawn.Script{At: at, Copy: sealed, Dir: dir})
	if err == nil {
		err = state.Unheld
	}
	return state.Code, err
}
