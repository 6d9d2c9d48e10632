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
	}
	_active(c.changes, object.union(_config, _defaults(c))) == c.want
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

test_it_is_for_authorised_senders_only if {
	stored := {"sessionValues": {"state": "read", "own": {"elevated": "full"}}, "sender": {"id": "9"}}
	_active(stored, _config) == "off"
	found := level.said with input as object.union(testing.command({"agent": {"sandboxed": true}}), stored) with data.config as _config
	found == ""
}

test_words_for_levels[word] if {
	some word, want in {
		"false": "off", "no": "off", "0": "off", "true": "on", "yes": "on", "1": "on",
		"prompt": "ask", "approval": "ask", "approve": "ask", "auto": "full", "auto-approve": "full", "autoapprove": "full",
	}
	_active({"session": {"elevated": word}}, _config) == want
}
