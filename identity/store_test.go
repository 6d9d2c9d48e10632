//go:build unix

package identity_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/identity"
)

func open(dir string, c *clock) *identity.Store {
	return identity.Open(dir, c.now, slog.New(slog.DiscardHandler), nil)
}

func coder() identity.Credential {
	return identity.Credential{Name: "coder", Scope: gavel.ScopeDecide, Agents: []string{"coder"}, Sessions: []string{"agent:coder:"}, Claims: []string{gavel.ClaimModel}}
}

func create(t *testing.T, s *identity.Store, c identity.Credential) string {
	t.Helper()
	token, err := s.Create(t.Context(), c)
	require.NoError(t, err)
	return token
}

func TestRT06ATokenSpeaksForTheAgentsThatItNames(t *testing.T) {
	dir := t.TempDir()
	token := create(t, open(dir, newClock()), coder())
	who, ok := open(dir, newClock()).Token(token)
	require.True(t, ok, "another process reads it")
	assert.Equal(t, gavel.Identity{Name: "decide:coder", Speaks: &gavel.CallerFacts{Kind: gavel.CallerAgent, Name: "decide:coder",
		Agents: []string{"coder"}, Sessions: []string{"agent:coder:"}, Claims: []string{"model"}}}, who)
	for _, wrong := range []string{"", token + "x", token[:len(token)-1], strings.ToUpper(token), "coder"} {
		_, ok := open(dir, newClock()).Token(wrong)
		assert.False(t, ok, wrong)
	}
}

