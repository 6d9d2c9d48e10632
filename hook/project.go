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

// CheckOrigin returns an error if a file that the environment names must not decide about calls: it is
// in their project, or a file of the project sets variables that hosts pass to hooks. The author of the
// project could then choose who decides. Gavel's own directories in the user's home directory are
// exempt. It is not for files that the command line names.
func CheckOrigin(path string, calls []gavel.Call) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%s is not an absolute path", path)
	}
	real := resolved(path)
	if isOwn(path) && isOwn(real) {
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
			if err := checkSettings(filepath.Clean(dir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// movedHome returns a note about a path below a HOME that is not the user's home directory, because the
// user never wrote such a path; "" for any other path.
func movedHome(path string) string {
	moved, err := os.UserHomeDir()
	if err != nil || filepath.Clean(moved) == home() || !within(path, moved) {
		return ""
	}
	return " (HOME is " + moved + ", and the home directory of this user is " + home() + ")"
}

// projectMarkers lists names that mark the top directory of a project: directories of version control, and
// settings of hosts and tools, which can set variables.
func projectMarkers() []string {
	return []string{".git", ".hg", ".jj", ".svn", ".envrc", ".claude", ".codex", ".cursor", ".gemini", ".qwen", ".vscode"}
}

// projects returns a directory, and those above it that are the top of a project. The user's home
// directory does not count, nor do directories such as /tmp, in which other users can create markers.
func projects(dir string) []string {
	list := []string{dir}
	for above := filepath.Dir(dir); above != filepath.Dir(above) && above != home(); above = filepath.Dir(above) {
		info, err := os.Lstat(above)
		if err != nil || info.Mode()&os.ModeSticky != 0 {
			continue
		}
		marked := func(name string) bool { _, err := os.Lstat(filepath.Join(above, name)); return err == nil }
		if slices.ContainsFunc(projectMarkers(), marked) {
			list = append(list, above)
		}
	}
	return list
}

// removeUntrustedHome removes the home directory from calls whose project may have chosen it: it differs
// from the system's entry for the user, and it is in the project or the project's settings set HOME. The
// meaning of ~ is then unknown.
func removeUntrustedHome(calls []gavel.Call) {
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

// isOwn reports whether a path is in one of Gavel's directories in the home directory of the user who
// runs this process. It does not use HOME, which belongs to the environment.
func isOwn(path string) bool {
	dir := home()
	return dir != "" && (within(path, filepath.Join(dir, ".local", "state", "gavel")) || within(path, filepath.Join(dir, ".config", "gavel")))
}

// home returns the home directory of the user who runs this process, from the system's user database; ""
// if it is unknown.
func home() string {
	me, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || !filepath.IsAbs(me.HomeDir) {
		return ""
	}
	return filepath.Clean(me.HomeDir)
}

// resolved returns the real path of a file, or the one that it would have if it existed.
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
