package telegram

import (
	"errors"
	"strings"
	"unicode/utf16"

	"gavel/internal/display"
)

const (
	maxText  = 4000 // of the 4096 UTF-16 units of a message; the rest is for the result
	maxValue = 1200 // characters of one value
)

// check returns an error for a question that cannot be shown or answered.
func (q Question) check() error {
	if q.Title == "" && q.Text == "" || len(q.Choices) < 2 || len(q.Choices) > 3 || q.Expires.IsZero() {
		return errors.New("a question needs a title, two or three choices, and an end")
	}
	return nil
}

// text is the message. It is plain text, so nothing in it is formatting. Values are sanitised;
// of long ones the beginning and the end are shown with the number of omitted characters.
func (q Question) text() string {
	if q.Text != "" {
		return q.Text
	}
	for limit := maxValue; ; limit /= 2 {
		text := q.limited(limit)
		if len(utf16.Encode([]rune(text))) <= maxText || limit < 20 {
			return text
		}
	}
}

func (q Question) limited(limit int) string {
	var b strings.Builder
	b.WriteString(display.Clean(q.Title, 200).Text)
	b.WriteString("\n")
	for _, field := range q.Fields {
		if field.Value == "" {
			continue
		}
		value := display.Clean(field.Value, limit)
		b.WriteString("\n" + field.Name + ": " + value.Text)
		for _, note := range value.Notes {
			b.WriteString("\nCareful, " + field.Name + ": " + note)
		}
	}
	return b.String()
}
