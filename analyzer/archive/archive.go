// Package archive says what unpacking an archive would make: the names of its members, and where its
// hard links lead. It reads tar, plain or compressed with gzip or bzip2, and zip. It judges nothing
// and looks nothing up.
//
// Programs disagree about archives that are not as their programs write them: which of several names a
// member has, where the next one begins, and of what form a file is. Such an archive is not read.
package archive

import (
	"compress/bzip2"
	"compress/gzip"
	"io"
	"strings"
)

// The bounds of what is read of one archive.
const (
	MaxBytes    = 16 << 20  // of the file
	maxUnpacked = 128 << 20 // bytes of a tar behind its compression
	maxMembers  = 20_000
)

// Form is the form in which a program reads an archive. The zero value is none.
type Form string

// The forms.
const (
	FormTar   Form = "tar"   // tar, behind the compression that the file begins with
	FormGzip  Form = "gzip"  // tar behind gzip, whatever the file begins with
	FormBzip2 Form = "bzip2" // and behind bzip2
	FormZip   Form = "zip"
)

// Member is one member of an archive.
type Member struct {
	Name string // as the archive has it
	Link string // of a hard link: the member, or the file, whose content it gets
	Soft bool   // it is a symbolic link
}

// Members returns the members of an archive, whose text is the whole file. It is not ok if somebody
// else might read the archive in another way: its form is another one, it is damaged, or too large.
func Members(text string, as Form) (list []Member, ok bool) {
	if len(text) >= MaxBytes {
		return nil, false
	}
	if list, ok = members(text, as); !ok {
		return nil, false
	}
	return list, true
}

func members(text string, as Form) (list []Member, ok bool) {
	gzipped, bzipped := strings.HasPrefix(text, "\x1f\x8b"), strings.HasPrefix(text, "BZh")
	switch {
	case as == FormZip:
		return zipped(text)
	case (gzipped || bzipped) && begins(text): // a tar whose first name looks like that
		return nil, false
	case gzipped && (as == FormTar || as == FormGzip):
		plain, err := gzip.NewReader(strings.NewReader(text))
		if err != nil {
			return nil, false
		}
		return tarred(plain)
	case bzipped && (as == FormTar || as == FormBzip2):
		return tarred(bzip2.NewReader(strings.NewReader(text)))
	case !gzipped && !bzipped && as == FormTar:
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
