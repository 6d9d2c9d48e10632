package lint

import (
	"io/fs"
	"path/filepath"
	"strings"

	"gavel"
)

// Misplaced warns about decision cases of a policy directory that nothing runs, because they are not in its
// directory testdata. A directory that cannot be read has none.
func Misplaced(policy string) []gavel.Problem {
	var found []gavel.Problem
	home := filepath.Join(policy, "testdata")
	_ = filepath.WalkDir(policy, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil, policy == "":
			return fs.SkipAll
		case strings.HasSuffix(path, ".txtar") && !entry.IsDir() && filepath.Dir(path) != home:
			name, _ := filepath.Rel(policy, path) // it is below
			found = append(found, gavel.Problem{File: name, Line: 1, Column: 1, Message: "nothing runs this decision case: only files directly in testdata count",
				Fix: "move it to " + filepath.Join(home, filepath.Base(path))})
		}
		return nil
	})
	return found
}
