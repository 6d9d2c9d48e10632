# METADATA
# title: Obligations of web tools
# description: |
#   What an enforcement point must keep to when it opens a URL (WEB-5). A name may resolve to
#   another address later, and a page may redirect: with these limits, both stay inside the
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

# An address in the URL is the only one. What localhost means is known.
_dial := [{"network": network, "allow": true} | some network in _only] if {
	count(_only) > 0
} else := array.concat(_lists.refused, array.concat([{"network": network, "allow": true} | some network in _local], _lists.dial))

_only contains weblists.single(url.address) if {
	count({url | some url in input.urls; url.address == ""}) == 0
	some url in input.urls
}

_local := {network |
	some url in input.urls
	some network in data.gavel.catalog.web.addresses_of[url.host]
}
