# METADATA
# title: Packages of custom rules
# description: The packages of the policy's own Rego that have rules deny or ask; part of the frozen part.
package gavel.custom.packages

# METADATA
# description: |
#   the packages with such rules, each as the path elements after custom. A snapshot knows them;
#   in stock OPA, these rules search for them.
found := input.snapshot.custom if {
	input.snapshot
} else := (_at_top | _one_down) | (_two_down | _three_down)

_at_top := {[] | data.custom.deny} | {[] | data.custom.ask}

_one_down := {[a] | data.custom[a].deny} | {[a] | data.custom[a].ask}

_two_down := {[a, b] | data.custom[a][b].deny} | {[a, b] | data.custom[a][b].ask}

_three_down := {[a, b, c] | data.custom[a][b][c].deny} | {[a, b, c] | data.custom[a][b][c].ask}
