package strictjson

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gavel"
)

// ErrTooManyCalls says that a batch holds more calls than its reader takes.
var ErrTooManyCalls = errors.New("too many calls in one batch")

// batch is the body of POST /v1/decisions/batch.
type batch struct {
	Calls []gavel.Call `json:"calls"`
}

// DecodeCall reads and validates one call. With needTool the call must name a
// tool; without, it must not, as a question about every tool has none.
//
// The error is an *Error when the document is not a call, and a *gavel.InputError
// when it is one about which nothing can be decided.
func DecodeCall(data []byte, needTool bool) (gavel.Call, error) {
	call, ok := decodeCallFast(data)
	if !ok {
		call = gavel.Call{}
		if err := UnmarshalCall(data, &call); err != nil {
			return gavel.Call{}, err
		}
	}
	if err := validateCall(&call, needTool); err != nil {
		return gavel.Call{}, err
	}
	return call, nil
}

// DecodeCalls reads and validates {"calls":[…]}, from one call to limit, each
// with a tool. One bad call refuses them all; the path of the error, such as
// /calls/3/agent/id, names it.
//
// The error is as for [DecodeCall], or wraps [ErrTooManyCalls]. No more than
// limit calls are ever held, however many the document has.
func DecodeCalls(data []byte, limit int) ([]gavel.Call, error) {
	tooMany := false
	limited := json.UnmarshalFromFunc(func(dec *jsontext.Decoder, calls *[]gavel.Call) error {
		err := readCalls(dec, calls, limit)
		tooMany = errors.Is(err, ErrTooManyCalls)
		return err
	})
	var b batch
	err := unmarshal(data, &b, MaxCallValues, json.WithUnmarshalers(limited))
	switch {
	case tooMany:
		return nil, fmt.Errorf("%w: at most %d", ErrTooManyCalls, limit)
	case err != nil:
		return nil, err
	case len(b.Calls) == 0:
		return nil, &gavel.InputError{Path: "/calls", Message: "the batch has no calls", Fix: "send at least one call"}
	}
	for i := range b.Calls {
		if err := validateCall(&b.Calls[i], true); err != nil {
			return nil, withPrefix(fmt.Sprintf("/calls/%d", i), err)
		}
	}
	return b.Calls, nil
}

// readCalls reads an array of at most limit calls.
func readCalls(dec *jsontext.Decoder, calls *[]gavel.Call, limit int) error {
	if dec.PeekKind() != '[' {
		return errors.ErrUnsupported // the library says best what is wrong
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for kind := dec.PeekKind(); kind != ']' && kind != 0; kind = dec.PeekKind() {
		if len(*calls) == limit {
			return ErrTooManyCalls
		}
		var call gavel.Call
		if err := json.UnmarshalDecode(dec, &call); err != nil {
			return err
		}
		*calls = append(*calls, call)
	}
	_, err := dec.ReadToken()
	return err
}

func validateCall(call *gavel.Call, needTool bool) error {
	tool := call.Tool
	if !needTool && (tool.Name != "" || tool.Plugin != "" || tool.Params != nil) {
		return &gavel.InputError{Path: "/tool", Message: "a question about every tool must not name a tool",
			Fix: "leave tool out, or ask POST /v1/decisions about this one"}
	}
	return call.Validate(needTool)
}

// withPrefix moves the place of an input error below prefix.
func withPrefix(prefix string, err error) error {
	var input *gavel.InputError
	if !errors.As(err, &input) {
		return fmt.Errorf("%s: %w", prefix, err)
	}
	return &gavel.InputError{Path: prefix + input.Path, Message: input.Message, Fix: input.Fix}
}
