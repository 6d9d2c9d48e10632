# METADATA
# title: Obligations of web tools
# description: |
#   The limits that an enforcement point must keep when it opens a URL (WEB-5). A name may resolve
#   to another address later, and a page may redirect: with these limits, neither gets around the
#   decision.
# schemas:
#   - input: schema.facts
package gavel.resources.fetching

import data.gavel.frozen
import data.gavel.resources.weblists

# METADATA
# scope: document
# description: |
#   dial: the networks that the tool may connect to, where the first that contains an address
#   counts, and an address in none of them is refused; redirects: none, or decide for a new
#   call for each target; maxResponseBytes: the largest response. {} for every other tool.
default result := {}

result := {
	"dial": _dial,
	"redirects": _redirects[_lists.followRedirects],
	"maxResponseBytes": _lists.maxResponseBytes,
} if {
	_lists
}

_lists := frozen.result.web[input.tool.name]

_redirects := {true: "decide", false: "none"}

# If every URL has an address instead of a name, only these addresses may be dialled. Local names
# such as localhost stand for known addresses.
_dial := [{"network": network, "allow": true} | some network in _single_addresses] if {
	count(_single_addresses) > 0
} else := array.concat(_lists.refused, array.concat([{"network": network, "allow": true} | some network in _local_networks], _lists.dial))

_single_addresses contains weblists.single(url.address) if {
	count({url | some url in input.urls; url.address == ""}) == 0
	some url in input.urls
}

_local_networks := {network |
	some url in input.urls
	some network in data.gavel.catalog.web.addresses_of[url.host]
}
