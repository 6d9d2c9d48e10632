# METADATA
# title: Configured safe bins
# description: |
#   Warnings about configured safe bins: names that can never be safe bins, names without a
#   profile, and profiles that are never used.
package gavel.check.safebins

import data.gavel.check.locations
import data.gavel.exec.profiles

# METADATA
# description: a program that evaluates its input is never a safe bin
warnings contains {
	"path": location.path,
	"message": sprintf("%q evaluates its input as code, so it can never be a safe bin", [location.value]),
	"fix": "remove it from the list; if it has to run, add an allowlist entry",
} if {
	some location in _safe_bins
	profiles.evaluates(profiles.folded(location.value))
}

# METADATA
# description: a safe bin without a profile is ignored
warnings contains {
	"path": location.path,
	"message": sprintf("%q has no profile, so it is ignored", [location.value]),
	"fix": "describe its options under safeBinProfiles, or remove it from the list",
} if {
	some location in _safe_bins
	name := profiles.folded(location.value)
	not profiles.evaluates(name)
	not profiles.profiled(name, _profiles)
}

_safe_bins contains {"path": sprintf("%s[%d]", [concat(".", path), i]), "value": name} if {
	walk(locations.sections, [path, list])
	path[count(path) - 1] == "safeBins"
	some i, name in list
	is_string(name)
}

_profiles[key] := true if {
	walk(locations.sections, [path, described])
	path[count(path) - 1] == "safeBinProfiles"
	some key, _ in described
}
