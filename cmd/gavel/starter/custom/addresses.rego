# METADATA
# title: Addresses of other machines
# description: |
#   What an agent fetches, it also sends: an address can carry anything that it has read.
package custom.addresses

# Where agents may fetch from, by the beginning of the address.
open := {
	"http://localhost:",
	"http://127.0.0.1:",
}

{{.Ask}} contains reason if {
	input.tool.name == "web_fetch"
	not _open
	reason := {
		"code": "custom.address",
		"message": "a fetched address leaves this machine",
		"fix": "{{if .Asks}}ask a person, or {{end}}list the address in custom/addresses.rego",
	}
}

_open if {
	some beginning in open
	startswith(input.tool.params.url, beginning)
}
