package telegram

import (
	"context"
	"sync"

	"gavel/internal/rescue"
)

// Pool runs one bot for each token, so that several parts of Gavel can use the same one. It is
// safe for concurrent use.
type Pool struct {
	cfg Config

	mu      sync.Mutex
	bots    map[[2]string]*Bot
	running context.Context // nil before Run
	ended   bool
	polls   sync.WaitGroup
}

// NewPool returns a pool. Token and Base of cfg are ignored.
func NewPool(cfg Config) *Pool { return &Pool{cfg: cfg, bots: map[[2]string]*Bot{}} }

// Get returns the bot with a token at an address of the Bot API; "" is [DefaultBase]. A bot
// polls from its first use until Run returns.
func (p *Pool) Get(token, base string) (*Bot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil, errStopping
	}
	key := [2]string{token, base}
	if bot, ok := p.bots[key]; ok {
		return bot, nil
	}
	cfg := p.cfg
	cfg.Token, cfg.Base = token, base
	bot, err := New(cfg)
	if err != nil {
		return nil, err
	}
	p.bots[key] = bot
	if p.running != nil {
		p.start(bot)
	}
	return bot, nil
}

// Used reports whether the pool has a bot.
func (p *Pool) Used() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.bots) > 0
}

// start begins to poll. The caller holds the lock.
func (p *Pool) start(bot *Bot) {
	ctx := p.running
	p.polls.Go(func() {
		rescue.Keep(ctx, bot.log, "poll Telegram", shortestPause, func() {
			for ctx.Err() == nil {
				if err := bot.Run(ctx); ctx.Err() == nil {
					bot.fail(err, manyFailures)
					bot.cfg.Pause(ctx, longestPause)
				}
			}
		})
	})
}

// Run lets the bots poll until ctx ends, and waits until they have stopped. It is called once.
func (p *Pool) Run(ctx context.Context) {
	p.mu.Lock()
	p.running = ctx
	for _, bot := range p.bots {
		p.start(bot)
	}
	p.mu.Unlock()
	<-ctx.Done()
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.polls.Wait()
}
