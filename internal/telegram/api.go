package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gavel/internal/strictjson"
)

const (
	maxAnswer   = 1 << 20          // bytes; a hundred updates are much smaller
	pollSeconds = 25               // how long Telegram keeps a poll open
	requestTime = 10 * time.Second // for any other request
)

// api calls methods of the Bot API. The token is part of every address, so no error may
// contain one.
type api struct {
	base, token string
	client      *http.Client
}

// apiError is an error that Telegram reports.
type apiError struct {
	Method      string
	Code        int
	Description string
	RetryAfter  time.Duration // 0 if Telegram does not say
}

func (e *apiError) Error() string {
	return fmt.Sprintf("%s: Telegram answered %d: %s", e.Method, e.Code, e.Description)
}

// unsentError means that a request did not reach Telegram, so it may be repeated.
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

// reply is the envelope of every answer.
type reply struct {
	OK          bool           `json:"ok"`
	Result      jsontext.Value `json:"result"`
	ErrorCode   int            `json:"error_code"`
	Description string         `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

// call calls a method and decodes its result, unless result is nil.
func (a *api) call(ctx context.Context, method string, params, result any) error {
	body, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(a.base, "/")+"/bot"+a.token+"/"+method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: the address of the Bot API is not valid", method)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return fmt.Errorf("%s: %w", method, withoutAddress(err))
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("%s: read the answer: %w", method, withoutAddress(err))
	}
	var r reply
	if len(text) > maxAnswer || jsonv2.Unmarshal(text, &r, tolerant()) != nil || r.OK && len(r.Result) == 0 {
		return fmt.Errorf("%s: the answer (HTTP %d) is not one of the Bot API", method, response.StatusCode)
	}
	if !r.OK {
		return &apiError{Method: method, Code: r.ErrorCode, Description: shorten(r.Description, 200), RetryAfter: time.Duration(r.Parameters.RetryAfter) * time.Second}
	}
	if result == nil {
		return nil
	}
	if err := jsonv2.Unmarshal(r.Result, result, tolerant()); err != nil {
		return fmt.Errorf("%s: the result cannot be read", method)
	}
	return nil
}

// tolerant are the options for what only Telegram writes: one odd update must not hide all others.
func tolerant() jsonv2.Options {
	return jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// withoutAddress returns the cause of a transport error. The error itself has the address, and
// with it the token.
func withoutAddress(err error) error {
	var op *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case errors.As(err, &op) && op.Op == "dial":
		return unsentError{fmt.Errorf("no connection: %w", op.Err)}
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Errorf("no answer: %w", err)
		}
		err = inner
	}
}

// shorten keeps at most limit code points.
func shorten(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "…"
}

// The parts of the Bot API that are used here.
type (
	update struct {
		ID       int64   `json:"update_id"`
		Callback *tapped `json:"callback_query"`
	}
	tapped struct {
		ID      string   `json:"id"`
		From    person   `json:"from"`
		Message *message `json:"message"` // nil if the message is too old
		Data    string   `json:"data"`
	}
	person struct {
		ID        int64  `json:"id"`
		IsBot     bool   `json:"is_bot"`
		FirstName string `json:"first_name"`
		Username  string `json:"username"`
	}
	message struct {
		ID   int64 `json:"message_id"`
		Chat struct {
			ID int64 `json:"id"`
		} `json:"chat"`
		Text string `json:"text"`
	}
	button struct {
		Text string `json:"text"`
		Data string `json:"callback_data"`
	}
	keyboard struct {
		Rows [][]button `json:"inline_keyboard"`
	}
)

// updates polls for taps from an offset. Telegram keeps the poll open for some seconds. An update
// that could be read in two ways has no tap.
func (a *api) updates(ctx context.Context, offset int64, seconds int) ([]update, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+requestTime)
	defer cancel()
	var texts []jsontext.Value
	err := a.call(ctx, "getUpdates", map[string]any{
		"offset": offset, "limit": 100, "timeout": seconds, "allowed_updates": []string{"callback_query"},
	}, &texts)
	list := make([]update, len(texts))
	for i, text := range texts {
		if strictjson.UnmarshalOpen(text, &list[i]) != nil {
			list[i] = update{}
			_ = jsonv2.Unmarshal(text, &struct { // without a number, the update is an old one
				ID *int64 `json:"update_id"`
			}{&list[i].ID}, tolerant())
		}
	}
	return list, err
}

// webhook returns the address of the bot's webhook, or "".
func (a *api) webhook(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var info struct {
		URL string `json:"url"`
	}
	err := a.call(ctx, "getWebhookInfo", map[string]any{}, &info)
	return info.URL, err
}

// send sends a message with buttons, and returns its id.
func (a *api) send(ctx context.Context, chat int64, text string, buttons []button) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var sent message
	err := a.call(ctx, "sendMessage", map[string]any{"chat_id": chat, "text": text, "reply_markup": keyboard{[][]button{buttons}}}, &sent)
	if err == nil && sent.ID == 0 {
		err = errors.New("sendMessage: the answer has no message id")
	}
	return sent.ID, err
}

// edit replaces the text of a message and removes its buttons.
func (a *api) edit(ctx context.Context, chat, id int64, text string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	err := a.call(ctx, "editMessageText", map[string]any{"chat_id": chat, "message_id": id, "text": text}, nil)
	var refused *apiError
	if errors.As(err, &refused) && refused.Code == http.StatusBadRequest && strings.Contains(refused.Description, "not modified") {
		return nil
	}
	return err
}

// acknowledge ends the waiting animation of a tap, with a text or an alert.
func (a *api) acknowledge(ctx context.Context, tap, text string, alert bool) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	return a.call(ctx, "answerCallbackQuery", map[string]any{"callback_query_id": tap, "text": shorten(text, 190), "show_alert": alert}, nil)
}
