package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/archive"
)

// raw is a header of a tar with the content behind it, as no library would write it.
type raw struct {
	name, link, magic, prefix, content string
	typ                                byte
	size                               int // where it is not that of the content
	at                                 int // where other is written
	other                              string
}

func (r raw) String() string {
	h := make([]byte, 512)
	copy(h, r.name)
	copy(h[100:], "0000755\x000000000\x000000000\x00")
	copy(h[124:], fmt.Sprintf("%011o\x0000000000000\x00", max(r.size, len(r.content))))
	h[156] = r.typ
	copy(h[157:], r.link)
	if r.magic == "" {
		r.magic = "ustar\x0000"
	}
	copy(h[257:], r.magic)
	copy(h[345:], r.prefix)
	copy(h[r.at:], r.other)
	copy(h[148:], "        ")
	sum := 0
	for _, b := range h {
		sum += int(b)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return string(h) + r.content + strings.Repeat("\x00", (512-len(r.content)%512)%512)
}

// says is a description in lines of the next member, or of all further ones.
func says(typ byte, lines ...string) raw {
	text := ""
	for _, line := range lines {
		size := len(line) + 3
		for len(fmt.Sprintf("%d %s\n", size, line)) != size {
			size++
		}
		text += fmt.Sprintf("%d %s\n", size, line)
	}
	return raw{name: "description", typ: typ, content: text}
}

const gnu = "ustar  \x00"

func longName(name string) raw {
	return raw{name: "././@LongLink", typ: 'L', magic: gnu, content: name + "\x00"}
}

func tape(parts ...raw) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.String())
	}
	return b.String() + strings.Repeat("\x00", 1024)
}

func TestATarIsReadAsEveryTarWritesIt(t *testing.T) {
	t.Parallel()
	file := raw{name: "a", typ: '0', content: "x"}
	long := strings.Repeat("l", 200)
	for about, tc := range map[string]struct {
		text string
		want archive.Member
	}{
		"a file":                              {tape(file), archive.Member{Name: "a"}},
		"one of an old tar":                   {tape(raw{name: "a", magic: "\x00\x00\x00\x00\x00\x00\x00\x00", content: "x"}), archive.Member{Name: "a"}},
		"a long name of GNU":                  {tape(longName(long), file), archive.Member{Name: long}},
		"a long name of POSIX":                {tape(says('x', "path="+long, "mtime=1.5"), file), archive.Member{Name: long}},
		"a long link":                         {tape(says('x', "linkpath="+long), raw{name: "a", typ: '1', link: "b"}), archive.Member{Name: "a", Link: long}},
		"a name in two parts":                 {tape(raw{name: "a", prefix: "b/c", typ: '0'}), archive.Member{Name: "b/c/a"}},
		"a directory":                         {tape(raw{name: "a/", typ: '5'}), archive.Member{Name: "a/"}},
		"a directory of an old tar":           {tape(raw{name: "a/", typ: '0'}), archive.Member{Name: "a/"}},
		"a comment, as git archive writes it": {tape(says('g', "comment=x"), file), archive.Member{Name: "a"}},
	} {
		list, ok := archive.Members(tc.text, archive.FormTar)
		assert.True(t, ok, about)
		assert.Equal(t, []archive.Member{tc.want}, list, about)
	}
}

