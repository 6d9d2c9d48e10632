package allowlist_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals/allowlist"
)

// sealed opens a file in a directory with a key.
func sealed(t *testing.T, dir, key string) *allowlist.File {
	t.Helper()
	secret, err := allowlist.OpenKey(filepath.Join(dir, key))
	require.NoError(t, err)
	f, err := allowlist.Open(allowlist.Config{Path: filepath.Join(dir, allowlist.Name), Flush: time.Hour, Key: secret, Now: time.Now,
		Token: func() string { return "token-of-the-socket" }, NewID: func() string { return "id" }})
	require.NoError(t, err)
	return f
}

// listed reports whether curl with these words is on the list.
func listed(f *allowlist.File, words ...string) bool {
	facts := program("/usr/bin/curl")
	s := &facts.Exec.Segments[0]
	s.Argv, s.Cwd, s.Wrappers = append([]string{"curl"}, words...), "/srv/app", nil
	f.Observe(facts)
	return s.Listed != nil
}

func onDisk(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, allowlist.Name))
	require.NoError(t, err)
	return string(text)
}

func TestRT22AnEntryStoresNoSecretAndStillMatches(t *testing.T) {
	for name, c := range map[string]struct{ argv, other, masked []string }{
		"a header":          {[]string{"-H", "Authorization: Bearer hunter2SEKRET", "https://a.b/"}, []string{"-H", "Authorization: Bearer hunter3SEKRET", "https://a.b/"}, []string{"-H", "Authorization: Bearer **REDACTED**", "https://a.b/"}},
		"a password behind": {[]string{"-u", "me:hunter2SEKRET", "https://a.b/"}, []string{"-u", "me:hunter3SEKRET", "https://a.b/"}, []string{"-u", "me:**REDACTED**", "https://a.b/"}},
		"a URL":             {[]string{"https://me:hunter2SEKRET@a.b/"}, []string{"https://me:hunter3SEKRET@a.b/"}, []string{"https://me:**REDACTED**@a.b/"}},
		"an option":         {[]string{"--token=hunter2SEKRET", "x"}, []string{"--token=hunter3SEKRET", "x"}, []string{"--token=**REDACTED**", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := private(t)
			f := sealed(t, dir, "key")
			entry := gavel.OfferedPattern{Pattern: "/usr/bin/curl", Only: &gavel.Only{Form: gavel.FormWords, Argv: c.argv, Cwd: "/srv/app"}}
			require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{entry}))
			assert.NotContains(t, onDisk(t, dir), "hunter2SEKRET")
			for _, f := range []*allowlist.File{f, sealed(t, dir, "key")} { // and after a restart
				assert.True(t, listed(f, c.argv...), "exactly what was judged")
				assert.False(t, listed(f, c.other...), "another secret")
				assert.False(t, listed(f, c.masked...), "the masked text is not a password")
				assert.False(t, listed(f, append(c.argv, "y")...))
			}
			require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{entry}))
			got, err := f.Get()
			require.NoError(t, err)
			assert.Len(t, got.File.Agents["main"].Allowlist, 1, "the same entry is there once")
			assert.Equal(t, c.masked, got.File.Agents["main"].Allowlist[0].Only.Argv)
			assert.False(t, listed(sealed(t, dir, "another-key"), c.argv...), "without the key nobody can tell")
		})
	}
}

func TestRT22SecretsOfOperandsAndOfTargetsAreKnownByTheCommand(t *testing.T) {
	dir := private(t)
	f := sealed(t, dir, "key")
	entries := f.Seal([]gavel.OfferedPattern{{Pattern: "/usr/bin/curl", Only: &gavel.Only{Form: gavel.FormOperands, Options: []string{"-pSEKRET"}, Words: []string{"me:SEKRET", "/x"}}},
		{Pattern: "/usr/bin/curl", Only: &gavel.Only{Form: gavel.FormWords, Argv: []string{"a"}, Cwd: "/srv/app", Targets: []string{"/srv/SEKRET"}}}}, []string{"SEKRET"})
	assert.Equal(t, []string{"me:**REDACTED**", "/x"}, entries[0].Only.Words)
	assert.Equal(t, []string{"/srv/**REDACTED**"}, entries[1].Only.Targets)
	require.NoError(t, f.Allow(t.Context(), "main", entries[:1]))
	assert.NotContains(t, onDisk(t, dir), "SEKRET")
	assert.True(t, listed(f, "-pSEKRET", "me:SEKRET", "/x", "plain"))
	assert.False(t, listed(f, "-p**REDACTED**"))
	assert.False(t, listed(f, "me:other"))
}

func TestRT22TheNextWriteRemovesTheSecretsOfAnOldEntry(t *testing.T) {
	dir := private(t)
	old := `{"version":1,"agents":{"main":{"allowlist":[{"id":"1","pattern":"/usr/bin/curl","source":"allow-always","lastUsedCommand":"curl --token=hunter2SEKRET","only":{"form":"words","argv":["--token=hunter2SEKRET"],"cwd":"/srv/app"}}]}}}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, allowlist.Name), []byte(old), 0o600))
	f := sealed(t, dir, "key")
	assert.True(t, listed(f, "--token=hunter2SEKRET"))
	require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{{Pattern: "/usr/bin/ls"}}))
	assert.NotContains(t, onDisk(t, dir), "hunter2SEKRET")
	assert.True(t, listed(f, "--token=hunter2SEKRET"))
}

func TestRT22TheLastUsedCommandIsWrittenWithoutSecrets(t *testing.T) {
	dir := private(t)
	f := sealed(t, dir, "key")
	require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{{Pattern: "/usr/bin/curl"}}))
	facts := program("/usr/bin/curl")
	facts.Exec.Command = "curl -u me:hunter2SEKRET https://a.b/"
	f.Observe(facts)
	f.Used(facts)
	require.NoError(t, f.Flush())
	assert.Contains(t, onDisk(t, dir), "curl -u me:**REDACTED** https://a.b/")
}

func TestAFileWithUnknownDigestsIsRefused(t *testing.T) {
	for name, secrets := range map[string]string{
		"no such place": `{"argv/1":"0123456789012345678901234567890123456789012345678901234567890123"}`,
		"no place":      `{"cwd":"0123456789012345678901234567890123456789012345678901234567890123"}`,
		"no digest":     `{"argv/0":"x"}`,
	} {
		f := open(t, private(t), `{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/usr/bin/cp","only":{"form":"words","argv":["a"],"cwd":"/","secrets":`+secrets+`}}]}}}`)
		assert.Equal(t, gavel.CodeAllowlistCorrupt, code(f.Problem()), name)
	}
}

func TestAnInvalidKeyIsRefused(t *testing.T) {
	path := filepath.Join(private(t), "key")
	first, err := allowlist.OpenKey(path)
	require.NoError(t, err)
	again, err := allowlist.OpenKey(path)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	require.NoError(t, os.WriteFile(path, []byte("abcd\n"), 0o600))
	_, err = allowlist.OpenKey(path)
	require.ErrorContains(t, err, "it contains no key")
}
