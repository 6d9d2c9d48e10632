// Package telegram asks people with Telegram. A question is a message with buttons; a tap on
// a button is the answer. The package judges nothing: it says who tapped what.
//
// A bot belongs to one process. [Bot.Run] polls for taps, and a lock in the state directory
// keeps a second process away. A bot with a webhook is refused: the webhook may belong to
// another program, and Telegram sends taps either to it or to whoever polls.
//
// A tap counts if its button was made with this bot's token, the question is open, the tap is
// in the chat and on the message of the question, the person is allowed to answer, and nobody
// has answered before. Every other tap gets an alert and is reported to [Config.Refused].
//
// Questions live as long as the process. After a restart the messages of the old ones say
// that they are no longer open.
package telegram

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gavel/internal/outgoing"
	"gavel/internal/statefile"
)

const (
	maxReplies = 8    // replies to taps that are on their way at a time
	maxIdle    = 4    // connections that are kept
	maxLiving  = 1000 // questions whose messages may still change
)

// DefaultBase is the address of the public Bot API.
const DefaultBase = "https://api.telegram.org"

// Config configures a bot. Token, Dir, Now and Random are required.
type Config struct {
	Token string // of a bot that no other program uses
	Base  string // address of the Bot API; "" is DefaultBase
	// Dir is the state directory. The bot keeps its lock and its state below telegram/.
	Dir    string
	Client *http.Client // nil uses no proxy and follows no redirects
	Now    func() time.Time
	Random func([]byte) // fills a slice with unpredictable bytes
	// Pause waits between attempts, until the context ends; nil waits for real.
	Pause   func(context.Context, time.Duration)
	Refused func(Refusal) // is told about each tap that does not count; it may be nil
	Logger  *slog.Logger  // nil discards
}

// Chat is where a question is sent, and who may answer it.
type Chat struct {
	ID int64
	// People are the ids of those who may answer. An empty list is valid only for a private
	// chat, whose id is positive: then only the person of this chat may answer.
	People []int64
}

// Check returns an error if nobody in particular may answer in the chat, or nobody who can.
func (c Chat) Check() error {
	if c.ID == 0 {
		return errors.New("the chat has no id")
	}
	if slices.ContainsFunc(c.People, func(id int64) bool { return id <= 0 }) {
		return errors.New("a user id is a positive number")
	}
	if len(c.People) == 0 && c.ID < 0 {
		return errors.New("in a group everybody could answer: list the user ids of those who may")
	}
	if len(c.People) > 0 && c.ID > 0 && !c.may(c.ID) {
		return errors.New("in a private chat only its person can answer, who is not among those who may")
	}
	return nil
}

// may reports whether a person may answer in the chat.
func (c Chat) may(user int64) bool {
	if len(c.People) == 0 {
		return user == c.ID
	}
	return slices.Contains(c.People, user)
}

// Question is what a person is asked. Title and Fields may come from an attacker.
type Question struct {
	Title  string
	Fields []Field
	// Text takes the place of Title and Fields if it is not empty. The caller has sanitised
	// it, and it has at most 3,900 UTF-16 units.
	Text    string
	Choices []Choice  // two or three
	Expires time.Time // taps after this moment do not count
	// Accept is called with the first tap of a person in Chat.People, before it counts. If it
	// returns an error, the person reads the error, the tap does not count, and the question
	// stays open. It may be nil. It must not call the bot.
	Accept func(context.Context, Answer) error
}

// Field is one line of a question: a name, and a value that is shown safely.
type Field struct{ Name, Value string }

// Choice is one button. Result is what the message says once it was tapped, such as
// "Allowed".
type Choice struct{ Label, Result string }

// Answer is a tap that counts.
type Answer struct {
	Choice int // index of the choice
	User   User
}

// User is a person on Telegram. Only the id is an identity; names can be changed at any time.
type User struct {
	ID   int64
	Name string
}

// Refusal is a tap that does not count.
type Refusal struct {
	User   User
	Chat   int64
	Reason string // such as "not allowed to answer"
	At     time.Time
}

// Ended is a cause with which the context of [Bot.Ask] can be cancelled. The message then shows
// it.
type Ended string

func (e Ended) Error() string { return string(e) }

