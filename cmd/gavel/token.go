package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxToken   = 4096 // maximum size of a token file, in bytes
	leastToken = 32   // minimum length of a token of gavel serve, in characters
)

// readToken reads an operator's token: from --token, or the one that gavel serve created. Text
// that cannot be a token is an error that does not show the text, and nothing is sent.
func (d *desk) readToken(a *app, state string) (string, error) {
	path := d.token
	if path == "" {
		name := cmp.Or(d.own, "approve.token")
		if d.as != "" {
			if strings.ContainsFunc(d.as, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`./\`, r) }) {
				return "", fix(fmt.Errorf("--as %q is not the name of an operator", d.as), "use a name such as alice, whose token is tokens/approve.alice.token")
			}
			name = "approve." + d.as + ".token"
		}
		path = filepath.Join(state, "tokens", name)
		if err := refusedByServer(path); err != nil {
			return "", err
		}
	}
	text, from, err := a.tokenText(path)
	if errors.Is(err, os.ErrNotExist) && d.as != "" && d.token == "" {
		return "", fix(err, "name the file with --token if "+d.as+" has a token already, or create one: gavel token create "+d.as+" --scope approve --out "+path)
	}
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(text)
	const good = "put exactly one token there, as in tokens/<scope>.token"
	switch {
	case len(text) > maxToken:
		return "", fix(fmt.Errorf("read the token: %s is larger than %d bytes", from, maxToken), good)
	case token == "":
		return "", fix(fmt.Errorf("read the token: %s is empty", from), good)
	case strings.ContainsAny(token, "\r\n"):
		return "", fix(fmt.Errorf("read the token: %s has more than one line", from), good)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "", fix(fmt.Errorf("read the token: %s has characters other than printable ASCII without spaces", from), good)
	}
	return token, nil
}

// refusedByServer says why gavel serve does not accept the token that it wrote to a file: others
// may have read it. The server's answer to the token cannot say so.
func refusedByServer(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return nil //nolint:nilerr // reading the file says what is wrong
	}
	return fix(fmt.Errorf("read the token: %s is accessible to group or others (%s), so gavel serve does not accept it", path, info.Mode()),
		"run chmod 600 "+path)
}

// tokenText reads a file, or standard input for -. from names the source in errors.
func (a *app) tokenText(path string) (text, from string, err error) {
	in, from := a.stdin, "standard input"
	if path != "-" {
		from = path
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return "", "", missingToken(path, err)
		}
		if err != nil {
			return "", "", fix(fmt.Errorf("read the token: %w", err), "use a file that this user may read")
		}
		defer file.Close() //nolint:errcheck // it was only read
		in = file
	}
	read, err := io.ReadAll(io.LimitReader(in, maxToken+1))
	if err != nil {
		return "", "", fix(fmt.Errorf("read the token from %s: %w", from, err), "name a file with --token")
	}
	return string(read), from, nil
}

// missingToken says that the file does not exist. It does not show a name that may itself be a
// token.
func missingToken(path string, err error) error {
	if len(path) >= leastToken && !strings.ContainsAny(path, `/.\`) {
		return fix(errors.New("read the token: the file that --token names does not exist"),
			"--token names a file, or - for standard input; other processes could see a token on the command line")
	}
	return fix(fmt.Errorf("read the token: %w", err), "start gavel serve once, or name its state directory with --state, or the file of the token with --token")
}
