# METADATA
# title: Reasons
# description: |
#   A rule has its code, message and fix in its METADATA. This package makes a reason from
#   them, so that no rule formats text itself.
#
#   For a snapshot, a reason is only code, arguments and source. The snapshot knows the texts
#   and fills them in itself, which is much faster. Stock OPA gets the whole text.
package gavel.reason

# METADATA
# description: |
#   the reason that a rule's METADATA describes. args fill in the message; source is {"path":
#   configuration path, "from": agent | global | default}, or {}.
from(meta, args, source) := {"code": meta.custom.code, "args": args, "source": source} if {
	input.frozen
} else := _worded(meta, args, [], source)

# METADATA
# description: the same, for a rule whose fix has arguments of its own
fixed(meta, args, fix_args, source) := {
	"code": meta.custom.code,
	"args": args,
	"fix_args": fix_args,
	"source": source,
} if {
	input.frozen
} else := _worded(meta, args, fix_args, source)

# METADATA
# description: the reason, with the position of the part of the command that it is about, in bytes
placed(reason, part) := object.union(reason, {"span": {"start": part.start, "end": part.end}}) if {
	is_number(part.start)
	is_number(part.end)
} else := reason

_worded(meta, args, fix_args, source) := {
	"layer": split(meta.custom.code, ".")[0],
	"code": meta.custom.code,
	"message": sprintf(meta.custom.message, args),
	"fix": sprintf(meta.custom.fix, fix_args),
	"source": source,
}
