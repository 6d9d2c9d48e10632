package server

import "gavel"

// spare leaves out of an answer what its reader may not see. Whoever may only ask for
// decisions gets the facts that the call itself tells, and none that was looked up.
func (c caller) spare(d *gavel.Decision) {
	if d.Facts != nil && c.rights()&gavel.RightFacts == 0 {
		d.Facts = d.Facts.Told() // the log may still read the others
	}
}
