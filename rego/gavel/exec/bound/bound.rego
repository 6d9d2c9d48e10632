# METADATA
# title: Contents
# description: |
#   Whether all the code that a command names is known by its content (R41). Where it is
#   not, an answer holds for one execution. Which files a command names is a fact, from
#   gavel/catalog/programs.
# schemas:
#   - input: schema.facts
package gavel.exec.bound

# METADATA
# scope: document
# description: what runs and cannot be named, {"what", "why"}; empty when all of it is bound
loose contains {"what": "the command", "why": "opaque"} if not input.exec.parsed == true

loose contains {"what": "the command", "why": "opaque"} if not is_array(input.exec.segments)

loose contains {"what": _name(segment), "why": "missing"} if {
	some segment in input.exec.segments
	not segment.executable.found == true
	not _builtin(segment)
}

loose contains one if some one in unnamed

# METADATA
# scope: document
# description: code of programs that are there, and that cannot be named
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

_builtin(segment) if data.gavel.catalog.programs.builtins[segment.builtin]

_name(segment) := segment.argv[0]

# METADATA
# description: the same as sentences, in order
sentences := [sentence(found) | some found in sort(loose)]

# METADATA
# description: one of them as a sentence
sentence(found) := sprintf("%s %s", [found.what, _meaning(found.why)])

_meaning(why) := data.gavel.catalog.exec.unbound[why]

_meaning(why) := "is not known" if not data.gavel.catalog.exec.unbound[why]
