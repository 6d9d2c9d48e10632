//go:build unix

package sessions_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/sessions"
)

var _ gavel.SessionKeeper = (*sessions.Store)(nil)

func start() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func open(dir string, now *time.Time) *sessions.Store {
	return sessions.Open(dir, func() time.Time { return *now }, slog.New(slog.DiscardHandler))
}

func of(agent, key string, parents ...string) *gavel.Call {
	call := &gavel.Call{Agent: gavel.Agent{ID: agent}, Session: gavel.Session{Key: key}}
	for _, parent := range parents {
		call.Agent.Parents = append(call.Agent.Parents, gavel.Parent{ID: parent})
	}
	return call
}

// from makes a call one of a credential.
func from(call *gavel.Call, kind string, bound ...string) *gavel.Call {
	call.Caller = &gavel.CallerFacts{Kind: kind, Sessions: bound}
	return call
}

func set(agent, key string, values gavel.StoredValues, until time.Time) gavel.StoredSession {
	return gavel.StoredSession{Agent: agent, Key: key, StoredValues: values, By: "discord:1", ExpiresAt: until}
}

func read(own gavel.StoredValues, others ...gavel.StoredValues) gavel.SessionValuesFacts {
	return gavel.SessionValuesFacts{State: "read", Own: own, Others: others}
}

func TestAValueAppliesToItsSessionUntilItExpiresEvenAfterARestart(t *testing.T) {
	dir, now := t.TempDir(), start()
	strict := gavel.StoredValues{Ask: "always"}
	stored, err := open(dir, &now).Set(t.Context(), set("main", "agent:main:X", strict, now.Add(time.Hour)))
	require.NoError(t, err)
	assert.Equal(t, "agent:main:x", stored.Key)
	s := open(dir, &now)
	assert.Equal(t, read(strict), s.Observe(of("Main ", " agent:main:x")))
	assert.Equal(t, read(gavel.StoredValues{}), s.Observe(of("main", "agent:main:y")))
	assert.Equal(t, read(gavel.StoredValues{}), s.Observe(of("other", "agent:main:x")))
	now = now.Add(time.Hour)
	assert.Equal(t, read(gavel.StoredValues{}), s.Observe(of("main", "agent:main:x")))
	info, err := os.Stat(filepath.Join(dir, "sessions.json"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}

func TestALaterValueIsAddedToTheOthersOfTheSession(t *testing.T) {
	dir, now := t.TempDir(), start()
	s, other := open(dir, &now), open(dir, &now)
	for i, values := range []gavel.StoredValues{{Ask: "always", Host: "node"}, {Ask: "on-miss"}, {Elevated: "off"}} {
		keeper := []*sessions.Store{s, other, s}[i]
		_, err := keeper.Set(t.Context(), set("main", "k", values, now.Add(time.Duration(i+1)*time.Hour)))
		require.NoError(t, err)
	}
	want := gavel.StoredValues{Ask: "on-miss", Host: "node", Elevated: "off"}
	assert.Equal(t, read(want), other.Observe(of("main", "k")), "another process sees it")
	now = now.Add(3*time.Hour - time.Second)
	assert.Equal(t, read(want), s.Observe(of("main", "k")), "they expire together")
	now = now.Add(time.Second)
	stored, err := s.Set(t.Context(), set("main", "k", gavel.StoredValues{Node: "n"}, now.Add(time.Hour)))
	require.NoError(t, err)
	assert.Equal(t, gavel.StoredValues{Node: "n"}, stored.StoredValues, "what has expired does not come back")
}

// Whoever may choose a session key cannot choose one without values.
func TestACallerThatMayChooseItsSessionKeyGetsTheValuesOfAllSessionsOfTheAgent(t *testing.T) {
	dir, now := t.TempDir(), start()
	s := open(dir, &now)
	for i, stored := range []gavel.StoredSession{set("main", "a", gavel.StoredValues{Security: "deny", Host: "node", Elevated: "full"}, now.Add(time.Hour)),
		set("main", "b", gavel.StoredValues{Ask: "always"}, now.Add(2*time.Hour)), set("main", "c", gavel.StoredValues{Elevated: "full"}, now.Add(time.Hour)),
		set("coder", "d", gavel.StoredValues{Ask: "always"}, now.Add(time.Hour))} {
		_, err := s.Set(t.Context(), stored)
		require.NoError(t, err, i)
	}
	every := read(gavel.StoredValues{}, gavel.StoredValues{Security: "deny"}, gavel.StoredValues{Ask: "always"})
	for about, c := range map[string]struct {
		call *gavel.Call
		want gavel.SessionValuesFacts
	}{
		"an agent names another session":  {from(of("main", "z"), gavel.CallerAgent), every},
		"an agent names its session":      {from(of("main", "b"), gavel.CallerAgent), every},
		"an agent names none":             {from(of("main", ""), gavel.CallerAgent), every},
		"a gateway names none":            {from(of("main", ""), gavel.CallerGateway), every},
		"a gateway names one":             {from(of("main", "b"), gavel.CallerGateway), read(gavel.StoredValues{Ask: "always"})},
		"a credential that is bound":      {from(of("main", "b"), gavel.CallerAgent, "b"), read(gavel.StoredValues{Ask: "always"})},
		"whoever runs Gavel":              {of("main", "b"), read(gavel.StoredValues{Ask: "always"})},
		"a descendant, in its session":    {of("helper", "agent:helper:subagent:1", "main"), every},
		"a descendant of another":         {of("helper", "x", "coder", "nobody"), read(gavel.StoredValues{}, gavel.StoredValues{Ask: "always"})},
		"an agent without stored values":  {from(of("helper", "b"), gavel.CallerAgent), read(gavel.StoredValues{})},
		"a kind of caller nobody knows":   {from(of("main", "b"), ""), every},
		"the values of both, only once":   {from(of("main", "b", "coder"), gavel.CallerAgent), every},
		"an agent of a bound key, no key": {from(of("main", " "), gavel.CallerAgent, "b"), every},
	} {
		assert.Equal(t, c.want, s.Observe(c.call), about)
	}
	now = now.Add(time.Hour)
	assert.Equal(t, read(gavel.StoredValues{}, gavel.StoredValues{Ask: "always"}), s.Observe(from(of("main", "z"), gavel.CallerAgent)))
}

func TestAnUnusableFileIsUnknownAndNotChanged(t *testing.T) {
	good := `{"key":"k","agent":"a","security":"","ask":"off","host":"","node":"","elevated":"","by":"","expiresAt":"2026-01-02T05:04:05Z"}`
	for name, text := range map[string]string{
		"empty":              "",
		"no JSON":            "{",
		"another version":    `{"version":2,"sessions":[]}`,
		"no list":            `{"version":1}`,
		"unknown keys":       `{"version":1,"sessions":[],"x":1}`,
		"a value twice":      `{"version":1,"sessions":[` + good + `,` + good + `]}`,
		"without an agent":   `{"version":1,"sessions":[` + strings.Replace(good, `"a"`, `""`, 1) + `]}`,
		"capitals":           `{"version":1,"sessions":[` + strings.Replace(good, `"k"`, `"K"`, 1) + `]}`,
		"without a value":    `{"version":1,"sessions":[` + strings.Replace(good, `"off"`, `""`, 1) + `]}`,
		"without an end":     `{"version":1,"sessions":[` + strings.Replace(good, `2026-01-02T05:04:05Z`, `0001-01-01T00:00:00Z`, 1) + `]}`,
		"a list for a value": `{"version":1,"sessions":[` + strings.Replace(good, `"off"`, `["off"]`, 1) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir, now := t.TempDir(), start()
			path := filepath.Join(dir, "sessions.json")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			s := open(dir, &now)
			assert.Equal(t, gavel.SessionValuesFacts{State: "unknown"}, s.Observe(of("a", "k")))
			_, err := s.Set(t.Context(), set("a", "k", gavel.StoredValues{Ask: "always"}, now.Add(time.Hour)))
			require.ErrorContains(t, err, path)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, text, string(after))
		})
	}
}

