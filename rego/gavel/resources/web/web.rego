# METADATA
# title: Hosts
# description: |
#   Layer 1 for web tools: which URL web_fetch and browser may open (WEB-1 to WEB-4). Deny
#   wins. If an allow list is set, it must name the host; that goes for the agent's list and
#   for the global list. Hosts that are not public are closed until a list names them.
# schemas:
#   - input: schema.facts
package gavel.resources.web

import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Web tool is off
# description: the configuration turns the tool off
# custom:
#   code: resources.web_off
#   message: '%s is turned off'
#   fix: 'set %s to true'
deny contains reason.fixed(rego.metadata.rule(), [input.tool.name], [path], {"path": path}) if {
	some path in _lists.off
}

# METADATA
# title: Web tool names no URL
# description: the call has parameters, or lists are set, and no parameter says what the tool opens
# custom:
#   code: resources.web_missing
#   message: '%s names no URL'
#   fix: pass url
deny contains reason.from(rego.metadata.rule(), [input.tool.name], {}) if {
	_url_required
	count(input.urls) == 0
	not _opens_nothing
}

# METADATA
# title: URL is ambiguous
# description: parsers of URLs may read the text differently, or it is not a URL
# custom:
#   code: resources.web_odd
#   message: 'the URL for %s has %s'
#   fix: 'write the URL plainly: https://, the host, and a path without spaces'
deny contains reason.from(rego.metadata.rule(), [input.tool.name, url.odd], {}) if {
	some url in input.urls
	url.odd != ""
}

# METADATA
# title: URL has another scheme
# description: web tools open http and https only
# custom:
#   code: resources.web_scheme
#   message: '%s opens web pages only, and the URL starts with %s:'
#   fix: 'use an address that starts with https://'
deny contains reason.from(rego.metadata.rule(), [input.tool.name, url.scheme], {}) if {
	some url in input.urls
	url.scheme != ""
	not url.scheme in data.gavel.catalog.web.schemes
}

# METADATA
# title: URL has a user name
# description: |
#   a user name or password before the host: it would be sent there, and it makes another
#   host look like the one that is opened
# custom:
#   code: resources.web_userinfo
#   message: 'the URL for %s has a user name or password before the host %s'
#   fix: remove everything up to the @
deny contains reason.from(rego.metadata.rule(), [input.tool.name, url.host], {}) if {
	some url in input.urls
	url.userinfo == true
}

# METADATA
# title: Host is denied
# description: a deny list names the host
# custom:
#   code: resources.web_denied
#   message: '%s is on a deny list'
#   fix: 'use another host, or change %s'
deny contains reason.fixed(rego.metadata.rule(), [url.host], [list.path], {"path": list.path}) if {
	some url in _readable_urls
	some list in _lists.deny
	some pattern in list.patterns
	_denies(url, pattern)
}

# METADATA
# title: Host is closed
# description: the host is not public, and no allow list names it
# custom:
#   code: resources.web_closed
#   message: '%s is %s; %s opens only public hosts'
#   fix: 'use a public host; to open this one as well, name it in %s, beside "*" for all public hosts'
deny contains reason.fixed(rego.metadata.rule(), [url.host, what, input.tool.name], [_allow_path], {"path": _allow_path}) if {
	some url in _readable_urls
	some what in _closed(url)
	not _named_specifically(url)
}

# METADATA
# title: Host is not listed
# description: an allow list is set and does not name the host
# custom:
#   code: resources.web_unlisted
#   message: 'no allow list permits %s to open %s'
#   fix: 'add the host to %s'
deny contains reason.fixed(rego.metadata.rule(), [input.tool.name, unlisted.host], [unlisted.path], {"path": unlisted.path}) if {
	some unlisted in missing
}

# METADATA
# description: the hosts that allow lists do not name, each with the path of the list
missing contains {"host": url.host, "path": list.path} if {
	some url in _readable_urls
	some list in _lists.allow
	not _named(url, list)
}

_url_required if count(_lists.allow) > 0

_url_required if count(_lists.deny) > 0

_url_required if {
	_lists
	count(input.tool.parameters) > 0
}

_opens_nothing if input.tool.action in data.gavel.catalog.web.without_url[input.tool.name]

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: the tool opens nothing, or every URL that it opens is open to it
permit if {
	is_string(input.tool.name)
	not data.gavel.catalog.web.lists[input.tool.name]
}

permit if {
	is_array(_lists.allow)
	count(_lists.dial) > 0
	is_array(input.urls)
	count(deny) == 0
	every url in input.urls { _open(url) }
}

_open(url) if {
	url.odd == ""
	url.userinfo == false
	url.scheme in data.gavel.catalog.web.schemes
	url.host != ""
	is_string(url.address)
}

_lists := frozen.result.web[input.tool.name]

_allow_path := sprintf("tools.%s.%s", [input.tool.name, data.gavel.catalog.web.lists[input.tool.name].allow])

_readable_urls := [url | some url in input.urls; not url.odd != ""]

# Why a host is not public, as a set with one reason; empty for a public host.
_closed(url) := {min(reasons)} if {
	reasons := {what | some network, what in data.gavel.catalog.web.networks; _within(network, url.address)} | _local(url)
	count(reasons) > 0
} else := set()

_local(url) := {"a name without a dot, which is local"} if {
	url.address == ""
	not contains(url.host, ".")
} else := {"a local name" |
	url.address == ""
	some name in data.gavel.catalog.web.local_names
	endswith(url.host, sprintf(".%s", [name]))
} | {"a name that resolves to whatever address is in it" |
	url.address == ""
	some name in data.gavel.catalog.web.answering_names
	endswith(sprintf(".%s", [url.host]), sprintf(".%s", [name]))
}

_within(network, address) if {
	address != ""
	net.cidr_contains(network, address)
}

# The entry "*" does not open hosts that are closed.
_named_specifically(url) if {
	some list in _lists.allow
	some pattern in list.patterns
	pattern.host != "*"
	_matches(url, pattern)
}

_named(url, list) if {
	some pattern in list.patterns
	_matches(url, pattern)
}

_denies(url, pattern) if _matches(url, pattern)

# A denied domain includes its subdomains; an origin (with a scheme) is one host only, as on the
# web.
_denies(url, pattern) if {
	pattern.scheme == ""
	endswith(url.host, sprintf(".%s", [pattern.host]))
}

_matches(url, pattern) if {
	_part_matches(pattern.scheme, url.scheme)
	_host_matches(pattern.host, url)
	_port_matches(pattern, url)
}

_part_matches("", _)

_part_matches(wanted, given) if wanted == given

# An origin without a port has the port of its scheme, as on the web.
_port_matches(pattern, _) if pattern.scheme == ""

_port_matches(pattern, _) if pattern.port == "*"

_port_matches(pattern, url) if {
	pattern.scheme != ""
	object.get({"": _standard_ports[pattern.scheme]}, pattern.port, pattern.port) == url.port
}

_standard_ports := {"http": "80", "https": "443"}

_host_matches("*", _)

_host_matches(pattern, url) if pattern == url.host

_host_matches(pattern, url) if {
	startswith(pattern, "*.")
	url.address == ""
	endswith(url.host, substring(pattern, 1, -1))
}

_host_matches(pattern, url) if {
	url.address != ""
	net.cidr_is_valid(pattern)
	net.cidr_contains(pattern, url.address)
}
