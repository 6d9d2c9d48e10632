package archive

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
)

// blockSize is the size of each header of a tar, and what the size of all else is a multiple of.
const blockSize = 512

// header is the first block of a member, or of a description of the next one.
type header [blockSize]byte

// The types of what follows a header.
const (
	typeFile      = '0'
	typeHard      = '1'
	typeSoft      = '2'
	typeDirectory = '5'
	typeGlobal    = 'g' // a description of all further members
	typeNext      = 'x' // a description of the next member
	typeLongName  = 'L' // the name of the next member
	typeLongLink  = 'K' // and where it leads
)

// maxDescription is how many bytes describe one member at most.
const maxDescription = 1 << 20

// tape is a tar that is being read.
type tape struct {
	from *io.LimitedReader
	// What the descriptions say of the next member.
	name, link string
	described  map[byte]bool
	list       []Member
}

// members reads a tar to its end.
func (t *tape) members() (list []Member, ok bool) {
	t.described = map[byte]bool{}
	for len(t.list) < maxMembers {
		var h header
		if _, err := io.ReadFull(t.from, h[:]); err != nil {
			return nil, false
		}
		switch {
		case h == header{}:
			return t.list, len(t.list) > 0 && len(t.described) == 0 && t.onlyZeros()
		case !h.valid() || !t.next(&h):
			return nil, false
		}
	}
	return nil, false
}

// onlyZeros reports whether nothing follows the end of a tar, where some programs read on.
func (t *tape) onlyZeros() bool {
	var block header
	for {
		n, err := t.from.Read(block[:])
		if len(bytes.Trim(block[:n], "\x00")) > 0 {
			return false
		}
		if err != nil {
			return err == io.EOF && t.from.N > 0 //nolint:errorlint // readers return it as it is
		}
	}
}

// next reads what a header is of. It is false if not every program would take it for the same.
func (t *tape) next(h *header) bool {
	size, ok := h.number(124, 12)
	typ := h[156]
	if typ == 0 {
		typ = typeFile
	}
	switch {
	case !ok:
		return false
	case slices.Contains([]byte{typeGlobal, typeNext, typeLongName, typeLongLink}, typ):
		return t.description(typ, size)
	case !slices.Contains([]byte{typeFile, typeHard, typeSoft, typeDirectory}, typ):
		return false
	}
	name, known := h.name()
	link, led := h.text(157, 100)
	if t.name != "" {
		name = t.name
	}
	if t.link != "" {
		link = t.link
	}
	if strings.HasSuffix(name, "/") && typ == typeFile {
		typ = typeDirectory
	}
	if !known || !led || name == "" || typ != typeFile && size > 0 {
		return false
	}
	one := Member{Name: name, Soft: typ == typeSoft}
	if typ == typeHard {
		one.Link = link
	}
	t.name, t.link, t.described = "", "", map[byte]bool{}
	t.list = append(t.list, one)
	return t.skip(size)
}

// skip passes over the content of a member.
func (t *tape) skip(size int64) bool {
	padded := (size + blockSize - 1) / blockSize * blockSize
	n, err := io.CopyN(io.Discard, t.from, padded)
	return err == nil && n == padded
}

// description reads what a header says of members behind it. Each may be there once, and only one may
// name the member.
func (t *tape) description(typ byte, size int64) bool {
	if t.described[typ] || size > maxDescription || (typ == typeNext) && (t.described[typeLongName] || t.described[typeLongLink]) ||
		(typ == typeLongName || typ == typeLongLink) && t.described[typeNext] {
		return false
	}
	if typ != typeGlobal {
		t.described[typ] = true
	}
	text := make([]byte, (size+blockSize-1)/blockSize*blockSize)
	if _, err := io.ReadFull(t.from, text); err != nil {
		return false
	}
	said, rest := string(text[:size]), text[size:]
	switch typ {
	case typeLongName, typeLongLink:
		said, ended := strings.CutSuffix(said, "\x00")
		if !ended || said == "" || strings.Contains(said, "\x00") {
			return false
		}
		if typ == typeLongName {
			t.name = said
		} else {
			t.link = said
		}
	default:
		return len(bytes.Trim(rest, "\x00")) == 0 && t.records(said, typ == typeGlobal)
	}
	return len(bytes.Trim(rest, "\x00")) == 0
}

// records reads a description in lines such as "30 path=name".
func (t *tape) records(said string, global bool) bool {
	seen := map[string]bool{}
	for said != "" {
		number, _, found := strings.Cut(said, " ")
		size, err := strconv.Atoi(number)
		if !found || err != nil || number != strconv.Itoa(size) || size > len(said) || size <= len(number)+2 || said[size-1] != '\n' {
			return false
		}
		key, value, found := strings.Cut(said[len(number)+1:size-1], "=")
		if !found || seen[key] || value == "" || strings.Contains(value, "\x00") {
			return false
		}
		seen[key], said = true, said[size:]
		switch {
		case key == "path" && !global:
			t.name = value
		case key == "linkpath" && !global:
			t.link = value
		case !plainKey(key):
			return false
		}
	}
	return true
}

// plainKey reports whether a line of a description says nothing of a member's name, size or kind.
func plainKey(key string) bool {
	return slices.Contains([]string{"comment", "mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "SCHILY.dev", "SCHILY.ino", "SCHILY.nlink", "SCHILY.fflags"}, key) ||
		strings.HasPrefix(key, "SCHILY.xattr.") || strings.HasPrefix(key, "SCHILY.acl.") || strings.HasPrefix(key, "LIBARCHIVE.")
}

// begins reports whether a text may be a tar that is not compressed.
func begins(text string) bool {
	var h header
	return copy(h[:], text) == blockSize && h.summed()
}

// summed reports whether a block has the checksum of a header.
func (h *header) summed() bool {
	want, ok := h.number(148, 8)
	var signed, unsigned int64
	for i, b := range h {
		if i >= 148 && i < 156 {
			b = ' '
		}
		signed, unsigned = signed+int64(int8(b)), unsigned+int64(b) //nolint:gosec // some programs sum it up so
	}
	return ok && (want == unsigned || want == signed)
}

// valid reports whether a block is a header as every program reads it.
func (h *header) valid() bool {
	magic := string(h[257:265])
	star := strings.HasPrefix(magic, "ustar\x00") && string(h[508:512]) == "tar\x00" // which has another prefix
	return h.summed() && !star && slices.Contains([]string{"ustar\x0000", "ustar  \x00", strings.Repeat("\x00", 8)}, magic)
}

// number reads a number in octal digits.
func (h *header) number(from, size int) (int64, bool) {
	text := strings.TrimLeft(strings.TrimRight(string(h[from:from+size]), " \x00"), " ")
	n, err := strconv.ParseInt(text, 8, 64)
	return n, err == nil && !strings.ContainsAny(text, "+-_")
}

// text reads a text that ends with the first zero byte. It is not ok if something follows that.
func (h *header) text(from, size int) (text string, ok bool) {
	text, rest, _ := strings.Cut(string(h[from:from+size]), "\x00")
	return text, strings.Trim(rest, "\x00") == ""
}

// name reads the name of a member, with what stands in front of it where the form has that.
func (h *header) name() (name string, ok bool) {
	name, ok = h.text(0, 100)
	if string(h[257:265]) != "ustar\x0000" {
		return name, ok
	}
	before, whole := h.text(345, 155)
	if before != "" {
		name = before + "/" + name
	}
	return name, ok && whole
}