func TestAnInvalidSessionIsNotStored(t *testing.T) {
	dir, now := t.TempDir(), start()
	later, ask := now.Add(time.Hour), gavel.StoredValues{Ask: "always"}
	for name, stored := range map[string]gavel.StoredSession{
		"no session":    set("main", " ", ask, later),
		"a long key":    set("main", strings.Repeat("k", gavel.MaxName+1), ask, later),
		"no agent":      set("", "k", ask, later),
		"no value":      set("main", "k", gavel.StoredValues{}, later),
		"no end":        set("main", "k", ask, time.Time{}),
		"a long value":  set("main", "k", gavel.StoredValues{Node: strings.Repeat("n", 201)}, later),
		"several lines": set("main", "k", gavel.StoredValues{Node: "a\nb"}, later),
	} {
		_, err := open(dir, &now).Set(t.Context(), stored)
		require.Error(t, err, name)
	}
	assert.NoFileExists(t, filepath.Join(dir, "sessions.json"))
}

func TestAnAgentHasAtMostAThousandSessions(t *testing.T) {
	dir, now := t.TempDir(), start()
	var all []string
	for i := range 1000 {
		all = append(all, fmt.Sprintf(`{"key":"k%d","agent":"main","security":"","ask":"always","host":"","node":"","elevated":"","by":"","expiresAt":"2026-01-02T05:04:05Z"}`, i))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sessions.json"), []byte(`{"version":1,"sessions":[`+strings.Join(all, ",")+`]}`), 0o600))
	s, values := open(dir, &now), gavel.StoredValues{Ask: "off"}
	_, err := s.Set(t.Context(), set("main", "one more", values, now.Add(time.Hour)))
	require.ErrorContains(t, err, "too many")
	_, err = s.Set(t.Context(), set("main", "k7", values, now.Add(time.Hour)))
	require.NoError(t, err, "one that is there already")
	_, err = s.Set(t.Context(), set("coder", "k7", values, now.Add(time.Hour)))
	require.NoError(t, err, "another agent")
	now = start().Add(2 * time.Hour)
	_, err = s.Set(t.Context(), set("main", "one more", values, now.Add(time.Hour)))
	require.NoError(t, err, "the others have expired")
}
