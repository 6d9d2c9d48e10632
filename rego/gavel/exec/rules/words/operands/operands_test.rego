package gavel.exec.rules.words.operands_test

import data.gavel.exec.rules.words.operands
import data.gavel.testing

_push(texts) := object.union(testing.segment("/usr/bin/git"), {
	"argv": array.concat(["git", "push"], texts),
	"commands": ["push"],
	"commandsKnown": "exact",
	"optionsKnown": "exact",
	"options": [],
	"operands": [operand |
		some i, text in texts
		operand := {"text": text, "path": sprintf("/srv/app/%s", [text]), "dynamic": false, "index": i + 2}
	],
})

_rule := {"operands": ["origin", "feature/*"]}

test_every_operand_is_named if {
	operands.these(_rule, _push(["origin", "feature/x"])) with input as testing.exec_facts
	not operands.these(_rule, _push(["origin", "main"])) with input as testing.exec_facts
}

test_one_operand_may_be_named if {
	not operands.other(_rule, _push(["origin", "main"])) with input as testing.exec_facts
	operands.other(_rule, _push(["upstream", "main"])) with input as testing.exec_facts
}

test_a_rule_that_names_no_operands if {
	operands.these({}, _push(["origin"])) with input as testing.exec_facts
	not operands.other({}, _push(["origin"])) with input as testing.exec_facts
}
