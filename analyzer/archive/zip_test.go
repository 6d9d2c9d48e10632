package archive_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/archive"
)

// entry is one member of a zip, as no library would write it.
type entry struct {
	name, local, extra, localExtra string
	host                           uint16
	mode                           uint32
}

func numbers(list ...any) string {
	var b bytes.Buffer
	for _, member := range list {
		if err := binary.Write(&b, binary.LittleEndian, member); err != nil {
			panic(err)
		}
	}
	return b.String()
}

const content = "x\n"

func (e entry) head() string {
	name := e.local
	if name == "" {
		name = e.name
	}
	return "PK\x03\x04" + numbers(uint16(20), uint16(0), uint16(0), uint32(0), crc32.ChecksumIEEE([]byte(content)), uint32(len(content)), uint32(len(content)),
		uint16(len(name)), uint16(len(e.localExtra))) + name + e.localExtra + content
}

func (e entry) listed(offset int) string {
	return "PK\x01\x02" + numbers(e.host<<8|20, uint16(20), uint16(0), uint16(0), uint32(0), crc32.ChecksumIEEE([]byte(content)), uint32(len(content)),
		uint32(len(content)), uint16(len(e.name)), uint16(len(e.extra)), uint16(0), uint16(0), uint16(0), e.mode, uint32(offset)) + e.name + e.extra
}

func end(number, size, offset int, comment string) string {
	return "PK\x05\x06" + numbers(uint16(0), uint16(0), uint16(number), uint16(number), uint32(size), uint32(offset), uint16(len(comment))) + comment
}

// zipOfEntries is a zip of these members behind a text, which offsets count.
func zipOfEntries(before, comment string, list ...entry) string {
	heads, listed := before, ""
	for _, member := range list {
		listed += member.listed(len(heads))
		heads += member.head()
	}
	return heads + listed + end(len(list), len(listed), len(heads), comment)
}

// twoLists is a zip with two lists of its members: where its end says, and in front of its end.
func twoLists(first, second entry) string {
	first.localExtra = "\xff\xff" + numbers(uint16(400)) + strings.Repeat("x", 400)
	pre := first.head() + first.listed(0)
	offset := len(first.head())
	listed := second.listed(offset - len(second.head()))
	return pre + second.head() + listed + end(1, len(listed), offset, "")
}

func TestAZipOfWhichProgramsReadOtherNamesIsNotRead(t *testing.T) {
	t.Parallel()
	a := entry{name: "a"}
	other := numbers(uint16(0x7075), uint16(9), uint8(1), crc32.ChecksumIEEE([]byte("a"))) + "evil"
	for about, text := range map[string]string{
		"another name in front of the content":   zipOfEntries("", "", entry{name: "a", local: "evil"}),
		"another name of one length":             zipOfEntries("", "", entry{name: "a", local: "b"}),
		"another name in Unicode":                zipOfEntries("", "", entry{name: "a", extra: other}),
		"another name in Unicode at the content": zipOfEntries("", "", entry{name: "a", localExtra: other}),
		"something extra that is damaged":        zipOfEntries("", "", entry{name: "a", extra: "\x75"}),
		"control characters, which unzip drops":  zipOfEntries("", "", entry{name: "ev\x01il"}),
		"a delete character":                     zipOfEntries("", "", entry{name: "ev\x7fil"}),
		"a version, which unzip drops":           zipOfEntries("", "", entry{name: "evil;1"}),
		"a backslash, which unzip turns round":   zipOfEntries("", "", entry{name: `d\evil`}),
		"a name that is not UTF-8":               zipOfEntries("", "", entry{name: "ev\xd5l"}),
		"two lists of members":                   twoLists(a, entry{name: "evil"}),
		"a text in front":                        zipOfEntries("#!/bin/sh\n", "", a),
		"a text in front that looks like a zip":  zipOfEntries(a.head(), "", a),
		"a text behind":                          zipOfEntries("", "", a) + "x",
		"a zip in the comment":                   zipOfEntries("", zipOfEntries("", "", entry{name: "evil"}), a),
		"a gap":                                  strings.Replace(zipOfEntries("", "", a), "PK\x01\x02", "xPK\x01\x02", 1),
		"a number of members that is wrong":      strings.Replace(zipOfEntries("", "", a), end(1, 47, 33, "")[:12], end(2, 47, 33, "")[:12], 1),
		"a tar with a zip in it":                 zipOfEntries(tape(raw{name: "a", typ: '0'}), "", entry{name: "evil"}),
	} {
		list, ok := archive.Members(text, archive.FormZip)
		assert.False(t, ok, about)
		assert.Empty(t, list, about)
	}
	list, ok := archive.Members(zipOfEntries("", "a comment", a, entry{name: "b/"}), archive.FormZip)
	assert.True(t, ok)
	assert.Equal(t, []archive.Member{{Name: "a"}, {Name: "b/"}}, list)
}

func TestALinkInAZipIsOneWhateverSystemMadeIt(t *testing.T) {
	t.Parallel()
	for _, host := range []uint16{3, 16, 30, 19} {
		list, ok := archive.Members(zipOfEntries("", "", entry{name: "l", host: host, mode: 0o120777 << 16}), archive.FormZip)
		assert.True(t, ok, host)
		assert.Equal(t, []archive.Member{{Name: "l", Soft: true}}, list, host)
	}
}

func TestAZipThatIsWrittenWithoutGoingBackIsRead(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: strings.Repeat("n", int(method)+1), Method: method})
		require.NoError(t, err)
		_, err = f.Write([]byte(strings.Repeat("text", 100)))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	list, ok := archive.Members(b.String(), archive.FormZip)
	assert.True(t, ok)
	assert.Len(t, list, 2)
}
