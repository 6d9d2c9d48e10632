package server

import "gavel"

// removeHiddenFacts removes the facts that the caller may not see from a decision. A caller who may
// only ask for decisions gets the facts that the call itself contains, and none that was looked up.
func (c caller) removeHiddenFacts(d *gavel.Decision) {
	if d.Facts != nil && c.rights()&gavel.RightFacts == 0 {
		d.Facts = d.Facts.Disclosed() // a copy: the log still needs the others
	}
}
