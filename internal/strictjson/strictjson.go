// Package strictjson reads JSON that comes from outside, and writes JSON that
// goes there.
//
// Two readers that disagree about one document are a hole between whoever
// enforces a decision and whoever makes it. So a document has one reading or
// none: unknown members, duplicate names, other spellings of a name, trailing
// bytes, invalid UTF-8, lone surrogates, null where a value is meant, numbers
// that no float64 holds and nesting deeper than [MaxDepth] are errors. Limits on
// size are the caller's.
package strictjson

import (
	"bytes"
	"fmt"
	"io"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"gavel"
	"gavel/internal/jsonsize"
)

// MaxDepth is how many objects and arrays may stand inside one another.
const MaxDepth = 64

// How many values a document may have: a byte of JSON can become a hundred in memory.
const (
	MaxValues     = 200_000 // of any document
	MaxCallValues = 20_000  // of one that describes calls, which anybody sends
)

// Error says why a document was refused, and where. It is always safe to show:
// it quotes member names, shortened, and never values.
type Error struct {
	Line    int    // from 1
	Column  int    // from 1, in characters
	Path    string // JSON pointer (RFC 6901) of the offending value; "" is the whole document
	Message string // what is wrong, in plain words
	Fix     string // what to do; may be empty
	// TooLarge says that the document has more values than its reader takes.
	TooLarge bool
	// Early says that the document ends within a value.
	Incomplete bool
}

// Error returns the place, the message and the fix in one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("line %d, column %d: ", e.Line, e.Column)
	if e.Path != "" {
		text += e.Path + ": "
	}
	text += e.Message
	if e.Fix != "" {
		text += "; " + e.Fix
	}
	return text
}

// Unmarshal reads one document into v, a non-nil pointer. Names are matched by
// their exact spelling; a member that is left out keeps the value it has in v.
// Null is accepted for pointers, where it means "not said", and inside values of
// type any; numbers there become float64. It keeps no reference to data.
//
// Every refusal is an *Error. What v holds after one is undefined.
func Unmarshal(data []byte, v any) error {
	return unmarshal(data, v, MaxValues)
}

// UnmarshalCall is [Unmarshal] for a document that describes a call: it takes no more
// than [MaxCallValues].
func UnmarshalCall(data []byte, v any) error {
	return unmarshal(data, v, MaxCallValues)
}

// UnmarshalOpen is [Unmarshal] for the answer of somebody who may know more members than v
// has: they must be valid, and are then ignored. Members of v should be pointers, because null
// is accepted.
func UnmarshalOpen(data []byte, v any) error {
	if _, err := checkSize(data, MaxValues); err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return explain(data, err, reflect.TypeOf(v))
	}
	return nil
}

// checkSize refuses a document that is nested too deeply or has too many values, and reports
// whether there is a null in it.
func checkSize(data []byte, maxValues int) (null bool, _ error) {
	offset, problem, null := jsonsize.Scan(data, MaxDepth, maxValues)
	switch problem {
	case jsonsize.TooDeep:
		return null, newError(data, offset, "", fmt.Sprintf("nested deeper than %d", MaxDepth), "flatten the document")
	case jsonsize.TooMany:
		err := newError(data, offset, "", fmt.Sprintf("more than %d values", maxValues), "send a smaller document")
		err.TooLarge = true
		return null, err
	}
	return null, nil
}

func unmarshal(data []byte, v any, maxValues int, opts ...json.Options) error {
	hasNull, err := checkSize(data, maxValues)
	if err != nil {
		return err
	}
	opts = append(opts, json.RejectUnknownMembers(true))
	if err := json.Unmarshal(data, v, opts...); err != nil {
		return explain(data, err, reflect.TypeOf(v))
	}
	if hasNull {
		return refuseNull(data, reflect.TypeOf(v))
	}
	return nil
}

// Write writes v to w as one line of JSON and a line feed. Empty lists are
// written as [], the members of maps are sorted, and text that is not UTF-8 is
// replaced rather than refused: an answer must not get lost over a file name.
func Write(w io.Writer, v any) error {
	if d, ok := v.(*gavel.Decision); ok && d != nil {
		var buf []byte
		if buffer, ok := w.(*bytes.Buffer); ok {
			buf = buffer.AvailableBuffer()
		}
		if text, ok := appendDecisionFast(buf, d); ok {
			if _, err := w.Write(text); err != nil {
				return fmt.Errorf("write %T as JSON: %w", v, err)
			}
			return nil
		}
	}
	return writeWithLibrary(w, v)
}

func writeWithLibrary(w io.Writer, v any) error {
	err := json.MarshalWrite(w, v,
		jsontext.AllowInvalidUTF8(true),
		json.Deterministic(true),
		jsonv1.FormatDurationAsNano(true),
		jsonv1.OmitEmptyWithLegacySemantics(true),
	)
	if err != nil {
		return fmt.Errorf("write %T as JSON: %w", v, err)
	}
	if _, err := w.Write([]byte{'\n'}); err != nil {
		return fmt.Errorf("write %T as JSON: %w", v, err)
	}
	return nil
}
