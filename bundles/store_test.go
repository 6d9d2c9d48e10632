package bundles_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

func TestABadPolicyChangesNothingButTheStatus(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig)
	store, err := bundles.Open(context.Background(), shipped(dir))
	require.NoError(t, err)
	good := store.Current().Revision()

	writeFile(t, filepath.Join(dir, "config.yaml"), "tools:\n  profile: codng\nagents: {main: {}}\n")
	require.Error(t, store.Reload(context.Background()))
	status := store.Status()
	assert.Equal(t, good, store.Current().Revision())
	assert.Equal(t, good, status.Revision)
	assert.False(t, status.StaleSince.IsZero())
	assert.Equal(t, uint64(1), status.Failures)
	require.Len(t, status.Problems, 1)
	assert.Equal(t, "config.yaml", status.Problems[0].File)
	assert.Equal(t, 2, status.Problems[0].Line)

	since := status.StaleSince
	require.Error(t, store.Reload(context.Background()))
	assert.Equal(t, since, store.Status().StaleSince, "stale since the first failure")

	writeFile(t, filepath.Join(dir, "config.yaml"), plainConfig+"# corrected\n")
	require.NoError(t, store.Reload(context.Background()))
	assert.NotEqual(t, good, store.Current().Revision())
	assert.True(t, store.Status().StaleSince.IsZero())
	assert.Empty(t, store.Status().Problems)
}

func TestAPolicyThatVanishesLeavesTheLastGoodOne(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig)
	store, err := bundles.Open(context.Background(), shipped(dir))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "config.yaml")))
	require.Error(t, store.Reload(context.Background()))
	assert.Equal(t, gavel.Allow, store.Current().Decide(context.Background(), factsOf(t, toolCall("main", "read")), false).Effect)
}

func TestAStoreNeedsAPolicyToBeginWith(t *testing.T) {
	_, err := bundles.Open(context.Background(), shipped(policyDir(t, "config.yaml", "tools: 5\n")))
	require.Error(t, err)
}

func TestAChangedFileIsInForceWithoutARestart(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig)
	store, err := bundles.Open(context.Background(), shipped(dir))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { assert.NoError(t, store.Watch(ctx)) })
	defer watching.Wait()
	defer stop()
	facts := factsOf(t, toolCall("main", "read"))
	effect := func() gavel.Effect { return store.Current().Decide(context.Background(), facts, false).Effect }
	require.Equal(t, gavel.Allow, effect())

	writeFile(t, filepath.Join(dir, "config.yaml"), "tools: {deny: [read]}\nagents: {main: {}}\n")
	require.Eventually(t, func() bool { return effect() == gavel.Deny }, time.Minute, 10*time.Millisecond)

	writeFile(t, filepath.Join(dir, "config.yaml"), plainConfig)
	require.Eventually(t, func() bool { return effect() == gavel.Allow }, time.Minute, 10*time.Millisecond)

	writeFile(t, filepath.Join(dir, "custom", "new", "rule.rego"), "package custom.new\n\ndeny contains \"no\"\n")
	require.Eventually(t, func() bool { return effect() == gavel.Deny }, time.Minute, 10*time.Millisecond)
}

func TestAStoreCallsBackBeforeAndAfterAReload(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig)
	cfg, calls := shipped(dir), ""
	var store *bundles.Store
	revision := func() string { return store.Status().Revision[:4] }
	cfg.BeforeReload = func() { calls += "before with " + revision() + " in force, " }
	cfg.AfterReload = func() { calls += "after with " + revision() }
	store, err := bundles.Open(context.Background(), cfg)
	require.NoError(t, err)
	assert.Empty(t, calls, "the first load is not a reload")

	before := revision()
	writeFile(t, filepath.Join(dir, "config.yaml"), "tools: {deny: [read]}\nagents: {main: {}}\n")
	require.NoError(t, store.Reload(context.Background()))
	assert.NotEqual(t, before, revision())
	assert.Equal(t, "before with "+before+" in force, after with "+revision(), calls)

	calls, before = "", revision()
	writeFile(t, filepath.Join(dir, "config.yaml"), "tools: 5\n")
	require.Error(t, store.Reload(context.Background()))
	assert.Equal(t, "before with "+before+" in force, after with "+before, calls, "after a policy that cannot be used")
}

