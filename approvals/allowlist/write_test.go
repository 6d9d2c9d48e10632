package allowlist_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals/allowlist"
)

func TestAllowAddsEachPatternOnceAndKeepsExistingEntries(t *testing.T) {
	dir := private(t)
	f := open(t, dir, documents)
	require.NoError(t, f.Allow(t.Context(), "main", offered("/usr/bin/vi", " /usr/bin/vi ", "/usr/bin/git")))
	require.NoError(t, f.Allow(t.Context(), "main", offered("/usr/bin/vi")))
	require.NoError(t, f.Allow(t.Context(), "new", offered("/usr/bin/ed")))
	s, err := f.Get()
	require.NoError(t, err)
	main := s.File.Agents["main"].Allowlist
	require.Len(t, main, 5)
	assert.Equal(t, "/usr/bin/vi", main[3].Pattern)
	assert.Equal(t, "allow-always", main[3].Source)
	assert.Equal(t, "/usr/bin/git", main[4].Pattern, "an entry for some arguments is another one")
	assert.Equal(t, "^status$", main[1].ArgPattern, "entries beside it stay as they are (W49)")
	assert.Equal(t, "uuid-v4", main[0].ID)
	assert.NotEmpty(t, main[1].ID, "entries get ids when the file is written")
	facts := program("/usr/bin/vi")
	f.Observe(facts)
	assert.NotNil(t, facts.Exec.Segments[0].Listed, "it counts at once")
}

func TestAcceptedHazardsAreAddedToAnExistingEntry(t *testing.T) {
	f := open(t, private(t), documents)
	require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{{Pattern: "/usr/bin/sort", Args: []string{"-o"}}}))
	require.NoError(t, f.Allow(t.Context(), "main", []gavel.OfferedPattern{{Pattern: "/usr/bin/sort", Args: []string{"-T", "-o"}}}))
	facts := program("/usr/bin/sort")
	f.Observe(facts)
	assert.Equal(t, []string{"-o", "-T"}, facts.Exec.Segments[0].Listed.Args)
}

func TestSettingNeedsTheCurrentHash(t *testing.T) {
	dir := private(t)
	f := open(t, dir, documents)
	s, err := f.Get()
	require.NoError(t, err)
	assert.Empty(t, s.File.Socket.Token, "reads are redacted")
	next := *s.File
	_, err = f.Set(t.Context(), &next, "")
	assert.Equal(t, gavel.CodeBaseHashRequired, code(err))
	_, err = f.Set(t.Context(), &next, strings.Repeat("0", 64))
	assert.Equal(t, gavel.CodeBaseHashStale, code(err))
	_, err = f.Set(t.Context(), nil, s.Hash)
	assert.Equal(t, gavel.CodeAllowlistInvalid, code(err))
	wrong := "Deny"
	_, err = f.Set(t.Context(), &allowlist.Document{Version: 1, Defaults: &allowlist.Settings{Security: &wrong}}, s.Hash)
	assert.Equal(t, gavel.CodeAllowlistInvalid, code(err))

	after, err := f.Set(t.Context(), &next, s.Hash)
	require.NoError(t, err, "what was read can be sent back, with sources of entries (W48)")
	assert.NotEqual(t, s.Hash, after.Hash)
	assert.Equal(t, "secret", f.Token(), "the token stays")
	_, err = f.Set(t.Context(), &next, s.Hash)
	assert.Equal(t, gavel.CodeBaseHashStale, code(err))
}

func TestReplacingOneAgentKeepsTheOthers(t *testing.T) {
	f := open(t, private(t), documents)
	s, err := f.Get()
	require.NoError(t, err)
	after, err := f.SetAgent(t.Context(), "Coder", allowlist.Agent{Allowlist: []allowlist.Entry{{Pattern: "/usr/bin/go"}}}, s.Hash)
	require.NoError(t, err)
	assert.Len(t, after.File.Agents, 3)
	assert.Equal(t, "/usr/bin/go", after.File.Agents["coder"].Allowlist[0].Pattern)
	_, err = f.SetAgent(t.Context(), "coder", allowlist.Agent{Allowlist: []allowlist.Entry{{}}}, after.Hash)
	assert.Equal(t, gavel.CodeAllowlistInvalid, code(err))
}

func TestConcurrentProcessesLoseNoEntry(t *testing.T) {
	dir := private(t)
	open(t, dir, documents)
	var adding sync.WaitGroup
	for p := range 4 {
		f, err := openAt(filepath.Join(dir, allowlist.Name))
		require.NoError(t, err)
		adding.Go(func() {
			for i := range 10 {
				one := offered(fmt.Sprintf("/p%d/%d", p, i))
				for err := f.Allow(context.Background(), "many", one); err != nil; err = f.Allow(context.Background(), "many", one) {
					if !assert.ErrorContains(t, err, "another process holds it", "on a slow disk it may have to wait too long") {
						return
					}
				}
			}
		})
	}
	adding.Wait()
	f, err := openAt(filepath.Join(dir, allowlist.Name))
	require.NoError(t, err)
	s, err := f.Get()
	require.NoError(t, err)
	assert.Len(t, s.File.Agents["many"].Allowlist, 40)
	left, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	require.NoError(t, err)
	assert.Empty(t, left, "no temporary file is left")
}

func TestUsesAreWrittenTogether(t *testing.T) {
	dir := private(t)
	f := open(t, dir, documents)
	before := encode(t, dir)
	facts := program("/usr/bin/wc")
	f.Observe(facts)
	for range 100 {
		f.Used(facts)
	}
	assert.Equal(t, before, encode(t, dir), "a decision writes nothing")
	require.NoError(t, f.Flush())
	s, err := f.Get()
	require.NoError(t, err)
	assert.Equal(t, allowlist.Entry{ID: "id-1", Pattern: "/usr/bin/wc", LastUsedAt: 1_737_150_000_000,
		LastUsedCommand: "rg -n TODO src/", LastResolvedPath: "/usr/bin/wc"}, s.File.Agents["*"].Allowlist[0])
	written := encode(t, dir)
	require.NoError(t, f.Flush())
	assert.Equal(t, written, encode(t, dir), "nothing new is nothing to write")
}

func TestAPanicWhileWritingUsesDoesNotStopTheFile(t *testing.T) {
	dir := private(t)
	path := filepath.Join(dir, allowlist.Name)
	require.NoError(t, os.WriteFile(path, []byte(documents), 0o600))
	panicked := make(chan struct{})
	var once sync.Once
	f, err := allowlist.Open(allowlist.Config{Path: path, Flush: time.Millisecond, Now: time.Now, Token: func() string { return "" },
		NewID: func() string {
			once.Do(func() { close(panicked); panic("a bug") })
			return "id"
		}})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- f.Run(ctx) }()
	facts := program("/usr/bin/wc")
	f.Observe(facts)
	f.Used(facts)
	<-panicked
	f.Used(facts)
	stop()
	require.NoError(t, <-done)
	assert.Contains(t, encode(t, dir), "lastUsedAt", "what is left is written in the end")
}
