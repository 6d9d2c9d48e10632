package directive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/analyzer/directive"
)

// shown is a directive in short: the name, and what it says.
func shown(d gavel.DirectiveFacts) string {
	parts := []string{d.Name}
	for _, o := range d.Options {
		parts = append(parts, o.Key+"="+o.Value)
	}
	parts = append(parts, d.Words...)
	if d.Level != "" {
		parts = append(parts, d.Level)
	}
	if d.Problem != "" {
		parts = append(parts, "!")
	}
	return strings.Join(parts, " ")
}

type message struct {
	text, rest string
	directives []string
}

func messages() []message {
	return []message{
		{"hello", "hello", nil},
		{"", "", nil},
		{" two  blanks ", " two  blanks ", nil},
		{"/elevated on", "", []string{"elevated on"}},
		{"/ELEVATED On", "", []string{"elevated on"}},
		{"/elev full", "", []string{"elevated full"}},
		{"/elevated : on", "", []string{"elevated on"}},
		{"/elevated:on", "", []string{"elevated on"}},
		{"/elevated", "", []string{"elevated"}},
		{"/elevated:", "", []string{"elevated"}},
		{"/elevated 1", "1", []string{"elevated"}},
		{"/elevated maximum", "", []string{"elevated maximum"}},
		{"/elevated on1", "", []string{"elevated on1"}},
		{"/elevated on; please", "please", []string{"elevated on;"}},
		{"/elevated \u2170n", "\u2170n", []string{"elevated"}},
		{"/elevated\non", "on", []string{"elevated"}},
		{"/elev auto-approve go", "go", []string{"elevated auto-approve"}},
		{"run it /elevated full now", "run it now", []string{"elevated full"}},
		{"x/elevated on", "x/elevated on", nil},
		{"/elevatedon", "/elevatedon", nil},
		{"/elevate on", "/elevate on", nil},
		{"\"/elevated on\"", "\"/elevated on\"", nil},
		{"see `a /elevated on b`", "see `a /elevated on b`", nil},
		{"it's ` /elevated on", "it's `", []string{"elevated on"}},
		{"> /elevated on\nyes", "> /elevated on\nyes", nil},
		{"```\n/elevated on\n```\ndone", "```\n/elevated on\n```\ndone", nil},
		{"```\n/elevated on", "```\n/elevated on", nil},
		{"~~~\n```\n/elevated on\n~~~\n/elevated off", "~~~\n```\n/elevated on\n~~~", []string{"elevated off"}},
		{"/elevated off /elevated full", "", []string{"elevated off !", "elevated full !"}},
		{"/exec", "", []string{"exec"}},
		{"/exec host=node", "", []string{"exec host=node"}},
		{"/EXEC host=node", "", []string{"exec host=node"}},
		{"/exec security:deny", "", []string{"exec security=deny"}},
		{"/exec:security=deny", "", []string{"exec security=deny"}},
		{"/exec : security=deny", "", []string{"exec security=deny"}},
		{"/exec HOST=Auto Security=FULL ask=ON-MISS node=Mac-Mini", "", []string{"exec host=auto security=full ask=on-miss node=mac-mini"}},
		{"please /exec ask=always node=a now", "please now", []string{"exec ask=always node=a"}},
		{"/exec node=", "", []string{"exec node="}},
		{"/exec host = node", "host = node", []string{"exec"}},
		{"/exec mode=x ask=off", "mode=x ask=off", []string{"exec"}},
		{"/exec ask=off\nask=always", "ask=always", []string{"exec ask=off"}},
		{"/exec ask=off ask=always", "", []string{"exec ask=off ask=always !"}},
		{"/exec ask=always /elevated on", "", []string{"exec ask=always", "elevated on"}},
		{"/approve abc allow-once", "", []string{"approve abc allow-once"}},
		{" /Approve  deny abc ", "", []string{"approve deny abc"}},
		{"/approve", "", []string{"approve"}},
		{"/approve abc allow-once please", "", []string{"approve abc allow-once please"}},
		{"/approve@bot abc allow-once", "/approve@bot abc allow-once", nil},
		{"yes /approve abc allow-once", "yes /approve abc allow-once", nil},
		{"/approve abc\nallow-once", "/approve abc\nallow-once", nil},
		{"approve abc allow-once", "approve abc allow-once", nil},
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, m := range messages() {
		facts, rest := directive.Read(m.text)
		var got []string
		for _, d := range facts.Directives {
			got = append(got, shown(d))
		}
		assert.Equal(t, m.directives, got, "%q", m.text)
		assert.Equal(t, m.rest, rest, "%q", m.text)
		assert.Equal(t, len(m.directives) > 0 && m.rest != "", facts.Rest, "%q", m.text)
	}
}

// What is left has no more directives, unless taking one out has put two words together, and
// nothing is added to a text.
func FuzzRead(f *testing.F) {
	for _, m := range messages() {
		f.Add(m.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		facts, rest := directive.Read(text)
		assert.LessOrEqual(t, len(rest), len(text))
		if len(facts.Directives) == 0 {
			assert.Equal(t, text, rest)
			return
		}
		assert.Contains(t, text, "/")
		assert.NotNil(t, facts.Directives[0].Options)
		for _, d := range facts.Directives {
			assert.Contains(t, []string{directive.Exec, directive.Elevated, directive.Approve}, d.Name)
		}
	})
}
