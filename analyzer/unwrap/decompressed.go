package unwrap

import (
	"slices"

	"gavel"
	"gavel/analyzer/programs"
)

// addDecompressors records the changes of a program that may create a file without its ending.
func (s *PathEffects) addDecompressors(catalog *programs.Catalog, e *programs.Entry) {
	described := catalog.DescribedBy(e)
	if described == nil {
		return
	}
	names := slices.Concat(e.OwnNames(), e.FamilyDefaultFor)
	if e.ActsByName != nil {
		names = append(names, e.ActsByName.Names...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, c := range described.Changes {
		if len(c.Endings) == 0 {
			continue
		}
		for _, name := range names {
			s.decompresses[name] = append(s.decompresses[name], c)
		}
	}
}

// decompressed returns the names that a segment may give to a file that it decompresses.
func (s *PathEffects) decompressed(item *gavel.Segment, text string) (names []string) {
	for _, name := range item.Executable.Programs {
		for _, c := range s.decompresses[name] {
			var endings []string
			keeps := false
			for _, o := range item.Options {
				keeps = keeps || item.OptionsKnown == exact && slices.Contains(c.Unless, o.Name)
				if o.HasValue && slices.Contains(c.EndingOf, o.Name) {
					endings = append(endings, o.Value)
				}
			}
			if !keeps {
				names = append(names, c.DecompressedNames(text, endings)...)
			}
		}
	}
	return names
}
