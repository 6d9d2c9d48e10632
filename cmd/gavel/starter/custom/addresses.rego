# METADATA
# title: Addresses of other machines
# description: |
#   To fetch a URL is to send it: a URL can carry anything that the agent has read.
package custom.addresses

# What agents may fetch: beginnings of URLs.
open := {
	"http://localhost:",
	"http://127.0.0.1:",
}

{{.Ask}} contains reason if {
	input.tool.name == "web_fetch"
	not _open
	reason := {
		"code": "custom.address",
		"message": "a request to this URL leaves this machine",
		"fix": "{{if .Asks}}have a person agree, or {{end}}list the address in custom/addresses.rego",
	}
}

_open if {
	some beginning in open
	startswith(input.tool.params.url, beginning)
}
