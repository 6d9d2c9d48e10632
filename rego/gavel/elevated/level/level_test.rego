package gavel.elevated.level_test

import data.gavel.elevated.level
import data.gavel.testing

_config := object.union(testing.config, {"tools": {"elevated": {"allowFrom": ["discord:123"]}}})

_active(changes, config) := found if {
	facts := object.union(testing.command({"agent": {"sandboxed": true}}), changes)
	found := level.active with input as facts with data.config as config
}

# ELEVATED-1: the message counts before the session, and the session before the default.
test_which_level_holds[name] if {
	some name, c in {
		"nobody says anything": {"changes": {}, "want": "off"},
		"the session": {"changes": {"session": {"elevated": "on"}}, "want": "on"},
		"the message before the session": {"changes": {"session": {"elevated": "full", "inline": "ask"}}, "want": "ask"},
		"off of the message": {"changes": {"session": {"elevated": "full", "inline": "off"}}, "want": "off"},
		"the default": {"changes": {}, "default": "ask", "want": "ask"},
		"the session before the default": {"changes": {"session": {"elevated": "off"}}, "default": "full", "want": "off"},
		"the call alone": {"changes": {"exec": {"request": {"elevated": true}}}, "want": "ask"},
		"the call, where the level is full": {"changes": {"session": {"elevated": "full"}, "exec": {"request": {"elevated": true}}}, "want": "full"},
		"the call, where the level is off": {"changes": {"session": {"elevated": "off"}, "exec": {"request": {"elevated": true}}}, "want": "off"},
		"a call that declines": {"changes": {"session": {"elevated": "full"}, "exec": {"request": {"declined": true}}}, "want": "off"},
		"outside a sandbox": {"changes": {"agent": {"sandboxed": false}, "session": {"elevated": "full"}}, "want": "off"},
		"an unknown word": {"changes": {"session": {"elevated": "maximum"}}, "want": "off"},
		"an unknown word, which is not a default": {"changes": {"session": {"elevated": "maximum"}}, "default": "full", "want": "off"},
		"an unknown word, which is not the call's": {"changes": {"session": {"elevated": "maximum"}, "exec": {"request": {"elevated": true}}}, "want": "off"},
		"an unknown default": {"changes": {}, "default": "maximum", "want": "off"},
		"on by default": {"changes": {}, "default": "on", "want": "on"},
		"full by default": {"changes": {}, "default": "full", "want": "full"},
		"off by default, before the call": {"changes": {"exec": {"request": {"elevated": true}}}, "default": "off", "want": "off"},
		"somebody else": {"changes": {"session": {"elevated": "full"}, "sender": {"id": "9"}}, "want": "off"},
		"a sandbox that the call claims and the configuration does not know": {"changes": {"session": {"elevated": "full"}}, "sandboxing": {"mode": "off"}, "want": "off"},
	}
	_active(c.changes, object.union_n([_config, _defaults(c), {"sandboxing": object.get(c, "sandboxing", {})}])) == c.want
}

test_without_a_request_the_level_is_off if {
	wanted := level.wanted with input as testing.command({}) with data.config as _config
	wanted == "off"
}

test_an_unknown_word_is_not_a_level if {
	not level.wanted with input as testing.command({"session": {"elevated": "maximum"}}) with data.config as _config
}

_defaults(c) := {"agents": {"defaults": {"elevatedDefault": c["default"]}}} if {
	c["default"]
} else := {}

# R13, R31.
test_what_a_directive_has_set_for_the_session[name] if {
	some name, c in {
		"it counts": {"stored": "full", "stated": "", "inline": "", "want": "full"},
		"the message before it": {"stored": "full", "stated": "", "inline": "on", "want": "on"},
		"off of the message": {"stored": "full", "stated": "", "inline": "off", "want": "off"},
		"the gateway states less": {"stored": "full", "stated": "ask", "inline": "", "want": "ask"},
		"the gateway states more": {"stored": "ask", "stated": "full", "inline": "", "want": "ask"},
		"off is binding": {"stored": "off", "stated": "full", "inline": "", "want": "off"},
		"off of the gateway is binding": {"stored": "full", "stated": "off", "inline": "", "want": "off"},
		"a word that is not a level": {"stored": "full", "stated": "maximum", "inline": "", "want": "off"},
	}
	session := {"elevated": c.stated, "inline": c.inline}
	_active({"session": session, "sessionValues": {"state": "read", "own": {"elevated": c.stored}}}, _config) == c.want
}

