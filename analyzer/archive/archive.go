// Package archive says what unpacking an archive would make: the names of its members, and where its
// hard links lead. It reads tar, plain or compressed with gzip or bzip2, and zip. It judges nothing
// and looks nothing up.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strings"
)

// The bounds of what is read of one archive.
const (
	MaxBytes    = 16 << 20  // of the file
	maxUnpacked = 128 << 20 // bytes of a tar behind its compression
	maxMembers  = 20_000
)

// Member is one member of an archive.
type Member struct {
	Name string // as the archive has it
	Link string // of a hard link: the member, or the file, whose content it gets
	Soft bool   // it is a symbolic link
}

// Members returns the members of an archive, whose text is the whole file. It is not ok if somebody
// else might read the archive in another way: its form is unknown, it is damaged, or too large.
func Members(text string) (list []Member, ok bool) {
	if len(text) >= MaxBytes {
		return nil, false
	}
	if strings.HasPrefix(text, "PK") {
		return zipped(text)
	}
	var from io.Reader = strings.NewReader(text)
	switch {
	case strings.HasPrefix(text, "\x1f\x8b"):
		plain, err := gzip.NewReader(from)
		if err != nil {
			return nil, false
		}
		from = plain
	case strings.HasPrefix(text, "BZh"):
		from = bzip2.NewReader(from)
	}
	return tarred(from)
}

func tarred(from io.Reader) (list []Member, ok bool) {
	limited := &io.LimitedReader{R: from, N: maxUnpacked}
	r := tar.NewReader(limited)
	for len(list) < maxMembers && limited.N > 0 {
		head, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) && len(list) > 0 && onlyZeros(limited):
			return list, true
		case err != nil:
			return nil, false
		}
		one := Member{Name: head.Name, Soft: head.Typeflag == tar.TypeSymlink}
		if head.Typeflag == tar.TypeLink {
			one.Link = head.Linkname
		}
		list = append(list, one)
	}
	return nil, false
}

// onlyZeros reports whether nothing follows the end of a tar, where some programs read on.
func onlyZeros(from io.Reader) bool {
	block := make([]byte, 4096)
	for {
		n, err := from.Read(block)
		if len(bytes.Trim(block[:n], "\x00")) > 0 {
			return false
		}
		if err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

func zipped(text string) (list []Member, ok bool) {
	r, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil || len(r.File) > maxMembers {
		return nil, false
	}
	for _, file := range r.File {
		list = append(list, Member{Name: file.Name, Soft: file.Mode()&fs.ModeSymlink != 0})
	}
	return list, len(list) > 0
}
