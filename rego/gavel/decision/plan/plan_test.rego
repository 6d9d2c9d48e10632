package gavel.decision.plan_test

import data.gavel.decision
import data.gavel.testing

test_plan[name] if {
	some name, c in {
		"on the gateway, by the list": {
			"facts": _rg,
			"config": _mode("allowlist", "off"),
			"want": {"host": "gateway", "node": "", "by": "allowlist", "safe": set(), "skills": set()},
		},
		"in full mode": {
			"facts": _rg,
			"config": _mode("full", "off"),
			"want": {"host": "gateway", "node": "", "by": "full", "safe": set(), "skills": set()},
		},
		"on a node": {
			"facts": _rg,
			"config": _exec({"host": "node", "node": "mac-1", "ask": "off"}),
			"want": {"host": "node", "node": "mac-1", "by": "allowlist", "safe": set(), "skills": set()},
		},
		"a node is ignored on other hosts": {
			"facts": testing.execution({"request": {"node": "mac-1"}}),
			"config": _mode("allowlist", "off"),
			"want": {"host": "gateway", "node": "", "by": "allowlist", "safe": set(), "skills": set(), "ignored": ["node"]},
		},
		"asked about": {
			"facts": _vi,
			"config": _mode("allowlist", "on-miss"),
			"want": {"host": "gateway", "node": "", "by": "allowlist", "safe": set(), "skills": set(), "offer": {
				"exact": false,
				"patterns": [{"pattern": "/usr/bin/vi", "args": [], "only": {
					"form": "words",
					"argv": ["TODO"],
					"cwd": "/srv/app",
					"options": [],
					"sha256": "",
					"subCommand": "",
					"targets": [],
					"words": [],
				}}],
				"templates": [{
					"pattern": "/usr/bin/vi",
					"argv": ["TODO"],
					"flags": [],
					"args": [],
					"admits": "/usr/bin/vi TODO, in /srv/app",
				}],
				"refused": set(),
			}},
		},
		"a safe bin": {
			"facts": testing.execution({"segments": [testing.segment("/usr/bin/rg"), testing.filter("wc", ["-l"])]}),
			"config": _mode("allowlist", "off"),
			"want": {"host": "gateway", "node": "", "by": "allowlist", "safe": {1}, "skills": set()},
		},
		"denied": {"facts": _vi, "config": _mode("allowlist", "off"), "want": {}},
		"another tool": {"facts": testing.facts, "config": testing.config, "want": {}},
	}
	_result(c.facts, c.config).exec == c.want
}

_result(facts, settings) := result if {
	result := decision.result with input as facts with data.config as settings
}

_exec(changes) := {
	"agents": {"defaults": {}},
	"tools": {"exec": object.union({"host": "gateway", "allowlist": ["/usr/bin/rg"]}, changes)},
}

_mode(security, ask) := _exec({"security": security, "ask": ask})

_vi := testing.programs(["/usr/bin/vi"])

_rg := testing.exec_facts

_boxed := testing.command({"agent": {"sandboxed": true}})