// These errors say why there is no answer.
var (
	// ErrUnreachable means that the question was not delivered, or that taps cannot arrive.
	ErrUnreachable = errors.New("telegram cannot be reached")
	// ErrBusy means that too many questions are open here, or that Telegram wants fewer messages
	// for longer than there is time.
	ErrBusy = errors.New("too many questions are asked with Telegram")
	// ErrExpired means that nobody answered in time.
	ErrExpired = errors.New("nobody has answered in time")
)

// Bot asks questions. It is safe for concurrent use.
type Bot struct {
	cfg  Config
	api  *api
	key  []byte // authenticates buttons
	log  *slog.Logger
	path string // of the state, without its ending

	replies errgroup.Group // edits and acknowledgements on their way

	lives sync.WaitGroup // of questions; it is added to only before stopped is set

	mu      sync.Mutex
	open    map[string]*pending // by the id in the button
	living  int                 // questions whose messages may still change
	stopped bool                // no further question is taken
	healthy chan struct{}       // closed once taps can arrive
	known   chan struct{}       // closed once it is known whether they can
	problem error               // why taps cannot arrive; nil while they can

	writing sync.Mutex // for state
	state   *statefile.File[stored]
}

// tokenForm is what BotFather gives. Anything else could change the path of a request.
const tokenForm = `^[0-9]{1,20}:[A-Za-z0-9_-]{20,120}$`

// Check returns why no bot can have this token and this address of the Bot API; "" is
// [DefaultBase].
func Check(token, base string) error {
	if valid, err := regexp.MatchString(tokenForm, token); err != nil || !valid {
		return errors.New("the bot token is not like 123456:ABC-DEF…, as BotFather gives it")
	}
	if base == "" {
		return nil
	}
	return checkBase(base)
}

// New returns a bot. It sends nothing before Run.
func New(cfg Config) (*Bot, error) {
	if err := Check(cfg.Token, cfg.Base); err != nil {
		return nil, err
	}
	if cfg.Dir == "" || cfg.Now == nil || cfg.Random == nil {
		return nil, errors.New("telegram: Dir, Now and Random are required")
	}
	if cfg.Base == "" {
		cfg.Base = DefaultBase
	}
	if cfg.Client == nil {
		cfg.Client = outgoing.NewClient(outgoing.ClientConfig{Idle: maxIdle, Permit: permit(cfg.Base)})
	}
	if cfg.Pause == nil {
		cfg.Pause = outgoing.Pause
	}
	if cfg.Refused == nil {
		cfg.Refused = func(Refusal) {}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	digest := sha256.Sum256([]byte(cfg.Token))
	mac := hmac.New(sha256.New, []byte(cfg.Token))
	mac.Write([]byte("gavel: buttons of questions"))
	b := &Bot{
		cfg: cfg, api: &api{base: cfg.Base, token: cfg.Token, client: cfg.Client}, key: mac.Sum(nil), log: cfg.Logger,
		path: filepath.Join(cfg.Dir, "telegram", fmt.Sprintf("%x", digest[:8])),
		open: map[string]*pending{}, healthy: make(chan struct{}), known: make(chan struct{}), problem: errNotPolled,
	}
	b.state = b.newState()
	b.replies.SetLimit(maxReplies)
	return b, nil
}

// Problems of a bot that does not poll: before the first poll, and after the last.
var (
	errNotPolled = errors.New("the bot has not started yet")
	errStopping  = errors.New("Gavel is stopping")
)

// permit returns which addresses may be dialled: for http only those of this machine, whatever a
// name leads to; nil permits all.
func permit(base string) func(address string) error {
	if strings.HasPrefix(strings.ToLower(base), "https:") {
		return nil
	}
	return outgoing.Loopback
}

// checkBase accepts https, and http for loopback addresses.
func checkBase(base string) error {
	at, err := url.Parse(base)
	switch {
	case err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return fmt.Errorf("apiBase %q is not an address like %s", base, DefaultBase)
	case at.Scheme == "https":
		return nil
	case at.Scheme == "http" && slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, at.Hostname()):
		return nil
	}
	return fmt.Errorf("apiBase %q must be https; http is possible for loopback addresses only", base)
}
