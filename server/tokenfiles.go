package server

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gavel"
	"gavel/internal/private"
)

// TokenFiles follows the token files that [OpenTokens] reads. A token whose file is deleted,
// replaced or changed is refused from the next request on, and one in a new file is accepted. An
// unusable file contains no token. If another token's file is edited in place, it is read again
// when a request has an unknown token or the directory changes. It is safe for concurrent use.
type TokenFiles struct {
	folder string
	shared []string // agents for whom the token of the scope decide speaks
	named  bool     // the scope approve has tokens of people only
	log    *slog.Logger
	// changed is called with the digests of the tokens, by credential; may be nil.
	changed func(digests map[string]string)

	mu           sync.Mutex
	fingerprints map[string]private.Print  // of the directory and its files, by path
	open         *os.File                  // the directory that was read, or nil
	files        map[string]string         // the path of a credential's file, by its name
	identities   map[string]gavel.Identity // by the name of the credential
	tokens       Tokens
}

// OpenTokenFiles opens the tokens as [OpenTokens] does, and follows their files. If named is true,
// it removes the token of the scope approve that several people may share, so that only named people
// can answer. shared are the agents for which the token of the scope decide speaks. changed is
// called in order with the SHA-256 of each token, by credential, whenever they were read again. It
// must not block, and may be nil.
func OpenTokenFiles(dir string, shared []string, named bool, log *slog.Logger, changed func(digests map[string]string)) (*TokenFiles, error) {
	if _, err := openTokens(dir, !named); err != nil {
		return nil, err
	}
	f := &TokenFiles{folder: filepath.Join(dir, "tokens"), shared: shared, named: named, log: log, changed: changed}
	f.read()
	return f, nil
}

// FollowTokenFiles does the same in a state directory that gavel serve may use too: it creates only
// the token of the given scope, and removes nothing.
func FollowTokenFiles(dir string, scope gavel.Scope, shared []string, log *slog.Logger) (*TokenFiles, error) {
	folder := filepath.Join(dir, "tokens")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("open tokens: %w", err)
	}
	if err := private.CheckPlace(folder); err != nil {
		return nil, fmt.Errorf("open tokens: %w", err)
	}
	path := filepath.Join(folder, string(scope)+".token")
	_, err := readToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = createToken(path)
	}
	if err != nil {
		return nil, fmt.Errorf("open tokens: %w", err)
	}
	f := &TokenFiles{folder: folder, shared: shared, named: true, log: log}
	f.read()
	return f, nil
}

// Token implements gavel.Identities. A known token is valid if its own file and the directory are
// unchanged: adding, removing or replacing a file changes the directory. For any other token, every
// file is checked. Because this happens in every request, the directory is checked by its open
// descriptor and not by its path: if the directory was moved, so was the token's file.
func (f *TokenFiles) Token(token string) (gavel.Identity, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name, ok := f.tokens.name(token)
	if ok && !(f.fingerprints[f.folder].SameOpen(f.open) && f.unchanged(f.files[name])) || !ok && !f.current() {
		f.read()
		name, ok = f.tokens.name(token)
	}
	if !ok {
		return gavel.Identity{}, false
	}
	return f.identities[name], true
}

// Holds reports whether the token of a name and issue is still in its file.
func (f *TokenFiles) Holds(name, issue string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.current() {
		f.read()
	}
	digest, known := f.tokens.digests()[name]
	return known && gavel.IssueOfDigest(digest) == issue
}

// Certificate implements gavel.Identities. Files contain no certificates.
func (f *TokenFiles) Certificate([]string) (gavel.Identity, bool) { return gavel.Identity{}, false }

// current reports whether no file has changed.
func (f *TokenFiles) current() bool {
	for path := range f.fingerprints {
		if !f.unchanged(path) {
			return false
		}
	}
	return true
}

// unchanged reports whether a file that was read is certainly unchanged.
func (f *TokenFiles) unchanged(path string) bool {
	print, ok := f.fingerprints[path]
	return ok && print.Same(path)
}

// read reads every file again. It creates none: a token that was deleted is revoked.
func (f *TokenFiles) read() {
	f.fingerprints = map[string]private.Print{f.folder: private.PrintOf(f.folder)}
	_ = f.open.Close() // nothing was written; of nil it is an error
	f.open = nil
	f.files, f.identities = map[string]string{}, map[string]gavel.Identity{}
	f.tokens = Tokens{}
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		f.log.Error("tokens are not readable; none is accepted", "error", err)
		return
	}
	info, err := os.Lstat(f.folder)
	if err == nil {
		err = private.CheckDirectory(f.folder, info)
	}
	if err != nil {
		f.log.Error("tokens are not safe; none is accepted", "error", err)
		return
	}
	f.open, _ = os.Open(f.folder) // no FIFO: that was checked. Without it, every request reads the files
	for _, entry := range entries {
		name, ok := credentialInFileName(entry.Name())
		if !ok || f.named && name == string(gavel.ScopeApprove) {
			continue
		}
		path := filepath.Join(f.folder, entry.Name())
		f.fingerprints[path], f.files[name] = private.PrintOf(path), path
		token, err := readToken(path)
		if err == nil {
			err = f.tokens.add(name, token)
		}
		if err != nil {
			f.log.Error("a token is not accepted", "file", path, "error", err)
			continue
		}
		f.identities[name] = identityOf(name, f.shared)
	}
	if f.changed != nil {
		f.changed(f.tokens.digests())
	}
}

// credentialInFileName returns decide for decide.token, and approve:alice for approve.alice.token.
func credentialInFileName(file string) (name string, ok bool) {
	if person, ok := personInFileName(file); ok {
		return approverCredential(person), true
	}
	name, ok = strings.CutSuffix(file, ".token")
	return name, ok && gavel.Scope(name).ForTokens()
}

// identityOf returns the identity of a token by the name of its credential. The token of the scope
// decide is shared: it speaks for the agents in shared, and may not make claims.
func identityOf(name string, shared []string) gavel.Identity {
	id := gavel.Identity{Name: name}
	switch scope, person := gavel.ScopeOf(name); scope {
	case gavel.ScopeDecide, gavel.ScopeSocket:
		id.Speaks = &gavel.CallerFacts{Kind: gavel.CallerAgent, Name: id.Name, Agents: shared}
	case gavel.ScopeRun:
		id.Speaks = &gavel.CallerFacts{Kind: gavel.CallerAgent, Name: id.Name, Agents: shared}
	case gavel.ScopeGateway:
		id.Speaks = gavel.Trusted()
		id.Speaks.Name = id.Name
	case gavel.ScopeApprove:
		id.Person = person
	}
	return id
}

// Approvers returns the people who have a usable token file in dir, and whether there is a shared
// token of the scope approve. It creates nothing. A missing directory means no people.
func Approvers(dir string) (people []string, shared bool, err error) {
	folder := filepath.Join(dir, "tokens")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	for _, entry := range entries {
		name, ok := credentialInFileName(entry.Name())
		scope, person := gavel.ScopeOf(name)
		if !ok || scope != gavel.ScopeApprove {
			continue
		}
		if _, err := readToken(filepath.Join(folder, entry.Name())); err != nil {
			continue
		}
		if person == "" {
			shared = true
			continue
		}
		people = append(people, person)
	}
	return people, shared, nil
}
