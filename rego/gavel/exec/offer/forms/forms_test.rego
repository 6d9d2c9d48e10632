package gavel.exec.offer.forms_test

import data.gavel.exec.offer.forms
import data.gavel.testing

test_plain_operands[word] if {
	some word in ["a", "src/x.go", "./x", "TODO|FIX", "", "a b", "..."]
	forms.plain(word)
}

test_words_that_are_fixed[word] if {
	some word in ["-x", "/etc/passwd", "~/x", "../x", "a/../b", "..", "https://a.b", "host:x", "of=b"]
	not forms.plain(word)
}

# RT-03: the content is that of the program, or of the script that it is.
test_the_content_of_a_script_is_recorded if {
	script := {"path": "/srv/app/x.sh", "real": "/srv/app/x.sh", "sha256": "ab", "found": true}
	segment := object.union(testing.segment("/srv/app/x.sh"), {"scripts": [script]})
	forms.entry_limits(segment).sha256 == "ab"
	forms.content_known(segment)
	not forms.content_known(testing.segment("/srv/app/x.sh"))
}

test_an_entry_is_described_in_a_sentence if {
	segment := object.union(testing.segment("/usr/bin/chmod"), {"argv": ["chmod", "755", "a"]})
	forms.admits("/usr/bin/chmod", forms.entry_limits(segment)) == "/usr/bin/chmod 755 a, in /srv/app"
	forms.argv(forms.entry_limits(segment)) == ["755", "a"]
}

# RT-07
test_modes_and_targets_are_seen if {
	chmod := object.union(testing.segment("/usr/bin/chmod"), {"argv": ["chmod", "4755", "/usr/bin/x"]})
	forms.modes(chmod) == {"4755"}
	found := forms.sensitive_targets(chmod) with input as testing.execution({"segments": [chmod]})
	found == {"/usr/bin/x"}
}
