# METADATA
# title: Configured safe bins
# description: |
#   What is strange about configured safe bins: names that are never one, names that
#   nothing describes, and profiles that nobody uses. Each is a warning of gavel check.
package gavel.check.safebins

import data.gavel.check.places
import data.gavel.exec.profiles

# METADATA
# description: a program that evaluates what it is given is never a safe bin
warnings contains {
	"path": place.path,
	"message": sprintf("%q evaluates what it is given and is never a safe bin", [place.value]),
	"fix": "take it off the list; give it an allowlist entry if it has to run",
} if {
	some place in _bin_places
	profiles.evaluates(profiles.folded(place.value))
}

# METADATA
# description: a safe bin that no profile describes is not one
warnings contains {
	"path": place.path,
	"message": sprintf("%q has no profile and is passed over", [place.value]),
	"fix": "describe its options under safeBinProfiles, or take it off the list",
} if {
	some place in _bin_places
	name := profiles.folded(place.value)
	not profiles.evaluates(name)
	not profiles.profiled(name, _profiles)
}

_bin_places contains {"path": sprintf("%s[%d]", [concat(".", path), i]), "value": name} if {
	walk(places.sections, [path, list])
	path[count(path) - 1] == "safeBins"
	some i, name in list
	is_string(name)
}

_profiles[key] := true if {
	walk(places.sections, [path, described])
	path[count(path) - 1] == "safeBinProfiles"
	some key, _ in described
}
