# METADATA
# title: Catalog
# description: Sets over the tables of data.yaml, for rules that ask "is this name known?".
package gavel.catalog

# METADATA
# description: every tool that Gavel itself knows
core_tools := object.keys(data.gavel.catalog.tools) | {name | some name in data.gavel.catalog.ungrouped}

# METADATA
# description: tools that only the owner may use
for_owners := {name | some name in data.gavel.catalog.owner_only}
