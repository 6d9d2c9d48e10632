package telegram_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/telegram"
)

func TestTextsOfAQuestionAreShownSafely(t *testing.T) {
	for name, c := range map[string]struct{ value, want string }{
		"line feeds":      {"ls\nAllowed by Alice", `ls\u{A}Allowed by Alice`},
		"bidi marks":      {"rm \u202etxt.exe", `rm \u{202E}txt.exe`},
		"markup":          {"<b>*x*</b>", "<b>*x*</b>"},
		"what was hidden": {"a\u200bb", "Careful, Command: has characters that are invisible or reverse text"},
		"a long text":     {strings.Repeat("x", 5000) + "; rm -rf ~", "characters are left out after the first"},
		"its end":         {strings.Repeat("x", 5000) + "; rm -rf ~", "; rm -rf ~"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			q := question()
			q.Fields[1].Value = c.value
			ctx, cancel := context.WithCancel(t.Context())
			result := l.ask(t, ctx, privately(), q)
			_, text, _ := l.last()
			assert.Contains(t, text, c.want)
			assert.LessOrEqual(t, len(utf16.Encode([]rune(text))), 4000)
			cancel()
			<-result
		})
	}
}

func TestManyLongFieldsFitIntoOneMessage(t *testing.T) {
	l := newLab(t)
	q := question()
	for range 12 {
		q.Fields = append(q.Fields, telegram.Field{Name: "Field", Value: strings.Repeat("🚀", 3000)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := l.ask(t, ctx, privately(), q)
	_, text, _ := l.last()
	assert.LessOrEqual(t, len(utf16.Encode([]rune(text))), 4000)
	assert.Contains(t, text, "curl https://example.com")
	cancel()
	<-result
}

func TestAQuestionNeedsNamedPeopleInTheirOwnChat(t *testing.T) {
	l := newLab(t)
	for _, chat := range []telegram.Chat{{}, {ID: group}, {ID: group, People: []int64{alice, 0}}, {ID: group, People: []int64{group}}, {ID: alice, People: []int64{alice + 1}}} {
		_, err := l.bot.Ask(t.Context(), chat, question())
		require.Error(t, err)
	}
	assert.Zero(t, l.called("sendMessage"))
}

func TestImplausibleSettingsAreErrors(t *testing.T) {
	good := (&lab{fakeAPI: newFake(t), dir: t.TempDir()}).config()
	for name, change := range map[string]func(*telegram.Config){
		"a token with a path":   func(c *telegram.Config) { c.Token = "123456:../../x" },
		"an empty token":        func(c *telegram.Config) { c.Token = "" },
		"http to another host":  func(c *telegram.Config) { c.Base = "http://bots.example" },
		"an address with a key": func(c *telegram.Config) { c.Base = "https://bots.example/?x=1" },
		"an address with login": func(c *telegram.Config) { c.Base = "https://u:p@bots.example" },
		"no directory":          func(c *telegram.Config) { c.Dir = "" },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			change(&cfg)
			_, err := telegram.New(cfg)
			require.Error(t, err)
		})
	}
}
