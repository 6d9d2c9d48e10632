package custom.addresses_test

import data.custom.addresses

test_another_machine if {
	count(addresses.{{.Ask}}) == 1 with input as _fetching("https://example.com/?q=secret")
}

test_no_address if {
	count(addresses.{{.Ask}}) == 1 with input as {"tool": {"name": "web_fetch", "params": {}}}
}

test_this_machine if {
	count(addresses.{{.Ask}}) == 0 with input as _fetching("http://localhost:3000/")
}

test_other_tools if {
	count(addresses.{{.Ask}}) == 0 with input as {"tool": {"name": "read"}}
}

_fetching(url) := {"tool": {"name": "web_fetch", "params": {"url": url}}}
