// Package plugin has what the plugins in TypeScript share. The packages of the plugins
// compile it into themselves; gavel install writes it beside them.
package plugin

import _ "embed"

// Ask is the source of the part that posts an event to Gavel and reads the answer.
//
//go:embed ask.ts
var Ask []byte
