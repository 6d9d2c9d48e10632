# METADATA
# title: Elevated level
# description: |
#   Which elevated level applies to a call of a sandboxed agent: that of the message, or else of
#   the session, or else the default (ELEVATED-1, R31). Only a level that is in force changes how
#   a command runs.
# schemas:
#   - input: schema.facts
package gavel.elevated.level

import data.gavel.elevated.senders
import data.gavel.frozen

# METADATA
# scope: document
# description: the level in force; off unless an authorised sender of a sandboxed agent has another one
default active := "off"

active := wanted if {
	frozen.result.exec.sandboxed == true
	frozen.result.sandbox.disputed == false
	input.exec.request.declined == false
	authorised
	wanted in {"on", "ask", "full"}
}

# METADATA
# scope: document
# description: the level that the message, the session or the default names; undefined for an unknown word
wanted := data.gavel.catalog.elevated.levels[stated] if {
	stated != ""
} else := frozen.result.elevated["default"] if {
	_default_counts
} else := "ask" if {
	stated == ""
	input.exec.request.elevated == true
} else := "off" if {
	stated == ""
}

_default_counts if {
	stated == ""
	frozen.result.elevated["default"] in {"off", "on", "ask", "full"}
}

# METADATA
# description: |
#   the level that the message states, or else the session; "" if neither does. The session has
#   two levels, one stated by the gateway and one set by a directive; the one that permits less
#   counts. The level set by a directive counts for authorised senders only.
stated := input.session.inline if {
	input.session.inline != ""
} else := input.session.elevated if {
	input.session.inline == ""
	_stored == ""
} else := _stored if {
	input.session.inline == ""
	input.session.elevated == ""
} else := input.session.elevated if {
	input.session.inline == ""
	_rank(input.session.elevated) <= _rank(_stored)
} else := _stored if {
	input.session.inline == ""
	input.session.elevated != ""
}

default _stored := ""

_stored := input.sessionValues.own.elevated if authorised

# A word that is not a level is refused.
_rank(word) := {"off": 1, "ask": 2, "on": 3, "full": 4}[data.gavel.catalog.elevated.levels[word]]

_rank(word) := 0 if not data.gavel.catalog.elevated.levels[word]

# METADATA
# description: every list of senders names the sender, and nothing turns elevated mode off
authorised if {
	frozen.result.elevated.off == []
	frozen.result.elevated.global == true
	input.sender.channel != ""
	every list in frozen.result.elevated.lists { senders.names_sender(list) }
}