// Programs give a member of these another name, or find other members.
func TestATarOfWhichProgramsReadOtherNamesIsNotRead(t *testing.T) {
	t.Parallel()
	file, evil := raw{name: "a", typ: '0', content: "x"}, raw{name: "evil", typ: '0', content: "x"}
	inner, hidden := file.String(), raw{name: "b", typ: '0', size: len(evil.String())}
	for about, text := range map[string]string{
		"a long name, and another one of POSIX":      tape(longName("a"), says('x', "path=evil"), file),
		"the same in the other order":                tape(says('x', "path=evil"), longName("a"), file),
		"two descriptions":                           tape(says('x', "path=evil"), says('x', "mtime=1"), file),
		"two long names":                             tape(longName("a"), longName("evil"), file),
		"a description of Solaris":                   tape(says('X', "path=evil"), file),
		"a name for all members":                     tape(says('g', "path=evil"), file),
		"a name of a sparse file":                    tape(says('x', "GNU.sparse.name=evil"), file),
		"a size in a description":                    tape(says('x', "size=0"), file),
		"one name twice in a description":            tape(says('x', "path=a", "path=evil"), file),
		"an empty name in a description":             tape(says('x', "path="), file),
		"a description that is damaged":              tape(raw{typ: 'x', content: "9 path=evil\n"}, file),
		"a description of nothing":                   tape(file, says('x', "path=evil")),
		"a name with something behind its end":       tape(raw{name: "a\x00evil", typ: '0'}),
		"a prefix with something behind its end":     tape(raw{name: "a", prefix: "b\x00evil", typ: '0'}),
		"a prefix that ends where star says":         tape(raw{name: "a", prefix: "b", typ: '0', at: 508, other: "tar\x00"}),
		"an unknown form":                            tape(raw{name: "a", typ: '0', magic: "ustar\x0001"}),
		"a directory with content":                   tape(raw{name: "a/", typ: '5', size: 512}, raw{name: "b", typ: '0', size: 1024}, evil),
		"a file with the name of a directory":        tape(raw{name: "a/", typ: '0', size: 512}, hidden, evil),
		"a hard link with content":                   tape(raw{name: "a", typ: '1', link: "b", size: 512}, hidden, evil),
		"a symbolic link with content":               tape(raw{name: "a", typ: '2', link: "b", size: 512}, hidden, evil),
		"an unknown type":                            tape(raw{name: "a", typ: 'Q', content: "x"}),
		"a sparse file":                              tape(raw{name: "a", typ: 'S', magic: gnu, content: "x"}),
		"names to be removed":                        tape(raw{name: "src/", typ: 'D', magic: gnu, content: "Ya\x00\x00"}),
		"a size in another notation":                 tape(raw{name: "a", typ: '0', at: 124, other: "\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"}),
		"a size with something behind it":            tape(raw{name: "a", typ: '0', at: 124, other: "00000000000x"}),
		"a block that is none in front":              strings.Repeat("z", 512) + tape(evil),
		"a block that is none between":               inner + strings.Repeat("z", 512) + tape(evil),
		"a block of zeros between":                   inner + strings.Repeat("\x00", 512) + tape(evil),
		"a member that is cut off":                   raw{name: "a", typ: '0', size: 4096}.String(),
		"a zip in the form of a tar":                 zipOf(t, "a"),
		"a tar whose first name begins as gzip does": gzippedTar(t, evil, tape(file)),
		"nothing but an end":                         strings.Repeat("\x00", 1024),
	} {
		list, ok := archive.Members(text, archive.FormTar)
		assert.False(t, ok, about)
		assert.Empty(t, list, about)
	}
}

// gzippedTar is a tar of one member, and also a text that gzip unpacks to another one: what is extra
// to its first header is the rest of the tar.
func gzippedTar(t *testing.T, member raw, other string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	require.NoError(t, err)
	_, err = io.WriteString(w, other)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	packed := b.String() + string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(other))), uint32(len(other))))
	filling := strings.Repeat("f", (512-len(packed)%512)%512)
	extra := 1024 + len(member.String()) + len(filling) - 12
	first := raw{name: "\x1f\x8b\x08\x04\x01\x01\x01\x01\x02\x03" + string(binary.LittleEndian.AppendUint16(nil, uint16(extra))), typ: '0'}
	text := first.String() + member.String() + raw{name: "last", typ: '0', content: filling + packed}.String()
	r, err := gzip.NewReader(strings.NewReader(text))
	require.NoError(t, err)
	read, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, other, string(read))
	return text
}

// Whatever is read, Go's own reader finds the same members.
func FuzzATarIsReadAsOthersDo(f *testing.F) {
	f.Add(tape(raw{name: "a", typ: '0', content: "x"}))
	f.Add(tape(longName(strings.Repeat("l", 200)), raw{name: "a", typ: '0', content: "x"}))
	f.Add(tape(says('x', "path=b", "mtime=1"), raw{name: "a", typ: '1', link: "c"}))
	f.Add(tape(says('g', "comment=x"), raw{name: "a/", prefix: "p", typ: '5'}, raw{name: "s", typ: '2', link: "a"}))
	f.Fuzz(func(t *testing.T, text string) {
		list, ok := archive.Members(text, archive.FormTar)
		if !ok || strings.HasPrefix(text, "\x1f\x8b") || strings.HasPrefix(text, "BZh") {
			return
		}
		r := tar.NewReader(strings.NewReader(text))
		for _, member := range list {
			head, err := r.Next()
			for err == nil && head.Typeflag == tar.TypeXGlobalHeader {
				head, err = r.Next()
			}
			if err != nil {
				return // Go reads less
			}
			assert.Equal(t, member.Name, head.Name)
		}
		_, err := r.Next()
		assert.Error(t, err)
	})
}
