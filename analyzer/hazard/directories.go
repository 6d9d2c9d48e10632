package hazard

import (
	"slices"

	"gavel/analyzer/argv"
	"gavel/analyzer/host"
)

// absolute returns the path that a text names in the working directory, as far as it is known, or "".
func (f *finder) absolute(text string) string {
	if text == "" || len(text) > host.MaxPath {
		return ""
	}
	at := f.around
	at.Dir = f.workDir
	return f.places.resolve(text, at)
}

// enterDirectory follows options that set the working directory.
func (f *finder) enterDirectory(v *Vocabulary, args argv.Reading) {
	f.startDir, f.entered = f.workDir, nil
	for _, g := range args.Options {
		if g.HasValue && (g.Kind == "directory" || slices.Contains(v.directoryOptions, g.Name)) {
			f.workDir = f.absolute(g.Value)
			f.entered = append(f.entered, f.workDir)
		}
	}
	if f.entered == nil {
		f.entered = []string{f.workDir}
	}
}

// in calls do with a directory as the one that the program works in.
func (f *finder) in(dir string, do func()) {
	last := f.workDir
	f.workDir = dir
	do()
	f.workDir = last
}
