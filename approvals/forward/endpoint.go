package forward

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"

	"gavel"
	"gavel/internal/private"
	"gavel/internal/strictjson"
)

const (
	minSecret = 16       // bytes
	maxFile   = 64 << 10 // bytes of <channel>.json
)

// Reachable says whether a target has a configuration file.
func (f *Forwarder) Reachable(target gavel.Target) bool { return Configured(f.cfg.Dir, target) == nil }

// Configured says why the files of a directory do not say how a target is reached, or nil.
// The error is fs.ErrNotExist if there is no file for it.
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

	client *http.Client
}

func endpointIn(dir string, target gavel.Target) (*endpoint, error) {
	if !plain(target.Channel) {
		return nil, errors.New("the channel's name has characters that are not allowed")
	}
	if plain(target.To) {
		at, err := readEndpoint(filepath.Join(dir, target.Channel+"."+target.To+".json"))
		if !errors.Is(err, fs.ErrNotExist) {
			return at, err
		}
	}
	return readEndpoint(filepath.Join(dir, target.Channel+".json"))
}

// plain matches names that are safe in file names.
func plain(name string) bool {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '#' || r == '@') {
			return false
		}
	}
	return name != "" && len(name) <= 128
}

func readEndpoint(path string) (*endpoint, error) {
	text, err := private.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	var at endpoint
	if err := strictjson.Unmarshal(text, &at); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
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
