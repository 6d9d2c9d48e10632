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
loose contains {"what": "the command", "why": "opaque"} if not input.exec.parsed == true

loose contains {"what": "the command", "why": "opaque"} if not _split

loose contains {"what": _name(segment), "why": "missing"} if {
	some segment in input.exec.segments
	not segment.executable.found == true
	not _builtin(segment)
}

loose contains one if some one in unnamed

loose contains {"what": _name(segment), "why": "unseen"} if {
	some segment in input.exec.segments
	not is_array(segment.fits)
}

loose contains {"what": found.pattern, "why": "unseen"} if {
	some segment in input.exec.segments
	some found in segment.fits
	not found.known == true
}

# METADATA
# scope: document
# description: code of existing programs that cannot be identified
unnamed contains {"what": _name(segment), "why": "opaque"} if {
	some segment in input.exec.segments
	not is_array(segment.unbound)
}

unnamed contains {"what": _name(segment), "why": "opaque"} if {
	some segment in input.exec.segments
	not is_array(segment.scripts)
}

unnamed contains {"what": found.what, "why": found.why} if {
	some segment in input.exec.segments
	some found in segment.unbound
}

unnamed contains {"what": script.path, "why": "missing"} if {
	some segment in input.exec.segments
	some script in segment.scripts
	not _held(script)
}

_held(script) if {
	script.found == true
	regex.match(`^[0-9a-f]+$`, script.sha256)
}

_split if is_array(input.exec.segments)

_builtin(segment) if data.gavel.catalog.programs.builtins[segment.builtin]

_name(segment) := segment.argv[0]

# METADATA
# description: the same as sentences, sorted
sentences := [sentence(found) | some found in sort(loose)]

# METADATA
# description: one finding as a sentence
sentence(found) := sprintf("%s %s", [found.what, _meaning(found.why)])

_meaning(why) := data.gavel.catalog.exec.unbound[why]

_meaning(why) := "is unknown" if not data.gavel.catalog.exec.unbound[why]
