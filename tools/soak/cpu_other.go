//go:build !unix

package main

import "time"

// harnessCPU returns 0: it is measured on Unix only.
func harnessCPU() time.Duration { return 0 }
