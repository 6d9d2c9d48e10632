package proof

import (
	"gavel"
	"gavel/analyzer/fileglob"
	"gavel/analyzer/host"
)

// CodeFilesChanged is the code of a pattern that other files match than those that were judged.
const CodeFilesChanged = "runner.files_changed"

// SameMatches expands each glob of the pins, and compares its names and their real paths with those
// that were judged. Names that a command of the text gives, such as find, are not looked up.
func SameMatches(matches []gavel.PinMatch) error {
	machine, read := host.Local().View(), 0
	for i := range matches {
		pin := &matches[i]
		if pin.Word == "" {
			continue
		}
		expansion := fileglob.Expand(machine, pin.Word, pin.Directory, "", &read)
		if digest, ok := expansion.Digest(); !ok || digest != pin.SHA256 {
			return &Changed{CodeFilesChanged, pin.Pattern, "other files match it now"}
		}
	}
	return nil
}
