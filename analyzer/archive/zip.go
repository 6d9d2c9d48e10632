package archive

import (
	"archive/zip"
	"encoding/binary"
	"io/fs"
	"slices"
	"strings"
)

// The sizes of the parts of a zip without their variable fields, in bytes.
const (
	localSize   = 30
	centralSize = 46
	endSize     = 22
)

// The signatures of the parts of a zip.
const (
	localMark      = "PK\x03\x04"
	descriptorMark = "PK\x07\x08"
	centralMark    = "PK\x01\x02"
	endMark        = "PK\x05\x06"
)

// extraName is the id of the extra field with the Unicode name of a member.
const extraName = 0x7075

// zipped reads a zip that consists of its members, one after the other, the central directory and the
// end record. Every program finds the same members there.
func zipped(text string) (list []Member, ok bool) {
	if !strings.HasPrefix(text, localMark) {
		return nil, false
	}
	r, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil || len(r.File) > maxMembers || len(r.File) == 0 {
		return nil, false
	}
	at, central := 0, 0
	for _, file := range r.File {
		next, ok := behind(text, at, file)
		if !ok || !plainName(file) {
			return nil, false
		}
		at, central = next, central+centralSize+len(file.Name)+len(file.Extra)+len(file.Comment)
		list = append(list, Member{Name: file.Name, Soft: soft(file)})
	}
	return list, ends(text, at, central, len(r.File), r.Comment)
}

// soft reports whether some program extracts a member as a symbolic link.
func soft(file *zip.File) bool {
	const kind, link = 0o170000 << 16, 0o120000 << 16
	return file.Mode()&fs.ModeSymlink != 0 || file.ExternalAttrs&kind == link
}

// plainName reports whether a member has one name, which no program changes: unzip leaves out control
// characters and version numbers behind a semicolon, and translates what is not UTF-8.
func plainName(file *zip.File) bool {
	odd := strings.ContainsFunc(file.Name, func(r rune) bool { return r < ' ' || r == 0x7f || r == ';' || r == '\\' })
	return file.Name != "" && !odd && !file.NonUTF8 && !another(file.Extra)
}

// another reports whether the extra fields of a member contain another name, or are damaged.
func another(extra []byte) bool {
	for len(extra) > 0 {
		if len(extra) < 4 {
			return true
		}
		size := int(binary.LittleEndian.Uint16(extra[2:])) + 4
		if binary.LittleEndian.Uint16(extra) == extraName || size > len(extra) {
			return true
		}
		extra = extra[size:]
	}
	return false
}

// behind returns the position after the member that begins at a position. It is not ok if another
// member is there.
func behind(text string, at int, file *zip.File) (next int, ok bool) {
	rest := []byte(text[at:])
	if len(rest) < localSize || !strings.HasPrefix(text[at:], localMark) {
		return 0, false
	}
	name := int(binary.LittleEndian.Uint16(rest[26:]))
	extra := int(binary.LittleEndian.Uint16(rest[28:]))
	content := localSize + name + extra
	offset, err := file.DataOffset()
	if err != nil || content > len(rest) || offset != int64(at+content) || string(rest[localSize:localSize+name]) != file.Name || another(rest[localSize+name:content]) {
		return 0, false
	}
	if file.CompressedSize64 > uint64(len(rest)-content) {
		return 0, false
	}
	size := content + int(file.CompressedSize64) //nolint:gosec // it is at most the rest of the text
	const described = 1 << 3
	if file.Flags&described == 0 {
		return at + size, binary.LittleEndian.Uint32(rest[18:]) == uint32(file.CompressedSize64) //nolint:gosec // see above
	}
	// The data descriptor has a signature or not, and sizes of four or eight bytes.
	for _, long := range []int{12, 16, 20, 24} {
		marked := strings.HasPrefix(text[at+size:], descriptorMark)
		if to := at + size + long; marked == (long == 16 || long == 24) && to <= len(text) && (strings.HasPrefix(text[to:], localMark) || strings.HasPrefix(text[to:], centralMark)) {
			return to, true
		}
	}
	return 0, false
}

// ends reports whether a zip ends with the central directory, at a position and of a size, and with one
// end record that states both.
func ends(text string, at, central, number int, comment string) bool {
	if at+central+endSize+len(comment) != len(text) || !strings.HasPrefix(text[at+central:], endMark) || strings.Contains(comment, "PK") {
		return false
	}
	end := []byte(text[at+central:])
	short := []int{0, 0, number, number}
	for i, want := range short {
		if int(binary.LittleEndian.Uint16(end[4+2*i:])) != want {
			return false
		}
	}
	return slices.Equal([]uint32{binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])}, []uint32{uint32(central), uint32(at)}) //nolint:gosec // the file is smaller
}
