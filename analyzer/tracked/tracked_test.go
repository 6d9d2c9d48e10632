package tracked_test

import (
	"crypto/sha1" //nolint:gosec // the format has it
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer/tracked"
)

// entry is one file of an index, whose flags have further bits set.
func entry(name string, flags uint16, further ...byte) string {
	text := strings.Repeat("\x01", 60) + string(binary.BigEndian.AppendUint16(nil, flags|uint16(min(len(name), 0xFFF)))) + string(further) + name
	return text + strings.Repeat("\x00", 8-len(text)%8)
}

// index is an index of so many entries, with what follows them.
func index(version, count uint32, rest string) []byte {
	text := append([]byte("DIRC"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, version), count)...)
	text = append(text, rest...)
	sum := sha1.Sum(text) //nolint:gosec // the format has it
	return append(text, sum[:]...)
}

func TestTheNamesOfAnIndexAreRead(t *testing.T) {
	t.Parallel()
	long := "a/" + strings.Repeat("x", 5000)
	for about, tc := range map[string]struct {
		index []byte
		want  []string
	}{
		"no file":                   {index(2, 0, ""), nil},
		"two files":                 {index(2, 2, entry("a.go", 0)+entry("src/b.go", 0)), []string{"a.go", "src/b.go"}},
		"names of every length":     {index(2, 3, entry("a", 0)+entry("abcdef", 0)+entry("abcdefghi", 0)), []string{"a", "abcdef", "abcdefghi"}},
		"a name that is too long":   {index(2, 1, entry(long, 0)), []string{long}},
		"a file in conflict":        {index(2, 1, entry("a", 1<<12)), []string{"a"}},
		"more flags":                {index(3, 2, entry("a", 1<<14, 0x20, 0)+entry("b", 0)), []string{"a", "b"}},
		"what git may leave out":    {index(2, 1, entry("a", 0)+"TREE\x00\x00\x00\x03abc"), []string{"a"}},
		"a name with odd bytes":     {index(2, 1, entry("a b\n-c", 0)), []string{"a b\n-c"}},
		"a name with a dash before": {index(2, 1, entry("-rf", 0)), []string{"-rf"}},
	} {
		names, ok := tracked.Names(tc.index)
		assert.True(t, ok, about)
		assert.Equal(t, tc.want, names, about)
	}
}

func TestAnIndexIsUnknown(t *testing.T) {
	t.Parallel()
	good := index(2, 1, entry("a", 0))
	flipped := append([]byte{}, good...)
	flipped[80] ^= 1
	unsummed := append(append([]byte{}, good[:len(good)-20]...), make([]byte, 20)...)
	for about, text := range map[string][]byte{
		"empty":                               {},
		"something else":                      []byte("not an index, but long enough to be one of those"),
		"it was changed":                      flipped,
		"it has no checksum":                  unsummed,
		"a part is missing":                   good[:len(good)-1],
		"version 1":                           index(1, 1, entry("a", 0)),
		"version 4":                           index(4, 1, entry("a", 0)),
		"fewer entries than it says":          index(2, 2, entry("a", 0)),
		"more entries than it says":           index(2, 1, entry("a", 0)+entry("b", 0)),
		"more flags in an old version":        index(2, 1, entry("a", 1<<14, 0, 0)),
		"a split index":                       index(2, 0, "link\x00\x00\x00\x00"),
		"a sparse index":                      index(2, 0, "sdir\x00\x00\x00\x00"),
		"an extension that is cut":            index(2, 0, "TREE\x00\x00\x00\x09abc"),
		"an extension that is larger than it": index(2, 0, "TREE\xff\xff\xff\xffabc"),
		"a name that leads up":                index(2, 1, entry("../a", 0)),
		"a name that leads up further down":   index(2, 1, entry("a/../../b", 0)),
		"an absolute name":                    index(2, 1, entry("/etc/shadow", 0)),
		"an empty name":                       index(2, 1, entry("", 0)),
		"a name of the directory itself":      index(2, 1, entry(".", 0)),
	} {
		_, ok := tracked.Names(text)
		assert.False(t, ok, about)
	}
}
