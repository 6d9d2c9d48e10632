package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/cases"
	"gavel/credentials/wire"
	"gavel/credentials/wrappers"
)

func TestARepeatedRequestIsRefusedUntilItExpires(t *testing.T) {
	r, now := newReplay(2*time.Second, 10), time.Unix(1000, 0)
	assert.Equal(t, seenNever, r.see(1, wire.MAC{1}, 1000, now))
	assert.Equal(t, seenBefore, r.see(1, wire.MAC{1}, 1000, now.Add(time.Second)))
	assert.Equal(t, seenNever, r.see(2, wire.MAC{1}, 1000, now), "another user")
	assert.Equal(t, seenNever, r.see(1, wire.MAC{1}, 1000+3, now.Add(3*time.Second)))
}

// A clock that goes forward makes the cache forget; one that goes back makes old requests fresh.
func TestSettingTheClockBackDoesNotRevalidateARequest(t *testing.T) {
	r, now := newReplay(time.Minute, 10), time.Unix(1000, 0)
	require.Equal(t, seenNever, r.see(1, wire.MAC{1}, 998, now))
	require.Equal(t, seenNever, r.see(1, wire.MAC{2}, 1003, now))
	assert.Equal(t, seenNever, r.see(1, wire.MAC{3}, 4600, now.Add(time.Hour)), "everything is forgotten")
	assert.Equal(t, seenTooOld, r.see(1, wire.MAC{1}, 998, now.Add(2*time.Second)))
	assert.Equal(t, seenTooOld, r.see(1, wire.MAC{2}, 1003, now.Add(2*time.Second)))
	assert.Equal(t, seenNever, r.see(1, wire.MAC{4}, 1004, now.Add(4*time.Second)), "later ones are none of those")
	assert.Equal(t, seenBefore, r.see(1, wire.MAC{4}, 1004, now.Add(4*time.Second)))
}

// The reference forgets the entry that ends first. What is forgotten could be shown again.
func TestTheReplayCacheForgetsNoRequestBeforeItExpires(t *testing.T) {
	r, now := newReplay(time.Minute, 2), time.Unix(1000, 0)
	assert.Equal(t, seenNever, r.see(1, wire.MAC{1}, 1000, now))
	assert.Equal(t, seenNever, r.see(1, wire.MAC{2}, 1000, now))
	assert.Equal(t, seenTooMany, r.see(1, wire.MAC{3}, 1000, now))
	assert.Len(t, r.known, 2)
	r.resize(5*time.Minute, 1)
	assert.Equal(t, seenBefore, r.see(1, wire.MAC{1}, 1000, now), "a smaller limit forgets nothing")
	assert.Equal(t, seenNever, r.see(1, wire.MAC{4}, 1060, now.Add(time.Minute)))
	assert.Equal(t, seenBefore, r.see(1, wire.MAC{4}, 1060, now.Add(5*time.Minute)), "the new time holds for what comes")
}

func TestOnlyKnownCallersMayCheckWhichToolsExist(t *testing.T) {
	c := &callers{own: fileID{1, 2}}
	for name, ok := range map[string]bool{"gavel": true, "claw-wrap": true, "gh": false, "": false} {
		assert.Equal(t, ok, c.mayCheck(&caller{file: fileID{1, 2}, name: name}, nil), name)
	}
	assert.False(t, c.mayCheck(&caller{file: fileID{1, 3}, name: "gavel"}, nil), "another file")
	assert.False(t, c.mayCheck(&caller{name: "gavel"}, errUnreadable))
	assert.False(t, c.allowed(fileID{}), "what was not examined is not allowed")
}

// keyed is a signature for a key of a case.
func keyed(key string) (mac wire.MAC) {
	copy(mac[:], key)
	return mac
}

func TestTheCasesOfTheReferenceAboutReplays(t *testing.T) {
	start := time.Unix(1000, 0)
	for _, c := range cases.Read(t, "..", "replay", "admin.check_gate") {
		t.Run(c.Name, func(t *testing.T) {
			keys := cases.Get[[]string](t, c.Input, "keys")
			switch name, _, _ := strings.Cut(c.Name, "/"); name {
			case "TestReplayCache_SeenOrStore":
				ttl, at := cases.Get[time.Duration](t, c.Input, "ttl_s")*time.Second, cases.Get[time.Duration](t, c.Input, "at_s")*time.Second
				r, key := newReplay(ttl, 10), keyed(cases.Get[string](t, c.Input, "key"))
				if at > 0 {
					require.Equal(t, seenNever, r.see(1, key, start.Unix(), start))
				}
				assert.Equal(t, cases.Get[bool](t, c.Expect, "seen"), r.see(1, key, start.Add(at).Unix(), start.Add(at)) != seenNever)
			case "TestReplayCache_MaxEntries": // what does not fit is refused here, and not remembered by forgetting another
				r := newReplay(time.Minute, cases.Get[int](t, c.Input, "max"))
				for _, key := range keys {
					r.see(1, keyed(key), start.Unix(), start)
				}
				assert.LessOrEqual(t, len(r.known), cases.Get[int](t, c.Expect, "size_le"))
			case "TestReplayCache_UpdateSettings": // nothing is forgotten here, so that the smaller size holds for what comes
				r := newReplay(time.Minute, 10)
				for _, key := range keys {
					require.Equal(t, seenNever, r.see(1, keyed(key), start.Unix(), start))
				}
				ttl, err := time.ParseDuration(cases.Get[string](t, c.Input, "new_ttl"))
				require.NoError(t, err)
				r.resize(ttl, cases.Get[int](t, c.Input, "new_max"))
				for _, key := range keys {
					assert.Equal(t, seenBefore, r.see(1, keyed(key), start.Unix(), start))
				}
				assert.Equal(t, seenTooMany, r.see(1, keyed("new"), start.Unix(), start))
				assert.Equal(t, seenNever, r.see(1, keyed("new"), start.Add(time.Minute+time.Second).Unix(), start.Add(time.Minute+time.Second)))
				assert.Equal(t, seenBefore, r.see(1, keyed("new"), start.Add(5*time.Minute).Unix(), start.Add(5*time.Minute)))
			case "TestReplayCache_UpdateSettings_Defaults":
				config, err := wrappers.Parse("w", []byte("tools: {t: {binary: /bin/true}}"))
				require.NoError(t, err)
				ttl, err := time.ParseDuration(cases.Get[string](t, c.Expect, "ttl"))
				require.NoError(t, err)
				assert.Equal(t, ttl, config.Proxy.ReplayTTL)
				assert.Equal(t, cases.Get[int](t, c.Expect, "max"), config.Proxy.ReplayEntries)
			case "TestAuthorizeAdminCheckCaller_DeniesUnreadableArgv0":
				assert.Equal(t, cases.Get[bool](t, c.Expect, "allowed"), (&callers{own: fileID{1, 2}}).mayCheck(&caller{file: fileID{1, 2}, name: ""}, nil))
			default:
				t.Fatal("nothing runs this case")
			}
		})
	}
}
