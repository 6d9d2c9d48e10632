package allowlist

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"gavel"
	"gavel/internal/private"
	"gavel/internal/secrets"
)

// keyBytes is the length of the key for digests.
const keyBytes = 32

// OpenKey reads the key that identifies secret words of entries, or creates it.
//
// The approvals file is backed up and shown to operators, so it must not contain passwords,
// and a plain SHA-256 of a short password can be found by trial. The file therefore has the
// masked text and an HMAC with this key, which is in a separate file. Whoever has both files
// can try passwords. Without the key such entries match nothing.
func OpenKey(path string) ([]byte, error) {
	text, err := private.ReadFile(path, 2*keyBytes+1)
	if errors.Is(err, fs.ErrNotExist) {
		if err := private.CreateFile(path, []byte(hex.EncodeToString(newKey())+"\n"), 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create the key of the allowlist: %w", err)
		}
		text, err = private.ReadFile(path, 2*keyBytes+1) // another process may have created it first
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of the allowlist: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keyBytes {
		return nil, &private.Error{Path: path, Problem: "it contains no key", Fix: "restore it, or delete it; commands with secrets must then be approved again"}
	}
	return key, nil
}

func newKey() []byte {
	key := make([]byte, keyBytes)
	rand.Read(key) //nolint:errcheck // documented never to fail
	return key
}

// sealer keeps secrets out of entries.
type sealer struct {
	key    []byte
	masker *secrets.Masker
}

// part is a list of words of an entry, and its name in Only.Secrets.
type part struct {
	name  string
	words *[]string
}

func parts(o *gavel.Only) []part {
	return []part{{"argv", &o.Argv}, {"targets", &o.Targets}, {"options", &o.Options}, {"words", &o.Words}}
}

func place(name string, i int) string { return name + "/" + strconv.Itoa(i) }

// Seal masks the secrets in entries that an answer would add, and keeps their digests. known
// are words of the command that were recognised as secrets by their context.
func (f *File) Seal(entries []gavel.OfferedPattern, known []string) []gavel.OfferedPattern {
	sealed := slices.Clone(entries)
	for i := range sealed {
		sealed[i].Only = f.seal.only(sealed[i].Pattern, sealed[i].Only, known)
	}
	return sealed
}

// only masks the secrets in limits, and stores the digest of each masked word. Words that are
// already masked stay.
func (s *sealer) only(pattern string, only *gavel.Only, known []string) *gavel.Only {
	if only == nil || len(only.Secrets) > 0 {
		return only
	}
	o := *only
	argv, found := s.masker.Words(append([]string{pattern}, o.Argv...)) // the program determines what its options mean
	known = append(found, known...)
	for _, p := range parts(&o) {
		words := slices.Clone(*p.words)
		for i, word := range words {
			shown, _ := s.masker.Text(word)
			if p.name == "argv" {
				shown = argv[i+1]
			}
			for _, secret := range known {
				shown = strings.ReplaceAll(shown, secret, secrets.Redacted)
			}
			if shown == word {
				continue
			}
			if o.Secrets == nil {
				o.Secrets = map[string]string{}
			}
			words[i], o.Secrets[place(p.name, i)] = shown, s.digest(pattern, word)
		}
		*p.words = words
	}
	return &o
}

// digest identifies a secret word of a program.
func (s *sealer) digest(pattern, word string) string {
	mac := hmac.New(sha256.New, s.key)
	fmt.Fprintf(mac, "gavel-entry-1\n%q\n%s", pattern, word)
	return hex.EncodeToString(mac.Sum(nil))
}

// document masks the secrets of a whole file before it is written.
func (s *sealer) document(d *Document) {
	for _, agent := range d.Agents {
		for i := range agent.Allowlist {
			e := &agent.Allowlist[i]
			e.Only = withoutEmptyLists(s.only(e.Pattern, e.Only, nil))
			e.LastUsedCommand, _ = s.masker.Text(e.LastUsedCommand)
		}
	}
}

// limits are the limits of an entry, and the digester of its secret words.
type limits struct {
	*gavel.Only
	pattern string
	seal    *sealer
}

// is reports whether a word equals the one at an index of the entry. A masked word is
// compared by its digest.
func (l *limits) is(name string, list []string, i int, word string) bool {
	if digest, secret := l.Secrets[place(name, i)]; secret {
		return hmac.Equal([]byte(digest), []byte(l.seal.digest(l.pattern, word)))
	}
	return list[i] == word
}

func (l *limits) equal(name string, list, words []string) bool {
	if len(list) != len(words) {
		return false
	}
	for i, word := range words {
		if !l.is(name, list, i, word) {
			return false
		}
	}
	return true
}

func (l *limits) contains(name string, list []string, word string) bool {
	for i := range list {
		if l.is(name, list, i, word) {
			return true
		}
	}
	return false
}

// checkSecrets returns what is wrong with the digests of an entry.
func checkSecrets(only *gavel.Only) error {
	places := map[string]bool{}
	for _, p := range parts(only) {
		for i := range *p.words {
			places[place(p.name, i)] = true
		}
	}
	for at, digest := range only.Secrets {
		if !places[at] || len(digest) != 2*sha256.Size || !isHex(digest) {
			return fmt.Errorf("secrets: %q is not the index of a word, or its digest is not an HMAC-SHA-256 in lower-case hex", at)
		}
	}
	return nil
}
