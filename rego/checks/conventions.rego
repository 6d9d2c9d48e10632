# METADATA
# title: Conventions
# description: |
#   Conventions for the policy. The input is the output of `opa inspect -a -f json rego`. Each
#   violation says where it is and what to do.
package checks.conventions

# METADATA
# scope: document
# description: every violation of a convention
violation contains sprintf("%s: the rule %s gives a reason without custom.%s: add it to its METADATA", [_place(note), _name(note), key]) if {
	some note in _rules
	_gives_reason(note)
	some key in ["code", "message", "fix"]
	not _has_word(note, key)
}

violation contains sprintf(
	"%s: the %s of the reason %s is made by the rule alone: add custom.%s, which describes it for the documentation",
	[_place(note), key, _name(note), description],
) if {
	some note in _coded
	some key, description in {"message": "says", "fix": "advises"}
	note.annotations.custom[key] == "%s"
	not _text(object.get(note.annotations.custom, description, ""))
}

violation contains sprintf("%s: the code %q is not of the form layer.rule in lower case: rename it", [_place(note), note.annotations.custom.code]) if {
	some note in _coded
	not regex.match(`^[a-z]+\.[a-z_]+$`, note.annotations.custom.code)
}

violation contains sprintf("%s: the code %q is at %s as well: a code belongs to one rule", [_place(note), code, _place(other)]) if {
	some note in _coded
	code := note.annotations.custom.code
	some other in _coded
	other.annotations.custom.code == code
	_before(other, note)
}

violation contains sprintf("%s: the reason %s has no title: add one, because the documentation lists reasons by title", [_place(note), _name(note)]) if {
	some note in _coded
	not _text(object.get(note.annotations, "title", ""))
}

violation contains sprintf("package %s has no %s: add it to the METADATA above the package", [package_name, key]) if {
	some package_name in _documented_packages
	some key in ["title", "description"]
	not _package_has(package_name, key)
}

violation contains sprintf("%s: the rule %s has no description: say what it means in its METADATA", [_place(note), _name(note)]) if {
	some note in _rules
	not _private(note)
	not _text(object.get(note.annotations, "description", ""))
}

violation contains sprintf("%s has no %s beside it: add a test", [file, _test_of(file)]) if {
	some file in _files
	not endswith(file, "_test.rego")
	not _test_of(file) in _files
}

# An empty input violates nothing, and must not count as a success.
violation contains "the input names no rules: pipe opa inspect -a -f json rego into the check" if count(_coded) == 0

# Names of rules that give reasons. A rule that only passes on the reasons of other rules has
# a description and no title; a title marks a reason of its own.
_reason_names := {"deny", "ask", "miss", "because", "reasons", "silent"}

_gives_reason(note) if {
	_name(note) in _reason_names
	_text(object.get(note.annotations, "title", ""))
}

_gives_reason(note) if is_object(note.annotations.custom)

_rules contains note if {
	some note in input.annotations
	note.annotations.scope == "rule"
	not _is_test(note)
}

_rules contains note if {
	some note in input.annotations
	note.annotations.scope == "document"
	not _is_test(note)
}

_is_test(note) if endswith(note.location.file, "_test.rego")

_coded contains note if {
	some note in _rules
	_has_word(note, "code")
}

# A fix may be empty where there is nothing to fix, as in the reasons for an allow.
_has_word(note, "code") if _text(note.annotations.custom.code)

_has_word(note, "message") if _text(note.annotations.custom.message)

_has_word(note, "fix") if {
	is_string(note.annotations.custom.fix)
	_name(note) == "because"
}

_has_word(note, "fix") if _text(note.annotations.custom.fix)

_text(value) if {
	is_string(value)
	trim_space(value) != ""
}

_name(note) := note.path[count(note.path) - 1].value

_private(note) if startswith(_name(note), "_")

_place(note) := sprintf("%s:%d", [note.location.file, note.location.row])

_before(a, b) if a.location.file < b.location.file

_before(a, b) if {
	a.location.file == b.location.file
	a.location.row < b.location.row
}

# Every package with a file that is not a test, such as data.gavel.tools.
_documented_packages contains name if {
	some name, files in input.namespaces
	some file in files
	_policy(file)
}

_policy(file) if {
	endswith(file, ".rego")
	not endswith(file, "_test.rego")
}

_package_has(name, key) if {
	some note in input.annotations
	note.annotations.scope == "package"
	concat(".", [step.value | some step in note.path]) == name
	_text(note.annotations[key])
}

_files contains file if {
	some files in input.namespaces
	some file in files
	endswith(file, ".rego")
}

_test_of(file) := sprintf("%s_test.rego", [trim_suffix(file, ".rego")])
