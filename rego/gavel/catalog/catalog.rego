# METADATA
# title: Catalog
# description: |
#   The names under which a configured program may be listed. gavel.catalog.edition has the
#   tables of tools.
package gavel.catalog

# METADATA
# description: |
#   the names under which a program may have an entry, including its own: in lower case, and
#   without the suffix of a Windows program, the target of a cross tool, the version, the
#   build, and the g prefix of a GNU program. For a program of a call, the fact
#   executable.programs has these names; this function is for names in the configuration. A
#   test compares it with the analyzer.
called(name) := _with_shorter(_with_shorter(_with_shorter(_with_shorter(_with_shorter({lower(name)})))))

_with_shorter(names) := names | {shorter |
	some name in names
	some shorter in _without(name)
	shorter != ""
}

_without(name) := (((_without_ending(name) | _without_target(name)) | _without_version(name)) | _without_variant(name)) | _without_g(name)

_without_ending(name) := {regex.replace(name, `\.(exe|com|cmd|bat|ps1)$`, "")}

_target(name) if {
	parts := split(name, "-")
	count(parts) > 1
	some target in data.gavel.catalog.programs.fold.targets
	startswith(parts[0], target)
}

_without_target(name) := {regex.replace(name, `^.*-([^0-9].*)$`, "$1")} if {
	_target(name)
} else := set()

# python for python3.12 and python3.13t.
_without_version(name) := {trim_right(_released(name), "0123456789.-_")}

_released(name) := plain if {
	plain := trim_right(name, "dmtu")
	regex.match(`(^|[0-9])$`, plain)
} else := name

_without_variant(name) := {substring(name, 0, max(ends)) |
	ends := {i |
		some i in numbers.range(1, max({1, count(name) - 1}))
		substring(name, i, 1) in {"-", "."}
		_variant(substring(name, i + 1, -1))
	}
	count(ends) > 0
}

_variant(text) if text in data.gavel.catalog.programs.fold.variants

_variant(text) if _target(sprintf("%s-", [text]))

_without_g(name) := {rest |
	startswith(name, "g")
	rest := substring(name, 1, -1)
	data.gavel.catalog.programs.fold.gnu[rest]
}
