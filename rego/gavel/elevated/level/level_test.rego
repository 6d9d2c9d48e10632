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

test_words_for_levels[word] if {
	some word, want in {
		"false": "off", "no": "off", "0": "off", "true": "on", "yes": "on", "1": "on",
		"prompt": "ask", "approval": "ask", "approve": "ask", "auto": "full", "auto-approve": "full", "autoapprove": "full",
	}
	_active({"session": {"elevated": word}}, _config) == want
}
