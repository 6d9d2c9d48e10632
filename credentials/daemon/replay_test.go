package daemon

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel/credentials/wire"
)

func TestARequestIsKnownForAWhile(t *testing.T) {
	r, now := newReplay(2*time.Second, 10), time.Unix(1000, 0)
	assert.Equal(t, seenNever, r.see(1, wire.MAC{1}, now))
	assert.Equal(t, seenBefore, r.see(1, wire.MAC{1}, now.Add(time.Second)))
	assert.Equal(t, seenNever, r.see(2, wire.MAC{1}, now), "another user")
	assert.Equal(t, seenNever, r.see(1, wire.MAC{1}, now.Add(3*time.Second)))
}

// The reference forgets the entry that ends first. What is forgotten could be shown again.
func TestNothingIsForgottenBeforeItsTime(t *testing.T) {
	r, now := newReplay(time.Minute, 2), time.Unix(1000, 0)
	assert.Equal(t, seenNever, r.see(1, wire.MAC{1}, now))
	assert.Equal(t, seenNever, r.see(1, wire.MAC{2}, now))
	assert.Equal(t, seenTooMany, r.see(1, wire.MAC{3}, now))
	assert.Len(t, r.known, 2)
	r.resize(5*time.Minute, 1)
	assert.Equal(t, seenBefore, r.see(1, wire.MAC{1}, now), "a smaller limit forgets nothing")
	assert.Equal(t, seenNever, r.see(1, wire.MAC{4}, now.Add(time.Minute)))
	assert.Equal(t, seenBefore, r.see(1, wire.MAC{4}, now.Add(5*time.Minute)), "the new time holds for what comes")
}

func TestOnlyKnownCallersMayAskWhatThereIs(t *testing.T) {
	c := &callers{own: fileID{1, 2}}
	for name, ok := range map[string]bool{"gavel": true, "claw-wrap": true, "gh": false, "": false} {
		assert.Equal(t, ok, c.mayCheck(&caller{file: fileID{1, 2}, name: name}, nil), name)
	}
	assert.False(t, c.mayCheck(&caller{file: fileID{1, 3}, name: "gavel"}, nil), "another file")
	assert.False(t, c.mayCheck(&caller{name: "gavel"}, errUnreadable))
	assert.False(t, c.allowed(fileID{}), "what was not examined is not allowed")
}
