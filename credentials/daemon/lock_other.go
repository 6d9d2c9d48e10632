//go:build !unix

package daemon

import "os"

func flock(*os.File) error { return errSystem }
