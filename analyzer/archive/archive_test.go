package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/archive"
)

func tarOf(t *testing.T, list ...archive.Member) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, member := range list {
		head := &tar.Header{Name: member.Name, Mode: 0o644, Size: 1, Typeflag: tar.TypeReg}
		if member.Soft {
			head.Typeflag, head.Linkname, head.Size = tar.TypeSymlink, "a", 0
		}
		if member.Link != "" {
			head.Typeflag, head.Linkname, head.Size = tar.TypeLink, member.Link, 0
		}
		require.NoError(t, w.WriteHeader(head))
		if head.Size > 0 {
			_, err := w.Write([]byte("x"))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return b.String()
}

func zipOf(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		_, err := w.Create(name)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

func gzipOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestMembersAreNamedAsTheArchiveHasThem(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long/", 60) + "name"
	list := []archive.Member{{Name: "a"}, {Name: "../b"}, {Name: "/c"}, {Name: long}, {Name: "d", Link: ".git/config"}, {Name: "e", Soft: true}}
	for name, text := range map[string]string{"tar": tarOf(t, list...), "gzip": gzipOf(t, tarOf(t, list...))} {
		got, ok := archive.Members(text, archive.FormTar)
		assert.True(t, ok, name)
		assert.Equal(t, list, got, name)
	}
	got, ok := archive.Members(zipOf(t, "a", "../b", "c/"), archive.FormZip)
	assert.True(t, ok)
	assert.Equal(t, []archive.Member{{Name: "a"}, {Name: "../b"}, {Name: "c/"}}, got)
}

func TestAnArchiveThatOthersMayReadInAnotherWayIsNotRead(t *testing.T) {
	t.Parallel()
	plain := tarOf(t, archive.Member{Name: "a"})
	for name, text := range map[string]string{
		"nothing":                         "",
		"no archive":                      "hello\n",
		"an unknown compression":          "\xfd7zXZ\x00" + plain,
		"a tar that is cut off":           plain[:300],
		"a gzip that is cut off":          gzipOf(t, plain)[:60],
		"a zip that is cut off":           zipOf(t, "a")[:40],
		"members behind the end of a tar": plain + tarOf(t, archive.Member{Name: "b"}),
		"too large":                       plain + strings.Repeat("\x00", archive.MaxBytes),
	} {
		for _, form := range []archive.Form{archive.FormTar, archive.FormZip} {
			got, ok := archive.Members(text, form)
			assert.False(t, ok, "%s as %s", name, form)
			assert.Empty(t, got, "%s as %s", name, form)
		}
	}
}

func TestAnArchiveHasTheFormInWhichTheProgramReadsIt(t *testing.T) {
	t.Parallel()
	plain := tarOf(t, archive.Member{Name: "a"})
	texts := map[string]string{"tar": plain, "gzip": gzipOf(t, plain), "zip": zipOf(t, "a")}
	read := map[string][]archive.Form{"tar": {archive.FormTar}, "gzip": {archive.FormTar, archive.FormGzip}, "zip": {archive.FormZip}}
	for name, text := range texts {
		for _, form := range []archive.Form{"", archive.FormTar, archive.FormGzip, archive.FormBzip2, archive.FormZip} {
			_, ok := archive.Members(text, form)
			assert.Equal(t, slices.Contains(read[name], form), ok, "%s as %s", name, form)
		}
	}
}
