package telegram_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const token = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"

// fakeAPI is a server of the Bot API that misbehaves on command.
type fakeAPI struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	nextID   int64
	queue    []map[string]any    // updates that nobody has confirmed
	odd      func(string) string // what becomes of each list of updates
	repeat   bool                // updates are delivered again although they were confirmed
	stuck    bool                // and always
	arrived  chan struct{}       // closed and replaced when an update arrives
	messages map[int64]string    // the text of each message
	buttons  map[int64][]string
	acks     []string // texts of answerCallbackQuery
	calls    []string // methods, in order
	fail     map[string][]failure
	webhook  string
	early    func(message int64, data []string) // called before sendMessage answers
	requests chan struct{}                      // gets a value for each sendMessage
}

// failure is an answer in place of the right one.
type failure struct {
	code   int
	hangs  <-chan struct{} // the right answer, but only once it is closed
	text   string
	after  int // retry_after
	raw    string
	always bool
}

func newFake(t *testing.T) *fakeAPI {
	f := &fakeAPI{t: t, nextID: 100, arrived: make(chan struct{}), messages: map[int64]string{}, buttons: map[int64][]string{},
		fail: map[string][]failure{}, requests: make(chan struct{}, 100)}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if r.URL.Path != "/bot"+token+"/"+method {
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var params map[string]any
	if json.Unmarshal(body, &params) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	failed, ok := f.failureOf(method)
	if ok && failed.hangs == nil {
		failed.write(w)
		return
	}
	if failed.hangs != nil {
		f.requests <- struct{}{}
		<-failed.hangs
	}
	if method == "getUpdates" {
		f.updates(w, r, int64(params["offset"].(float64)), params["timeout"].(float64) > 0)
		return
	}
	f.mu.Lock()
	result, after := f.answer(method, params)
	f.mu.Unlock()
	if after != nil {
		after()
	}
	answer(w, result)
}

func (f *fakeAPI) failureOf(method string) (failure, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, method)
	list := f.fail[method]
	if len(list) == 0 {
		return failure{}, false
	}
	if !list[0].always {
		f.fail[method] = list[1:]
	}
	return list[0], true
}

func (e failure) write(w http.ResponseWriter) {
	if e.raw != "" {
		_, _ = io.WriteString(w, e.raw)
		return
	}
	w.WriteHeader(e.code)
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error_code": e.code, "description": e.text, "parameters": map[string]any{"retry_after": e.after}})
}

func answer(w http.ResponseWriter, result any) {
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
}

// updates answers getUpdates. With wait it holds the request until an update arrives.
func (f *fakeAPI) updates(w http.ResponseWriter, r *http.Request, offset int64, wait bool) {
	for {
		f.mu.Lock()
		var list []map[string]any
		for _, u := range f.queue {
			if f.repeat || f.stuck || u["update_id"].(int64) >= offset {
				list = append(list, u)
			}
		}
		if !f.repeat && !f.stuck {
			f.queue = list
		}
		odd := f.odd
		arrived, repeated := f.arrived, f.repeat || f.stuck
		f.repeat = false
		f.mu.Unlock()
		if len(list) > 0 && odd != nil {
			text, _ := json.Marshal(list)
			_, _ = io.WriteString(w, `{"ok":true,"result":`+odd(string(text))+`}`)
			return
		}
		if len(list) > 0 || !wait || repeated {
			answer(w, list)
			return
		}
		select {
		case <-arrived:
		case <-r.Context().Done():
			return
		}
	}
}

// answer handles every other method. The caller holds the lock; after runs without it.
func (f *fakeAPI) answer(method string, params map[string]any) (result any, after func()) {
	switch method {
	case "getWebhookInfo":
		return map[string]any{"url": f.webhook}, nil
	case "sendMessage":
		f.nextID++
		id := f.nextID
		f.messages[id] = params["text"].(string)
		for _, row := range params["reply_markup"].(map[string]any)["inline_keyboard"].([]any) {
			for _, button := range row.([]any) {
				f.buttons[id] = append(f.buttons[id], button.(map[string]any)["callback_data"].(string))
			}
		}
		data, early := f.buttons[id], f.early
		return map[string]any{"message_id": id, "chat": map[string]any{"id": params["chat_id"]}}, func() {
			if early != nil {
				early(id, data)
			}
			f.requests <- struct{}{}
		}
	case "editMessageText":
		id := int64(params["message_id"].(float64))
		f.messages[id], f.buttons[id] = params["text"].(string), nil
		return true, nil
	case "answerCallbackQuery":
		f.acks = append(f.acks, params["text"].(string))
		return true, nil
	}
	return nil, nil
}

// tap is what a person does; the zero value of most members means the right one.
type tap struct {
	user, chat, message int64
	bot, lost           bool // the tap of a bot; without a message
	data                string
}

// push queues an update with a tap, with an id of its own unless one is given.
func (f *fakeAPI) push(update int64, p tap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(update, p)
}

// begin starts a new sequence of updates with a tap: the server knows no update at the old
// offset, and answers from its first one.
func (f *fakeAPI) begin(update int64, p tap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue, f.repeat = nil, true
	f.put(update, p)
}

// put is push; the caller holds the lock.
func (f *fakeAPI) put(update int64, p tap) {
	callback := map[string]any{"id": fmt.Sprint("tap", update), "from": map[string]any{"id": p.user, "is_bot": p.bot, "first_name": "Alice\u202e", "username": ""}, "data": p.data}
	if !p.lost {
		callback["message"] = map[string]any{"message_id": p.message, "chat": map[string]any{"id": p.chat}}
	}
	f.queue = append(f.queue, map[string]any{"update_id": update, "callback_query": callback})
	close(f.arrived)
	f.arrived = make(chan struct{})
}

func (f *fakeAPI) failWith(method string, list ...failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail[method] = list
	close(f.arrived) // a poll that waits sees the failure at its next request
	f.arrived = make(chan struct{})
}

// last returns the newest message, its text and the data of its buttons.
func (f *fakeAPI) last() (id int64, text string, data []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.nextID, f.messages[f.nextID], f.buttons[f.nextID]
}

func (f *fakeAPI) texts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.acks...)
}

func (f *fakeAPI) called(method string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.calls {
		if m == method {
			n++
		}
	}
	return n
}
