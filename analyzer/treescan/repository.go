package treescan

import (
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// What a repository takes in: files below the top of its working tree that it does not track yet and that
// git does not ignore. Of what makes git ignore files, .gitignore and the repository's own file are read; they
// come before the rest.

// gitRulesIn reads the rules of a directory of a working tree. Git does not follow a link in place of
// the file.
func (w *walker) gitRulesIn(dir string) ignoreRules {
	own := ignoreRules{repository: true}
	file := host.Join(dir, ".gitignore")
	switch real, ok := w.Host.Resolve(file); {
	case ok && real == file:
		w.readRules(&own, file)
	case !ok && w.Host.Kind(file) != host.KindMissing:
		own.exceptions = []NamePattern{{}} // it may keep anything
	}
	return own
}

// ownGitRules returns the rules of the repository's own file; nil if there are none, or if they are not certain.
func (w *walker) ownGitRules() *ignoreRules {
	file := host.Join(w.exclude.Repository.Top, w.exclude.Repository.IgnoreFile)
	if real, ok := w.Host.Resolve(file); !ok || real != file || w.exclude.Repository.IgnoreFile == "" {
		return nil
	}
	own := ignoreRules{repository: true}
	w.readRules(&own, file)
	return &own
}

// gitRulesAbove returns the rules of the directories from the top of the working tree down to a directory,
// without its own. It is not ok if git ignores the directory as a whole, or it is in no working tree.
func (w *walker) gitRulesAbove(dir string) (all ignoreRules, ok bool) {
	top := w.exclude.Repository.Top
	if !w.exclude.Ignored {
		return all, true
	}
	all.after = w.ownGitRules()
	if dir == top {
		return all, true
	}
	below, inside := strings.CutPrefix(dir, strings.TrimSuffix(top, "/")+"/")
	if !inside {
		return all, false
	}
	at := top
	for name := range strings.SplitSeq(below, "/") {
		all = all.add(w.gitRulesIn(at))
		at = host.Join(at, name)
		if all.ignores(at, host.Entry{Name: name, Kind: host.KindDirectory}) {
			return all, false
		}
		all = all.inSubdirectory(name)
	}
	return all, true
}

// takesIn reports whether the repository may take in a file, which git does not ignore.
func (w *walker) takesIn(file string) bool {
	r := w.exclude.Repository
	if r == nil {
		return true
	}
	name, inside := strings.CutPrefix(file, strings.TrimSuffix(r.Top, "/")+"/")
	if !inside {
		return true
	}
	if !mayChoose(r.Patterns, name) {
		return false
	}
	if w.tracked == nil {
		if w.tracked = r.Tracked(); w.tracked == nil {
			w.tracked = map[string]bool{}
		}
	}
	return !w.tracked[name]
}

// mayChoose reports whether one of these patterns may be about a file. A wildcard fits slashes, a pattern is
// about everything in a directory that it matches, and case is ignored.
func mayChoose(patterns []string, name string) bool {
	noSlash := strings.NewReplacer("/", "\x01")
	name = strings.ToLower(name)
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern = strings.TrimSuffix(strings.ToLower(pattern), "/"); !mayBeCompared(pattern) {
			return true
		}
		for part := name; part != "."; part = path.Dir(part) {
			if fits, err := path.Match(noSlash.Replace(pattern), noSlash.Replace(part)); fits || err != nil {
				return true
			}
		}
		return false
	})
}

// mayBeCompared reports whether a pattern of paths is read alike here and by git.
func mayBeCompared(pattern string) bool {
	for part := range strings.SplitSeq(pattern, "/") {
		if part == "" || part == "." || part == ".." || strings.Contains(part, "**") {
			return false
		}
	}
	return !strings.HasPrefix(pattern, ":") && !strings.ContainsAny(pattern, `[]\?`) && !strings.ContainsFunc(pattern, isOddBlank)
}
