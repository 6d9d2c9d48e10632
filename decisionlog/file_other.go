//go:build !unix

package decisionlog

import "os"

// noWait is nothing here: names are not links and no pipes.
const noWait = 0

// linked returns nil: here, an open file cannot be removed.
func linked(*os.File) error { return nil }
