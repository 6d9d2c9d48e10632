package gavel.segment_test

import data.gavel.segment

_get := {"options": [
	{"name": "--namespace", "names": ["--namespace", "-n"], "value": "prod", "hasValue": true},
	{"name": "-w", "names": ["--watch", "-w"], "value": "", "hasValue": false},
]}

test_an_option_has_many_names if {
	segment.has_option(_get, "-n")
	segment.has_option(_get, "--namespace")
	not segment.has_option(_get, "-o")
	segment.option_values(_get, "-n") == {"prod"}
	segment.option_values(_get, "-w") == set()
}
