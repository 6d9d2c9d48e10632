package gavel.exec.writable_test

import data.gavel.exec.writable
import data.gavel.testing

_facts := testing.command({"environment": {"workspace": "/srv/app", "home": "/home/u"}})

test_places[name] if {
	some name, c in {
		"the workspace": {"tools": {"write": {"allow": ["./**"]}}, "under": ["/srv/app"], "inexact": []},
		"a directory of it, and a file": {"tools": {"write": {"allow": ["./src/**", "~/notes.txt"]}}, "under": ["/home/u/notes.txt", "/srv/app/src"], "inexact": []},
		"everything": {"tools": {"write": {"allow": ["**"]}}, "under": ["/"], "inexact": []},
		"everything, with a root": {"tools": {"write": {"allow": ["/**"]}}, "under": ["/"], "inexact": []},
		"a pattern of names is left out": {"tools": {"write": {"allow": ["./src/**", "/tmp/*.txt"]}}, "under": ["/srv/app/src"], "inexact": ["/tmp/*.txt"]},
		"a deny inside is not held": {
			"tools": {"write": {"allow": ["./**"], "deny": ["./.git/**", "./**/*.key"]}},
			"under": ["/srv/app"], "inexact": ["./**/*.key", "./.git/**"],
		},
		"a deny outside needs nothing": {"tools": {"write": {"allow": ["./**"], "deny": ["/etc/**"]}}, "under": ["/srv/app"], "inexact": []},
		"a deny of the directory takes it away": {"tools": {"write": {"allow": ["./**", "/tmp/**"], "deny": ["/srv/**"]}}, "under": ["/tmp"], "inexact": []},
		"a deny of everything leaves nothing": {"tools": {"write": {"allow": ["./**"], "deny": ["**"]}}, "under": [], "inexact": []},
		"a neighbour with a longer name is not part of it": {"tools": {"write": {"allow": ["/srv/app/**"], "deny": ["/srv/ap/**"]}}, "under": ["/srv/app"], "inexact": []},
		"only the workspace": {"tools": {"fs": {"workspaceOnly": true}}, "under": ["/srv/app"], "inexact": []},
		"two lists permit what both do": {
			"tools": {"write": {"allow": ["/srv/**", "/tmp/**"]}, "fs": {"workspaceOnly": true}},
			"under": ["/srv/app"], "inexact": [],
		},
		"two lists that share nothing": {"tools": {"write": {"allow": ["/tmp/**"]}, "fs": {"workspaceOnly": true}}, "under": [], "inexact": []},
	}
	writable.result == {"under": c.under, "inexact": c.inexact} with input as _facts with data.config as {"tools": c.tools}
}

test_without_a_list_nothing_is_limited[name] if {
	some name, tools in {"nothing": {}, "a deny list only": {"write": {"deny": ["/etc/**"]}}, "what may be read": {"read": {"allow": ["./**"]}}}
	not writable.result with input as _facts with data.config as {"tools": tools}
}

test_an_unknown_workspace_permits_nothing if {
	writable.result == {"under": [], "inexact": ["./**"]} with input as testing.command({"environment": {"workspace": ""}})
		with data.config as {"tools": {"write": {"allow": ["./**"]}}}
}
