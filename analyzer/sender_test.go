package analyzer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// ids are senders as channels write them, with the telephone number of each.
func ids() []struct{ channel, id, want string } {
	return []struct{ channel, id, want string }{
		{"discord", "123456789012345678", ""},
		{"discord", "+1 555", ""},
		{"email", "+1@corp", ""},
		{"whatsapp", "+1 (555) 000-1111", "+15550001111"},
		{"whatsapp", "whatsapp:+1 555 000.1111", "+15550001111"},
		{"whatsapp", "telegram:+15550001111", ""},
		{"whatsapp", "15550001111@s.whatsapp.net", "+15550001111"},
		{"whatsapp", "15550001111:12@s.whatsapp.net", "+15550001111"},
		{"whatsapp", "x15550001111@s.whatsapp.net", ""},
		{"whatsapp", "1555:x@s.whatsapp.net", ""},
		{"whatsapp", "+1555@s.whatsapp.net", ""},
		{"whatsapp", "@s.whatsapp.net", ""},
		{"whatsapp", "15550001111@lid", ""},
		{"whatsapp", "15550001111", ""},
		{"whatsapp", "+", ""},
		{"whatsapp", "+1555 or 1", ""},
		{"signal", "15550001111@s.whatsapp.net", ""},
		{"signal", "+1-555", "+1555"},
		{"telegram", "group:-100500", ""},
	}
}

func TestAnIDThatIsATelephoneNumberHasThatSpellingToo(t *testing.T) {
	t.Parallel()
	for _, c := range ids() {
		got := sender(&gavel.Sender{Channel: " " + strings.ToUpper(c.channel), ID: c.id + " "}, nil)
		want := []string{}
		if c.want != "" {
			want = []string{c.want}
		}
		assert.Equal(t, c.id, got.ID)
		assert.Equal(t, want, got.Also, "%s %q", c.channel, c.id)
	}
	assert.Empty(t, sender(&gavel.Sender{Channel: "signal", ID: "+1555"}, nil).Also, "it is the only spelling")
}

// numbers are telephone numbers as people write them, with what E.164 makes of them.
func numbers() map[string]string {
	return map[string]string{
		"+15551234567": "+15551234567", " +1 (555) 123-4567 ": "+15551234567", "1.555.123": "+1555123",
		"": "", "+": "", "()": "", "alice": "", "+1555x": "", "+1+555": "", "1;2": "", "+1555\n": "+1555",
		"\u0661\u0662\u0663": "", "+1234567890123456": "", "tel:+1555": "",
	}
}

func TestATelephoneNumberIsDigitsOrNothing(t *testing.T) {
	t.Parallel()
	for given, want := range numbers() {
		assert.Equal(t, want, e164(given), "%q", given)
	}
}

func TestATagWithoutANumberIsTheName(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"Alice#1234": "alice#1234", "Alice#0": "alice", "alice": "alice", "alice#00": "alice#00", "#0": ""} {
		assert.Equal(t, want, sender(&gavel.Sender{Channel: "discord", Tag: given}, nil).Tag, given)
	}
}

func TestOnlyAGatewayNamesTheOwner(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]bool{gavel.CallerGateway: true, gavel.CallerAgent: false, "": false} {
		assert.Equal(t, want, sender(&gavel.Sender{ID: "1", Owner: true}, &gavel.CallerFacts{Kind: kind, Claims: gavel.AllClaims()}).Owner, kind)
	}
	assert.True(t, sender(&gavel.Sender{ID: "1", Owner: true}, nil).Owner, "whoever runs Gavel is trusted like a gateway")
	assert.False(t, sender(&gavel.Sender{ID: "1"}, nil).Owner)
}

// A spelling is final, and two different numbers are never the same.
func FuzzSender(f *testing.F) {
	for _, c := range ids() {
		f.Add(c.channel, c.id)
	}
	for given := range numbers() {
		f.Add("whatsapp", given)
	}
	f.Fuzz(func(t *testing.T, channel, given string) {
		id := gavel.Fold(given)
		digits := func(r rune) rune {
			if '0' <= r && r <= '9' {
				return r
			}
			return -1
		}
		if number := phoneNumber(channel, id); number != "" {
			assert.Equal(t, number, phoneNumber(channel, number))
			assert.Contains(t, "+"+strings.Map(digits, id), number)
		}
		if number := e164(given); number != "" {
			assert.Equal(t, number, e164(number))
			assert.Equal(t, "+"+strings.Map(digits, given), number)
		}
	})
}
