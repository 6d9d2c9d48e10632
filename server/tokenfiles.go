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

// TokenFiles are the tokens in files that [OpenTokens] reads, as they are now: a token whose
// file is deleted, replaced or changed ends with the next request, and one in a new file
// counts from the next request. A file that cannot be used holds no token. A change in place
// of another token's file is read when somebody shows a token that is unknown, or when the
// folder changes. It is safe for concurrent use.
type TokenFiles struct {
	folder string
	shared []string // agents for whom the token of the scope decide speaks
	named  bool     // the scope approve has tokens of people only
	log    *slog.Logger
	// changed is told the digests of the tokens, by scope; may be nil.
	changed func(digests map[string]string)

	mu     sync.Mutex
	prints map[string]private.Print  // of the folder and of its files
	open   *os.File                  // the folder that was read; nil when it could not be
	files  map[string]string         // where the token of a credential stands, by its name
	who    map[string]gavel.Identity // who shows it
	tokens Tokens
}

// OpenTokenFiles is [OpenTokens] for tokens that are followed. With named, the token of the scope
// approve that several people may share is removed, so that only people by name answer. shared are the agents for whom the token of the scope decide speaks.
// Changed is told the SHA-256 of each token, by scope, whenever they were read again, in
// order; it must not block. It may be nil.
func OpenTokenFiles(dir string, shared []string, named bool, log *slog.Logger, changed func(digests map[string]string)) (*TokenFiles, error) {
	if _, err := openTokens(dir, !named); err != nil {
		return nil, err
	}
	f := &TokenFiles{folder: filepath.Join(dir, "tokens"), shared: shared, named: named, log: log, changed: changed}
	f.read()
	return f, nil
}

// FollowTokenFiles is the same in a state directory that a gavel serve may use as well: only the
// token of the scope is created, and nothing is removed.
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

// Token implements gavel.Identities. For a token that is known, it is enough that its own
// file and the folder are unchanged: the folder shows files that are added, removed or
// replaced. For any other token every file is looked at. This happens in every request, so
// the folder is looked at without its path: if it is elsewhere now, so is the token's file.
func (f *TokenFiles) Token(token string) (gavel.Identity, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name, ok := f.tokens.name(token)
	if ok && !(f.prints[f.folder].SameOpen(f.open) && f.same(f.files[name])) || !ok && !f.current() {
		f.read()
		name, ok = f.tokens.name(token)
	}
	if !ok {
		return gavel.Identity{}, false
	}
	return f.who[name], true
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

// Certificate implements gavel.Identities: files hold none.
func (f *TokenFiles) Certificate([]string) (gavel.Identity, bool) { return gavel.Identity{}, false }

// current reports whether nothing has changed.
func (f *TokenFiles) current() bool {
	for path := range f.prints {
		if !f.same(path) {
			return false
		}
	}
	return true
}

// same reports whether a file that was read is certainly unchanged.
func (f *TokenFiles) same(path string) bool {
	print, ok := f.prints[path]
	return ok && print.Same(path)
}

// read reads every file again. It creates none: a token that was deleted is revoked.
func (f *TokenFiles) read() {
	f.prints = map[string]private.Print{f.folder: private.PrintOf(f.folder)}
	_ = f.open.Close() // nothing was written; of nil it is an error
	f.open = nil
	f.files, f.who = map[string]string{}, map[string]gavel.Identity{}
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
		name, ok := credentialOfFile(entry.Name())
		if !ok || f.named && name == string(gavel.ScopeApprove) {
			continue
		}
		path := filepath.Join(f.folder, entry.Name())
		f.prints[path], f.files[name] = private.PrintOf(path), path
		token, err := readToken(path)
		if err == nil {
			err = f.tokens.add(name, token)
		}
		if err != nil {
			f.log.Error("a token is not accepted", "file", path, "error", err)
			continue
		}
		f.who[name] = identityOf(name, f.shared)
	}
	if f.changed != nil {
		f.changed(f.tokens.digests())
	}
}

// credentialOfFile is decide of decide.token, and approve:alice of approve.alice.token.
func credentialOfFile(file string) (name string, ok bool) {
	if person, ok := personOf(file); ok {
		return approveOf(person), true
	}
	name, ok = strings.CutSuffix(file, ".token")
	return name, ok && gavel.Scope(name).ForTokens()
}

// identityOf is who shows a token of a name. That of decide is shared: it speaks for the
// agents that were named for it, and claims nothing.
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

// Approvers returns the people who have a usable token in a file of dir, and whether there is
// a shared token of the scope approve. Nothing is created; without a folder there is nobody.
func Approvers(dir string) (people []string, shared bool, err error) {
	folder := filepath.Join(dir, "tokens")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	for _, entry := range entries {
		name, ok := credentialOfFile(entry.Name())
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