// Every decision must be the one of the revision that it names.
func TestReloadingUnderLoadNeverMixesPolicies(t *testing.T) {
	dir := policyDir(t)
	versions := []string{
		"tools: {profile: full}\nagents: {main: {}}\n",
		"tools: {profile: full, deny: [read]}\nagents: {main: {}}\n",
	}
	want := map[string]gavel.Effect{}
	for i, text := range versions {
		writeFile(t, filepath.Join(dir, "config.yaml"), text)
		want[load(t, dir).Revision()] = []gavel.Effect{gavel.Allow, gavel.Deny}[i]
	}
	store, err := bundles.Open(context.Background(), shipped(dir))
	require.NoError(t, err)
	facts := factsOf(t, toolCall("main", "read"))
	var done atomic.Bool
	var asking sync.WaitGroup
	seen := sync.Map{}
	for range 4 {
		asking.Go(func() {
			for !done.Load() {
				d := store.Current().Decide(context.Background(), facts, false)
				effect, known := want[d.Revision]
				if !assert.True(t, known, d.Revision) || !assert.Equal(t, effect, d.Effect, d.Reasons) {
					return
				}
				seen.Store(d.Revision, true)
			}
		})
	}
	for i := range 20 {
		writeFile(t, filepath.Join(dir, "config.yaml"), versions[i%2])
		require.NoError(t, store.Reload(context.Background()))
	}
	done.Store(true)
	asking.Wait()
	for revision := range want {
		_, ok := seen.Load(revision)
		assert.True(t, ok, "both policies were in force while calls were decided")
	}
}

// Neither the order of files on disk nor the iteration order of maps may change a decision.
func TestTheOrderOfLoadsDoesNotChangeDecisions(t *testing.T) {
	configs, calls := twinCases()
	names := []string{"a", "b", "c", "d", "e", "f"}
	files := []string{"config.yaml", configs["agents with lists"]}
	for _, name := range names {
		files = append(files, "custom/"+name+".rego", fmt.Sprintf(
			"package custom.%s\n\nask contains \"%s\" if input.tool.name == \"message\"\n\ndeny contains \"%s\" if input.tool.name == \"tts\"\n", name, name, name))
	}
	calls["objected to by six packages"] = toolCall("relay", "message")
	var first map[string]gavel.Decision
	for range 40 {
		order := rand.Perm(len(files) / 2)
		var shuffled []string
		for _, i := range order {
			shuffled = append(shuffled, files[2*i], files[2*i+1])
		}
		s := load(t, policyDir(t, shuffled...))
		got := map[string]gavel.Decision{}
		for name, call := range calls {
			got[name] = decide(t, s, call)
		}
		if first == nil {
			first = got
		}
		require.Equal(t, first, got)
	}
}

// panickingFS is a file system that panics on demand, as a bug in a compiler might.
type panickingFS struct {
	fs.FS
	broken atomic.Bool
}

func (b *panickingFS) Open(name string) (fs.File, error) {
	if b.broken.Load() {
		panic("a bug")
	}
	return b.FS.Open(name)
}

func TestAPolicyWhoseLoadingPanicsLeavesTheLastGoodOne(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig)
	cfg := shipped(dir)
	builtin := &panickingFS{FS: cfg.Builtin}
	cfg.Builtin = builtin
	store, err := bundles.Open(context.Background(), cfg)
	require.NoError(t, err)
	good := store.Current().Revision()

	writeFile(t, filepath.Join(dir, "config.yaml"), plainConfig+"# changed\n")
	builtin.broken.Store(true)
	require.ErrorContains(t, store.Reload(context.Background()), "panic: a bug")
	status := store.Status()
	assert.Equal(t, good, store.Current().Revision())
	assert.False(t, status.StaleSince.IsZero(), "and /ready says so")
	require.Len(t, status.Problems, 1)
	assert.NotContains(t, status.Problems[0].Message, "store_test.go", "the stack is for the log alone")

	builtin.broken.Store(false)
	require.NoError(t, store.Reload(context.Background()))
	assert.NotEqual(t, good, store.Current().Revision())
}

// The log says so also if the usable policy is the one in force.
func TestTheLogSaysThatAPolicyIsUsableAgain(t *testing.T) {
	t.Parallel()
	dir := policyDir(t, "config.yaml", plainConfig)
	cfg := shipped(dir)
	var log bytes.Buffer
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	store, err := bundles.Open(t.Context(), cfg)
	require.NoError(t, err)
	writeFile(t, filepath.Join(dir, "config.yaml"), "x: [")
	require.Error(t, store.Reload(t.Context()))
	assert.Contains(t, log.String(), "the last good one stays in force")
	writeFile(t, filepath.Join(dir, "config.yaml"), plainConfig)
	require.NoError(t, store.Reload(t.Context()))
	assert.Contains(t, log.String(), "the policy is usable again")

	log.Reset()
	cfg.Path = policyDir(t, "config.yaml", "x: [")
	_, err = bundles.Open(t.Context(), cfg)
	require.Error(t, err)
	assert.Contains(t, log.String(), "there is no earlier one")
	assert.NotContains(t, log.String(), "last good")
}