test_a_level_set_by_a_directive_counts_for_authorised_senders_only if {
	stored := {"sessionValues": {"state": "read", "own": {"elevated": "full"}}, "sender": {"id": "9"}}
	_active(stored, _config) == "off"
	found := level.stated with input as object.union(testing.command({"agent": {"sandboxed": true}}), stored) with data.config as _config
	found == ""
}

test_words_for_levels[word] if {
	some word, want in {
		"false": "off", "no": "off", "0": "off", "true": "on", "yes": "on", "1": "on",
		"prompt": "ask", "approval": "ask", "approve": "ask", "auto": "full", "auto-approve": "full", "autoapprove": "full",
	}
	_active({"session": {"elevated": word}}, _config) == want
}

_said(stated, stored) := found if {
	facts := object.union(testing.command({"session": {"elevated": stated}}), {"sessionValues": {"state": "read", "own": {"elevated": stored}}})
	found := level.stated with input as facts with data.config as _config
}

# R13.
test_the_smaller_of_two_levels_counts[pair] if {
	levels := ["off", "ask", "on", "full"]
	some i, smaller in levels
	some larger in array.slice(levels, i + 1, 4)
	pair := sprintf("%s and %s", [smaller, larger])
	_said(smaller, larger) == smaller
	_said(larger, smaller) == smaller
}

test_of_two_spellings_of_a_level_the_gateways_is_used if {
	_said("yes", "on") == "yes"
}

test_a_missing_fact_sets_no_level[name] if {
	some name, c in {
		"the message, beside nothing": {"stated": "", "stored": "", "path": "session/inline"},
		"the message, beside what was set": {"stated": "", "stored": "full", "path": "session/inline"},
		"the message, beside less than was set": {"stated": "on", "stored": "full", "path": "session/inline"},
		"the message, beside more than was set": {"stated": "full", "stored": "on", "path": "session/inline"},
		"the session, beside what was set": {"stated": "", "stored": "full", "path": "session/elevated"},
	}
	facts := object.union(testing.command({"session": {"elevated": c.stated}}), {"sessionValues": {"state": "read", "own": {"elevated": c.stored}}})
	not level.stated with input as json.remove(facts, [c.path]) with data.config as _config
}

# ELEVATED-2.
test_who_is_authorised[name] if {
	some name, c in {
		"a sender on the list": {"global": {"allowFrom": ["id:123"]}, "want": true},
		"a sender on both lists": {"global": {"allowFrom": ["id:123"]}, "own": {"allowFrom": ["id:123"]}, "want": true},
		"a sender on the agent's list alone": {"global": {}, "own": {"allowFrom": ["id:123"]}, "want": false},
		"a sender on the global list alone, where the agent has one": {"global": {"allowFrom": ["id:123"]}, "own": {"allowFrom": ["id:9"]}, "want": false},
		"a sender on the list, where it is off": {"global": {"enabled": false, "allowFrom": ["id:123"]}, "want": false},
		"a sender on no channel": {"global": {"allowFrom": ["id:123"]}, "channel": "", "want": false},
	}
	facts := object.union(testing.command({}), {"sender": {"id": "123", "channel": object.get(c, "channel", "discord")}})
	settings := object.union(testing.config, {
		"tools": {"elevated": c.global},
		"agents": {"main": {"tools": {"elevated": object.get(c, "own", {})}}},
	})
	_authorised(facts, settings) == c.want
}

_authorised(facts, settings) if {
	level.authorised with input as facts with data.config as settings
} else := false
