// Package tracked finds Git repositories, and reads the names of tracked files from their index. It
// judges nothing. repository.go has the lookups, and this file reads an index.
//
// Versions 2 and 3 of the index are read, with SHA-1. Everything else is unknown: version 4, which
// shortens names, indexes that are split or sparse, and those without a checksum.
package tracked

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the format uses it; nothing is trusted because of it
	"encoding/binary"
	"strings"
)

const (
	headerSize = 12
	// The part of an entry before its flags: ten numbers and the hash of the content.
	fixedSize  = 40 + sha1.Size
	alignment  = 8
	extended   = 1 << 14 // the flag of entries with two more bytes of flags
	versionOld = 2
	versionNew = 3
)

// Names returns the file names of an index, relative to the top of the repository, with slashes. It is
// not ok if the index is damaged, or has a form that is not read.
func Names(index []byte) (names []string, ok bool) {
	if len(index) < headerSize+sha1.Size || string(index[:4]) != "DIRC" {
		return nil, false
	}
	body, sum := index[:len(index)-sha1.Size], index[len(index)-sha1.Size:]
	if own := sha1.Sum(body); !bytes.Equal(own[:], sum) { //nolint:gosec // see above
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:])
	if version != versionOld && version != versionNew {
		return nil, false
	}
	rest := body[headerSize:]
	for range count {
		name, size := entry(rest, version)
		if !plain(name) {
			return nil, false
		}
		names, rest = append(names, name), rest[size:]
	}
	return names, harmless(rest)
}

// entry returns the name of the first entry, and the size of the entry; "" if there is none.
func entry(rest []byte, version uint32) (name string, size int) {
	start := fixedSize + 2
	if len(rest) < start {
		return "", 0
	}
	if flags := binary.BigEndian.Uint16(rest[fixedSize:]); flags&extended != 0 {
		if start += 2; version == versionOld {
			return "", 0
		}
	}
	end := bytes.IndexByte(rest[min(start, len(rest)):], 0)
	if end < 0 {
		return "", 0
	}
	size = (start + end + alignment) / alignment * alignment // at least one zero byte
	if size > len(rest) {
		return "", 0
	}
	return string(rest[start : start+end]), size
}

// plain reports whether a name is the name of a file below the top of a repository.
func plain(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// harmless reports whether all extensions of an index are optional, so that none changes which files
// there are. The signature of an optional extension begins with a capital letter.
func harmless(rest []byte) bool {
	for len(rest) > 0 {
		if len(rest) < 8 || rest[0] < 'A' || rest[0] > 'Z' {
			return false
		}
		size := uint64(binary.BigEndian.Uint32(rest[4:])) + 8
		if size > uint64(len(rest)) {
			return false
		}
		rest = rest[size:]
	}
	return true
}
