# METADATA
# title: Contents
# description: |
#   Whether Gavel knows the content of all code that a command names (R41), and the files that
#   its patterns fit. Otherwise an answer covers one execution only. The files that a command names are facts, read as
#   gavel/catalog/programs says.
# schemas:
#   - input: schema.facts
package gavel.exec.bound

# METADATA
# scope: document
# description: |
#   code that runs and cannot be identified, and patterns of unknown files, {"what", "why"};
#   empty when all of it is bound
unbound contains {"what": "the command", "why": "opaque"} if not input.exec.parsed == true

unbound contains {"what": "the command", "why": "opaque"} if not _segments_known

unbound contains {"what": _name(segment), "why": "missing"} if {
	some segment in input.exec.segments
	not segment.executable.found == true
	not _builtin(segment)
}

unbound contains item if some item in unidentified_code

unbound contains {"what": _name(segment), "why": "unseen"} if {
	some segment in input.exec.segments
	not is_array(segment.fits)
}

unbound contains {"what": found.pattern, "why": "unseen"} if {
	some segment in input.exec.segments
	some found in segment.fits
	not found.known == true
}

# METADATA
# scope: document
# description: code of existing programs that cannot be identified
unidentified_code contains {"what": _name(segment), "why": "opaque"} if {
	some segment in input.exec.segments
	not is_array(segment.unbound)
}

unidentified_code contains {"what": _name(segment), "why": "opaque"} if {
	some segment in input.exec.segments
	not is_array(segment.scripts)
}

unidentified_code contains {"what": found.what, "why": found.why} if {
	some segment in input.exec.segments
	some found in segment.unbound
}

unidentified_code contains {"what": code_file(segment, script), "why": "missing"} if {
	some segment in input.exec.segments
	some script in segment.scripts
	not _content_known(script)
}

# METADATA
# description: the path of a code file; the word that names it if it was not found
code_file(segment, script) := script.path if {
	script.path != ""
} else := words[0] if {
	words := [hazard.argument | some hazard in segment.hazards; hazard.option == "SCRIPT"]
} else := _name(segment)

_content_known(script) if {
	script.found == true
	regex.match(`^[0-9a-f]+$`, script.sha256)
}

_segments_known if is_array(input.exec.segments)

_builtin(segment) if data.gavel.catalog.programs.builtins[segment.builtin]

_name(segment) := segment.argv[0]

# METADATA
# description: the same as sentences, sorted
sentences := [sentence(found) | some found in sort(unbound)]

# METADATA
# description: one finding as a sentence
sentence(found) := sprintf("%s %s", [found.what, _meaning(found.why)])

_meaning(why) := data.gavel.catalog.exec.unbound[why]

_meaning(why) := "is unknown" if not data.gavel.catalog.exec.unbound[why]
