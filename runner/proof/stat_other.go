//go:build !unix

package proof

import "io/fs"

func numbers(fs.FileInfo) (device, inode string, ok bool) { return "", "", false }

func ownedByRoot(fs.FileInfo) bool { return false }
