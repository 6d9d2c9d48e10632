//go:build !linux

package load

import "time"

// sleepUntil may be up to 1 ms late.
func sleepUntil(moment time.Time) { time.Sleep(time.Until(moment)) }