func TestTheFileContainsNoToken(t *testing.T) {
	dir := t.TempDir()
	token := create(t, open(dir, newClock()), coder())
	path := filepath.Join(dir, "credentials.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(text), token)
	assert.NotContains(t, string(text), strings.TrimPrefix(token, "gavel_"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	assert.Len(t, strings.TrimPrefix(token, "gavel_"), 43, "256 bits in base64url")
}

func TestRT12ARevokedTokenEndsAtOnceInEveryProcess(t *testing.T) {
	dir := t.TempDir()
	serving, other := open(dir, newClock()), open(dir, newClock())
	token := create(t, other, coder())
	_, ok := serving.Token(token)
	require.True(t, ok)
	_, err := other.Revoke(t.Context(), "coder")
	require.NoError(t, err)
	_, ok = serving.Token(token)
	assert.False(t, ok)
	_, err = other.Revoke(t.Context(), "coder")
	require.ErrorIs(t, err, identity.ErrNotFound)
}

func TestRT12RemovingTheFileRevokesAllItsTokens(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, newClock())
	token := create(t, s, coder())
	_, ok := s.Token(token)
	require.True(t, ok)
	require.NoError(t, os.Remove(filepath.Join(dir, "credentials.json")))
	_, ok = s.Token(token)
	assert.False(t, ok)
}

func TestATokenExpires(t *testing.T) {
	c := newClock()
	s := open(t.TempDir(), c)
	credential := coder()
	credential.Expires = c.now().Add(time.Hour)
	token := create(t, s, credential)
	c.move(time.Hour - time.Second)
	_, ok := s.Token(token)
	require.True(t, ok)
	c.move(time.Second)
	_, ok = s.Token(token)
	require.False(t, ok)
	fresh := create(t, s, coder())
	_, ok = s.Token(fresh)
	assert.True(t, ok, "its name is free again")
}

func TestAnInvalidCredentialIsNotCreated(t *testing.T) {
	for name, c := range map[string]identity.Credential{
		"no agent":                      {Name: "a", Scope: gavel.ScopeDecide},
		"every agent":                   {Name: "a", Scope: gavel.ScopeDecide, Agents: []string{"**"}},
		"an agent with a brace":         {Name: "a", Scope: gavel.ScopeDecide, Agents: []string{"{a,b}"}},
		"an unknown claim":              {Name: "a", Scope: gavel.ScopeDecide, Agents: []string{"a"}, Claims: []string{"owner"}},
		"too many agents":               {Name: "a", Scope: gavel.ScopeDecide, Agents: slices.Repeat([]string{"a"}, 257)},
		"too many sessions":             {Name: "a", Scope: gavel.ScopeDecide, Agents: []string{"a"}, Sessions: slices.Repeat([]string{"agent:a:"}, 257)},
		"a blank session":               {Name: "a", Scope: gavel.ScopeDecide, Agents: []string{"a"}, Sessions: []string{""}},
		"no person":                     {Name: "a", Scope: gavel.ScopeApprove},
		"an approver bound to an agent": {Name: "a", Scope: gavel.ScopeApprove, Person: "a", Agents: []string{"a"}},
		"an unknown scope":              {Name: "a", Scope: "root"},
		"a name with a colon":           {Name: "a:b", Scope: gavel.ScopeAdmin},
		"a person in capitals":          {Name: "a", Scope: gavel.ScopeApprove, Person: "Alice"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := open(dir, newClock()).Create(t.Context(), c)
			require.Error(t, err)
			assert.NoFileExists(t, filepath.Join(dir, "credentials.json"))
		})
	}
}

func TestACredentialIsNotReplacedBeforeItExpires(t *testing.T) {
	dir, now := t.TempDir(), newClock()
	first := coder()
	first.Expires = now.now().Add(time.Hour)
	token := create(t, open(dir, now), first)
	_, err := open(dir, now).Create(t.Context(), coder())
	require.ErrorContains(t, err, "already exists")
	_, ok := open(dir, now).Token(token)
	require.True(t, ok)
	now.move(2 * time.Hour)
	create(t, open(dir, now), coder())
}

func TestTwoTokensOfAPersonCountAsOnePerson(t *testing.T) {
	s := open(t.TempDir(), newClock())
	one := create(t, s, identity.Credential{Name: "laptop", Scope: gavel.ScopeApprove, Person: "alice"})
	two := create(t, s, identity.Credential{Name: "phone", Scope: gavel.ScopeApprove, Person: "alice"})
	first, ok := s.Token(one)
	require.True(t, ok)
	second, ok := s.Token(two)
	require.True(t, ok)
	assert.Equal(t, first, second)
	assert.Equal(t, gavel.Identity{Name: "approve:alice", Person: "alice"}, first)
}

func TestACertificateIsACredential(t *testing.T) {
	s := open(t.TempDir(), newClock())
	c := identity.Credential{Name: "build", Scope: gavel.ScopeGateway, Agents: []string{"*"}, Certificate: "build.example.com"}
	assert.Empty(t, create(t, s, c), "it has no token")
	who, ok := s.Certificate([]string{"x", "build.example.com"})
	require.True(t, ok)
	assert.Equal(t, "gateway:build", who.Name)
	for _, names := range [][]string{nil, {""}, {"example.com"}} {
		_, ok := s.Certificate(names)
		assert.False(t, ok, names)
	}
	c.Name, c.Certificate = "other", "other.example.com"
	create(t, s, c)
	_, ok = s.Certificate([]string{"build.example.com", "other.example.com"})
	assert.False(t, ok, "a certificate with two names that are two credentials is neither")
}

func TestANewCertificateCredentialWithARevokedNameIsAnotherCredential(t *testing.T) {
	c := newClock()
	s := open(t.TempDir(), c)
	for name, change := range map[string]func(*identity.Credential){
		"of another certificate": func(c *identity.Credential) { c.Certificate = "other.example.com" },
		"for other agents":       func(c *identity.Credential) { c.Agents = []string{"helper"} },
		"created later":          func(*identity.Credential) { c.move(time.Hour) },
	} {
		own := identity.Credential{Name: "build", Scope: gavel.ScopeGateway, Agents: []string{"*"}, Certificate: "build.example.com"}
		create(t, s, own)
		before, ok := s.Certificate([]string{own.Certificate})
		require.True(t, ok)
		require.True(t, s.Holds(before.Name, before.Issue))
		_, err := s.Revoke(t.Context(), "build")
		require.NoError(t, err)
		change(&own)
		create(t, s, own)
		after, ok := s.Certificate([]string{own.Certificate})
		require.True(t, ok)
		assert.Equal(t, before.Name, after.Name)
		assert.NotEqual(t, before.Issue, after.Issue, name)
		assert.False(t, s.Holds(before.Name, before.Issue), "%s: what the other asked is withdrawn", name)
		_, err = s.Revoke(t.Context(), "build")
		require.NoError(t, err)
	}
}

func TestConcurrentWritersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		group.Go(func() {
			_, err := open(dir, newClock()).Create(t.Context(), identity.Credential{Name: name, Scope: gavel.ScopeAdmin})
			assert.NoError(t, err)
		})
	}
	group.Wait()
	list, err := open(dir, newClock()).List()
	require.NoError(t, err)
	assert.Len(t, list, 6)
}

func TestTheLastUseIsRecorded(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := open(dir, c)
	token := create(t, s, coder())
	_, ok := s.Token(token)
	require.True(t, ok)
	require.NoError(t, s.SaveUses())
	list, err := open(dir, c).List()
	require.NoError(t, err)
	assert.Equal(t, c.now().Truncate(time.Minute), list[0].LastUse)
}

func TestEveryChangeIsReportedWhicheverProcessMakesIt(t *testing.T) {
	dir := t.TempDir()
	var told [][]identity.Credential
	s := identity.Open(dir, newClock().now, slog.New(slog.DiscardHandler), func(list []identity.Credential) { told = append(told, list) })
	require.NoError(t, s.Problem())
	require.Len(t, told, 1, "what there is at first as well")
	create(t, open(dir, newClock()), coder())
	require.NoError(t, s.Problem())
	added, removed := identity.Difference(told[0], told[len(told)-1])
	assert.Equal(t, []int{1, 0}, []int{len(added), len(removed)})
	before := told[len(told)-1]
	wider := slices.Clone(before)
	wider[0].Claims = []string{"owner"}
	added, removed = identity.Difference(before, wider)
	assert.Equal(t, []int{1, 1}, []int{len(added), len(removed)}, "more rights are another credential")
	_, err := open(dir, newClock()).Revoke(t.Context(), "coder")
	require.NoError(t, err)
	require.NoError(t, s.Problem())
	assert.Empty(t, told[len(told)-1])
}
