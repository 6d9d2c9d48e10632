package hook

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel"
)

// Foreign says why a file that the environment named must not decide about calls: it is in
// their project, or a file of the project sets variables that hosts pass on, and whoever writes
// the project would decide. Settings of a project can set the environment of a hook. What the command line names is not asked about, and neither are
// Gavel's own directories in the home of the user.
func Foreign(path string, calls []gavel.Call) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%s is not an absolute path", path)
	}
	real := resolved(path)
	if own(path) && own(real) {
		return nil
	}
	for i := range calls {
		e := calls[i].Environment
		if e == nil {
			continue
		}
		for _, dir := range []string{e.Cwd, e.Workspace} {
			if dir == "" || filepath.Clean(dir) == "/" {
				continue
			}
			for _, project := range append(projects(resolved(dir)), dir) {
				if within(real, project) || within(path, project) {
					return fmt.Errorf("%s is in the project %s, and was named by the environment%s: whoever writes the project would decide; "+
						"name it on the command line", path, project, movedHome(path))
				}
			}
			if err := noSetting(filepath.Clean(dir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// movedHome explains a path below a HOME that is not the home of the user: nobody named such a
// path in so many words.
func movedHome(path string) string {
	moved, err := os.UserHomeDir()
	if err != nil || filepath.Clean(moved) == home() || !within(path, moved) {
		return ""
	}
	return " (HOME is " + moved + ", and the home directory of this user is " + home() + ")"
}

// marks are what the top of a project has: version control, and the settings of hosts and tools,
// which can set variables.
func marks() []string {
	return []string{".git", ".hg", ".jj", ".svn", ".envrc", ".claude", ".codex", ".cursor", ".gemini", ".qwen", ".vscode"}
}

// projects returns a directory, and those above it that are the top of a project. The home of the
// user is none, and neither are directories such as /tmp, in which others can make marks.
func projects(dir string) []string {
	list := []string{dir}
	for above := filepath.Dir(dir); above != filepath.Dir(above) && above != home(); above = filepath.Dir(above) {
		info, err := os.Lstat(above)
		if err != nil || info.Mode()&os.ModeSticky != 0 {
			continue
		}
		marked := func(mark string) bool { _, err := os.Lstat(filepath.Join(above, mark)); return err == nil }
		if slices.ContainsFunc(marks(), marked) {
			list = append(list, above)
		}
	}
	return list
}

// settleHome takes the home out of calls in which the project may have chosen it: it is not the
// one that the system says, and it is in the project, or settings of the project name HOME. Then
// nobody knows what ~ means in a list of files.
func settleHome(calls []gavel.Call) {
	for i := range calls {
		e := calls[i].Environment
		if e == nil || e.Home == "" || filepath.Clean(e.Home) == home() {
			continue
		}
		for _, dir := range []string{e.Cwd, e.Workspace} {
			if dir == "" || filepath.Clean(dir) == "/" || e.Home == "" {
				continue
			}
			if within(resolved(e.Home), resolved(dir)) || within(e.Home, dir) || movesHome(filepath.Clean(dir)) {
				e.Home = ""
			}
		}
	}
}

// own reports whether a path is in Gavel's directories of the user who runs this process, by
// the user's entry in the system: HOME is part of the environment.
func own(path string) bool {
	dir := home()
	return dir != "" && (within(path, filepath.Join(dir, ".local", "state", "gavel")) || within(path, filepath.Join(dir, ".config", "gavel")))
}

// home is the home of the user who runs this process, as the system says it; "" if it says none.
func home() string {
	me, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || !filepath.IsAbs(me.HomeDir) {
		return ""
	}
	return filepath.Clean(me.HomeDir)
}

// resolved is the real path of a file, or of where it would be.
func resolved(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}

func within(path, dir string) bool {
	rest, err := filepath.Rel(filepath.Clean(dir), filepath.Clean(path))
	return err == nil && rest != ".." && !strings.HasPrefix(rest, "../")
}
