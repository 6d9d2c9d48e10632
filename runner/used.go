package runner

import (
	"context"
	"errors"
	"time"

	"gavel/grant"
	"gavel/internal/statefile"
)

// Ledger remembers which grants were used. A [grant.Ledger] does for one process.
type Ledger interface {
	// Use uses up a grant. An error means that it was used before, or that its use cannot be
	// recorded; then the grant permits nothing.
	Use(claims *grant.Claims, now time.Time) error
}

// UsedGrants is a ledger in a private file, so that a grant counts once for all runners that share
// the file, whenever they start. It is safe for concurrent use.
type UsedGrants struct{ Path string }

// mostUsed limits the file, in bytes. Grants are valid for a minute; the file has those of that time.
const mostUsed = 4 << 20

// lockWait is how long another runner may keep the file locked.
const lockWait = 10 * time.Second

// Use implements Ledger. A file that cannot be read is left unchanged.
func (u *UsedGrants) Use(claims *grant.Claims, now time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	file := statefile.New(statefile.Config[grant.Uses]{Path: u.Path, Limit: mostUsed, What: "used grants",
		Fix: "restore it, or remove it a minute after the last answer", Check: checkUses})
	return file.Edit(ctx, func(uses *grant.Uses) error { return uses.Use(claims, now) })
}

func checkUses(uses *grant.Uses) error {
	if uses.Below < 0 {
		return errors.New("below is negative")
	}
	return nil
}
