# METADATA
# title: Profiles of safe bins
# description: |
#   Which filters may run without an allowlist entry, from which directories, and with which
#   arguments (EXEC-3, R28): the entries of gavel/catalog/programs together with the
#   configuration. A configured profile for a filter of the catalog can only restrict it: it
#   adds denied flags, and narrows the value flags and the number of operands. A profile for
#   any other filter describes it completely. This is part of the frozen part; nothing here
#   looks at the call.
package gavel.exec.profiles

import data.gavel.catalog
import data.gavel.config
import data.gavel.tools.subjects

# METADATA
# description: |
#   the safe bins of this agent by name, and the directories that they may be in besides those
#   of the catalog. The kinds of options are flag, value, text, attached and pair.
configured := {
	"bins": {name: bin | some name in _listed.names; bin := _bin(name)},
	"directories": _directories,
	"path": _listed.path,
}

# METADATA
# description: the name of a program that evaluates its input, in any version
evaluates(name) if {
	some known in catalog.called(name)
	_evaluates_itself(known)
}

_evaluates_itself(name) if catalog.programs.evaluates[name]

_evaluates_itself(name) if catalog.programs.wrappers[name]

_evaluates_itself(name) if catalog.programs.opaque[name]

# METADATA
# scope: document
# description: a filter that has a profile, in the catalog or in this list of configured profiles
profiled(name, _) if catalog.programs.safe_bins.profiles[name]

profiled(name, profiles) if count(_profiles_named(name, profiles)) > 0

_listed := {"names": {folded(name) | some name in found.value}, "path": found.path} if {
	found := config.exec_setting(subjects.self.id, "safeBins")
} else := {"names": {name | some name in catalog.programs.safe_bins.default}, "path": "tools.exec.safeBins"}

_directories := {trim_space(directory) |
	some section in _sections
	some directory in section.safeBinTrustedDirs
}

# The exec settings for this agent, its own first.
_sections := array.concat(
	[section | some scope in config.scopes(subjects.self.id); section := scope.value.exec],
	[config.section(["tools", "exec"])],
)

_profiles_named(name, profiles) := [profile | some key, profile in profiles; folded(key) == name]

_own_profiles(name) := [profile |
	some section in _sections
	some profile in _profiles_named(name, object.get(section, "safeBinProfiles", {}))
]

# METADATA
# description: the normalised name, for comparison
folded(name) := lower(trim_space(name))

_bin(name) := bin if {
	not evaluates(name)
	known := catalog.programs.safe_bins.profiles[name]
	bin := _narrowed(known, _own_profiles(name))
} else := bin if {
	not evaluates(name)
	own := _own_profiles(name)
	count(own) > 0
	bin := _described(own)
}

_narrowed(known, own) := {
	"custom": false,
	"options": {option: kind |
		some option, kind in known.options
		not option in denied
		not _removed_by(option, kind, own)
	},
	"denied": denied,
	"min": max({known.operands.min} | {profile.minPositional | some profile in own}),
	"max": min({known.operands.max} | {profile.maxPositional | some profile in own}),
	"text": known.text,
	"grammar": known.grammar,
	"number": known.number,
} if {
	denied := {option | some option in known.denied} | _denied(own)
}

_denied(own) := {option | some profile in own; some option in profile.deniedFlags}

# A configured list of value flags is complete.
_removed_by(option, kind, own) if {
	not kind == "flag"
	some profile in own
	is_array(profile.allowedValueFlags)
	listed := {name | some name in profile.allowedValueFlags}
	not option in listed
}

# The first profile that has the setting counts; denied flags add up. An option that is both a
# flag and a value flag cannot be read, and counts as neither.
_described(own) := {
	"custom": true,
	"options": object.union(
		{option: "flag" | some option in (flags - (values | denied))},
		{option: "value" | some option in (values - (flags | denied))},
	),
	"denied": denied,
	"min": _first(own, "minPositional", 0),
	"max": _first(own, "maxPositional", 0),
	"text": false,
	"grammar": "",
	"number": false,
} if {
	denied := _denied(own)
	flags := {option | some option in _first(own, "allowedFlags", [])}
	values := {option | some option in _first(own, "allowedValueFlags", [])}
}

_first(profiles, key, fallback) := found[0] if {
	found := [profile[key] | some profile in profiles; is_array(profile[key])]
	count(found) > 0
} else := found[0] if {
	found := [profile[key] | some profile in profiles; is_number(profile[key])]
	count(found) > 0
} else := fallback
