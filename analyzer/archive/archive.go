// Package archive reads what unpacking an archive would create: the names of its members, and where
// its hard links lead. It reads tar, plain or compressed with gzip or bzip2, and zip. It judges nothing
// and looks nothing up.
//
// Programs read malformed archives differently: which of several names a member has, where the next
// one begins, and which form a file has. Such an archive is not read.
package archive

import (
	"compress/bzip2"
	"compress/gzip"
	"io"
	"strings"
)

// The limits of one archive.
const (
	MaxBytes    = 16 << 20  // of the file
	maxUnpacked = 128 << 20 // bytes of a decompressed tar
	maxMembers  = 20_000
)

// Form is the form in which a program reads an archive. The zero value is none.
type Form string

// The forms.
const (
	FormTar   Form = "tar"   // tar, compressed as the first bytes of the file say
	FormGzip  Form = "gzip"  // tar compressed with gzip, whatever the first bytes are
	FormBzip2 Form = "bzip2" // tar compressed with bzip2
	FormZip   Form = "zip"
)

// Member is one member of an archive.
type Member struct {
	Name string // as the archive has it
	Link string // the target of a hard link, or ""
	Soft bool   // it is a symbolic link
}

// Members returns the members of an archive. text is the whole file. It is not ok if programs could
// read the archive differently, because it has another form or is damaged, or if it is too large.
func Members(text string, form Form) (list []Member, ok bool) {
	if len(text) >= MaxBytes {
		return nil, false
	}
	if list, ok = members(text, form); !ok {
		return nil, false
	}
	return list, true
}

func members(text string, form Form) (list []Member, ok bool) {
	gzipped, bzipped := strings.HasPrefix(text, "\x1f\x8b"), strings.HasPrefix(text, "BZh")
	switch {
	case form == FormZip:
		return zipped(text)
	case (gzipped || bzipped) && begins(text): // a tar whose first name looks like a compressed file
		return nil, false
	case gzipped && (form == FormTar || form == FormGzip):
		plain, err := gzip.NewReader(strings.NewReader(text))
		if err != nil {
			return nil, false
		}
		return tarred(plain)
	case bzipped && (form == FormTar || form == FormBzip2):
		return tarred(bzip2.NewReader(strings.NewReader(text)))
	case !gzipped && !bzipped && form == FormTar:
		return tarred(strings.NewReader(text))
	default:
		return nil, false
	}
}

// tarred reads a tar to its end.
func tarred(from io.Reader) (list []Member, ok bool) {
	t := tape{from: &io.LimitedReader{R: from, N: maxUnpacked}}
	return t.members()
}
