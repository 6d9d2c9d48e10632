package forward

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel"
	"gavel/internal/private"
	"gavel/internal/strictjson"
	"gavel/internal/telegram"
)

const (
	minSecret = 16       // bytes
	maxFile   = 64 << 10 // bytes of <channel>.json
)

// Reachable reports whether a target has a usable configuration file.
func (f *Forwarder) Reachable(target gavel.Target) bool { return Configured(f.cfg.Dir, target) == nil }

// Configured returns nil if a file in dir configures a target, fs.ErrNotExist if no file does,
// and otherwise an error that describes what is wrong with the file.
func Configured(dir string, target gavel.Target) error {
	_, err := endpointIn(dir, target)
	return err
}

// endpoint is the configuration of a channel.
type endpoint struct {
	URL    string `json:"url"`
	Secret string `json:"secret"` // whsec_ and base64, or text; signs what is sent
	// AllowPrivate permits addresses of this machine and of private networks.
	AllowPrivate bool `json:"allowPrivate"`
	// Bot asks with buttons, and its taps are answers. It takes the place of URL and Secret.
	Bot *bot `json:"bot"`

	client *http.Client
}

// bot configures which Telegram bot asks, and who may answer there.
type bot struct {
	Token   string `json:"token"`
	APIBase string `json:"apiBase"` // "" is the public Bot API
	// People maps names of approvers to their user ids on Telegram.
	People map[string]int64 `json:"people"`
}

// person returns the name of a user, or "".
func (b *bot) person(user int64) string {
	for name, id := range b.People {
		if id == user {
			return name
		}
	}
	return ""
}

// check returns what is wrong with the settings of a bot for a target.
func (b *bot) check(target gavel.Target) error {
	if err := telegram.Check(b.Token, b.APIBase); err != nil {
		return err
	}
	chat, err := strconv.ParseInt(target.To, 10, 64)
	if err != nil || target.Channel != "telegram" {
		return errors.New("bot is for targets of the channel telegram whose to is the number of a chat")
	}
	if len(b.People) == 0 {
		return errors.New("bot.people is empty: name the people who may answer, with their user ids")
	}
	seen := map[int64]bool{}
	for name, id := range b.People {
		switch {
		case name == "" || name != strings.ToLower(strings.TrimSpace(name)):
			return fmt.Errorf("bot.people: %q is not the name of a person: use lower case, as in the name of the person's token", name)
		case id <= 0 || seen[id]:
			return fmt.Errorf("bot.people: %q needs a user id of its own, which is a positive number", name)
		}
		seen[id] = true
	}
	if err := (telegram.Chat{ID: chat, People: slices.Collect(maps.Values(b.People))}).Check(); err != nil {
		return fmt.Errorf("bot.people: %w", err)
	}
	return nil
}

func endpointIn(dir string, target gavel.Target) (*endpoint, error) {
	if !validFileName(target.Channel) {
		return nil, errors.New("the channel's name has characters that are not allowed")
	}
	if validFileName(target.To) {
		at, err := readEndpoint(filepath.Join(dir, target.Channel+"."+target.To+".json"), target)
		if !errors.Is(err, fs.ErrNotExist) {
			return at, err
		}
	}
	return readEndpoint(filepath.Join(dir, target.Channel+".json"), target)
}

// validFileName matches names that are safe in file names.
func validFileName(name string) bool {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '#' || r == '@') {
			return false
		}
	}
	return name != "" && len(name) <= 128
}

func readEndpoint(path string, target gavel.Target) (*endpoint, error) {
	text, err := private.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	var at endpoint
	if err := strictjson.Unmarshal(text, &at); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if at.Bot != nil {
		err := at.Bot.check(target)
		if err == nil && (at.URL != "" || at.Secret != "") {
			err = errors.New("bot takes the place of url and secret: remove these")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return &at, nil
	}
	if !strings.HasPrefix(at.URL, "https://") && !(at.AllowPrivate && strings.HasPrefix(at.URL, "http://")) {
		return nil, fmt.Errorf("%s: the url is not https", path)
	}
	if at.Secret != "" && len(at.Secret) < minSecret {
		return nil, fmt.Errorf("%s: the secret has fewer than %d characters", path, minSecret)
	}
	at.client = at.newClient()
	return &at, nil
}
