package programs

import (
	"errors"
	"fmt"
	"slices"
)

// Settings says in which files a program finds its settings by itself: in its working directory, and in the
// directories above. Whoever writes such a file decides what the program does.
type Settings struct {
	Files      []string `yaml:"files" json:"files"`
	Means      string   `yaml:"means" json:"means"`            // the kind of hazard that they are
	HazardName string   `yaml:"hazard_name" json:"hazardName"` // the name by which an allowlist entry accepts it
	// Only is set if the files are YAML and only these keys count, at any depth, with any other value than
	// those that are listed. Without it, each such file is a hazard.
	Only map[string][]string `yaml:"only" json:"only,omitempty"`
	// MentionsFiles is set if each text in the files may name a file that the program shows, or a directory with
	// such files. The program starts in the directories that are its operands. EnvironmentLines are keys of files
	// of which a line without an equals sign is the name of a variable of the environment.
	MentionsFiles    bool     `yaml:"mentions_files" json:"mentionsFiles,omitempty"`
	EnvironmentLines []string `yaml:"environment_lines" json:"environmentLines,omitempty"`
	// ValueOf are options whose value is the file, instead of those that are found. With one of Unless, it looks
	// for none.
	ValueOf []string `yaml:"value_of" json:"valueOf,omitempty"`
	Unless  []string `yaml:"unless" json:"unless,omitempty"`
}

// check reports what is wrong; nil is valid.
func (s *Settings) check() error {
	switch {
	case s == nil:
		return nil
	case len(s.Files) == 0 || s.HazardName == "":
		return errors.New("settings need files and a name")
	case !slices.Contains(Kinds(), s.Means):
		return fmt.Errorf("settings: unknown kind %q", s.Means)
	}
	return nil
}
