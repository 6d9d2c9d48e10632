package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gavel/internal/private"
	"gavel/internal/rescue"
)

const (
	shortestPause = time.Second // after a failed poll; each further failure doubles it
	longestPause  = 30 * time.Second
	// maxRepeated is how far below the offset an update has been handled before. One that is
	// further below begins a new sequence: Telegram chooses a new number after a week without
	// updates, and another server of the Bot API has its own.
	maxRepeated = 10
	// manyFailures is how many polls in a row fail before open questions end. Until then
	// Telegram may still deliver their taps.
	manyFailures = 3
)

// ErrInUse means that another process on this machine polls for the same bot.
var ErrInUse = errors.New("another process uses this bot with the same state directory")

// Run polls for taps until ctx ends. It is called once. It returns an error if this bot cannot
// be used at all: [ErrInUse], a state file that cannot be read, or a directory that others
// can write to. While Telegram refuses the bot or cannot be reached, Run keeps trying, and
// questions fail with [ErrUnreachable].
func (b *Bot) Run(ctx context.Context) error {
	unlock, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	saved, _, err := b.state.Look()
	if err != nil {
		return err
	}
	offset := saved.Offset
	closing := slices.Clone(saved.Open)
	failures := 0
	for ctx.Err() == nil {
		next, err := b.poll(ctx, offset, failures > 0 || b.starting())
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			failures++
			b.fail(err, failures)
			b.cfg.Pause(ctx, b.backoff(err, failures))
			continue
		}
		failures = 0
		b.recover()
		b.closeOld(ctx, &closing)
		if next != offset {
			offset = next
			b.keepOffset(ctx, offset)
		}
	}
	b.mu.Lock()
	b.stopped = true
	b.mu.Unlock()
	b.fail(errStopping, manyFailures)
	b.lives.Wait()
	_ = b.replies.Wait() // replies return no errors
	return ctx.Err()
}

// lock keeps other processes away from the bot.
func (b *Bot) lock(ctx context.Context) (unlock func(), err error) {
	dir := filepath.Dir(b.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	if err := private.CheckPlace(dir); err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	unlock, err = private.Lock(ctx, b.path+".poll.lock")
	if err != nil {
		return nil, fmt.Errorf("telegram: %w (%w)", ErrInUse, err)
	}
	return unlock, nil
}

// starting reports whether no poll has succeeded yet.
func (b *Bot) starting() bool {
	select {
	case <-b.healthy:
		return false
	default:
		return true
	}
}

// poll receives updates once and handles their taps. It returns the offset for the next poll.
// A first poll, and one after a failure, checks that no webhook is set, and does not wait: then
// the bot is known to work as soon as possible.
func (b *Bot) poll(ctx context.Context, offset int64, check bool) (int64, error) {
	seconds := pollSeconds
	if check {
		seconds = 0
		at, err := b.api.webhook(ctx)
		if err != nil {
			return offset, err
		}
		if at != "" {
			return offset, errors.New("a webhook is set for this bot, so taps go there: use another bot, or remove the webhook yourself")
		}
	}
	list, err := b.api.updates(ctx, offset, seconds)
	if err != nil {
		return offset, err
	}
	slices.SortFunc(list, func(x, y update) int { return cmp.Compare(x.ID, y.ID) })
	old := 0
	for _, u := range list {
		if u.ID < offset {
			if old++; offset-u.ID <= maxRepeated {
				continue
			}
		}
		offset = u.ID + 1
		if u.Callback != nil {
			rescue.Run(b.log, "handle a tap", func() { b.tap(ctx, u.Callback) })
		}
	}
	if old > 0 {
		b.cfg.Pause(ctx, shortestPause) // a server that always repeats updates is not asked all the time
	}
	return offset, nil
}

// backoff returns how long to wait after a failure: what Telegram asks for, or a pause that
// doubles, with jitter so that two processes do not stay in step.
func (b *Bot) backoff(err error, failures int) time.Duration {
	var refused *apiError
	if errors.As(err, &refused) && refused.RetryAfter > 0 {
		return min(refused.RetryAfter, 10*time.Minute)
	}
	wait := min(shortestPause<<min(failures-1, 10), longestPause)
	var jitter [1]byte
	b.cfg.Random(jitter[:])
	return wait - wait/4*time.Duration(jitter[0])/255
}

// fail records that taps cannot arrive. After several failures in a row, open questions end.
func (b *Bot) fail(err error, failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.problem == nil || b.problem.Error() != err.Error() {
		b.log.Error("taps cannot be received from Telegram", "error", err, "fix", advice(err))
	}
	b.problem = err
	if failures < manyFailures {
		return
	}
	b.settle()
	for _, p := range b.open {
		if !p.answered {
			p.answered = true
			p.failed <- err
		}
	}
}

// settle lets questions go on that wait for the first poll. The caller holds the lock.
func (b *Bot) settle() {
	select {
	case <-b.known:
	default:
		close(b.known)
	}
}

// advice says what to do about a failure.
func advice(err error) string {
	var refused *apiError
	if !errors.As(err, &refused) {
		return "check the network, and whether the address of the Bot API is right"
	}
	switch refused.Code {
	case 401, 404:
		return "check the bot token: BotFather shows it"
	case 409:
		return "another program polls for this bot: stop it, or give Gavel a bot of its own"
	}
	return "see the description"
}

// recover records that taps arrive.
func (b *Bot) recover() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.problem != nil {
		b.log.Info("taps are received from Telegram")
	}
	b.problem = nil
	select {
	case <-b.healthy:
	default:
		close(b.healthy)
	}
	b.settle()
}

// Problem returns why taps cannot arrive now, or nil.
func (b *Bot) Problem() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.problem
}
