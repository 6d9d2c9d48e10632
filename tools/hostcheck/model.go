package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// object is a JSON object.
type object = map[string]any

// call is a tool call of the model. A custom call has a text instead of arguments.
type call struct {
	name, namespace string
	args            object
	custom          string
}

// subtask is part of a sub-agent's task and identifies its conversation.
const subtask = "SUBTASK"

// model is a scripted model. It makes one call, and the sub-agent that this call spawns makes
// another one. It serves four APIs.
type model struct {
	main, sub *call
	// before is called before the sub-agent makes its call; may be nil.
	before func() error
	lock   sync.Mutex
	number int
	seen   []string // requests, shown if a run fails
	made   bool     // the call that is tested was made: that of the sub-agent, if there is one
	told   string   // what the model was told about it
	// answered is closed when the model was told.
	answered chan struct{}
	server   *http.Server
	url      string
}

func startModel(main, sub *call) (*model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{main: main, sub: sub, answered: make(chan struct{}), url: "http://" + listener.Addr().String()}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	go func() { _ = m.server.Serve(listener) }() // ends when the server is closed
	return m, nil
}

func (m *model) close() { _ = m.server.Close() }

// ServeHTTP serves the APIs. As a proxy it refuses, at once: hosts wait for one that is gone.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	text, _ := io.ReadAll(r.Body) // a truncated request is answered like an empty one
	var body object
	_ = json.Unmarshal(text, &body)
	m.lock.Lock()
	m.number++
	id := m.number
	m.seen = append(m.seen, r.Method+" "+r.URL.Path+" "+string(text[:min(len(text), 400_000)]))
	m.lock.Unlock()
	stream := body["stream"] == true || strings.Contains(r.URL.Path, "stream")
	switch path := r.URL.Path; {
	case strings.Contains(path, "count_tokens"), strings.Contains(path, "countTokens"):
		answer(w, object{"input_tokens": 10, "totalTokens": 10})
	case strings.HasSuffix(path, "/messages"):
		m.messages(w, body, id, stream)
	case strings.HasSuffix(path, "/responses"):
		m.responses(w, body, id)
	case strings.HasSuffix(path, "/chat/completions"):
		m.completions(w, body, id, stream)
	case strings.Contains(path, "enerateContent"):
		m.contents(w, body, stream)
	case strings.Contains(path, "/models"):
		answer(w, object{"object": "list", "data": []object{{"id": "scripted", "object": "model"}}, "models": []object{}})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// next returns the call to make in a conversation. It returns none if there are no tools, or
// once a call has been answered. begun is the task, and answers are the results of calls.
func (m *model) next(begun any, answers []object, hasTools bool) *call {
	if !hasTools {
		return nil
	}
	one, tested := m.main, m.sub == nil
	if strings.Contains(textOf(begun), subtask) {
		one, tested = m.sub, true
	}
	if len(answers) > 0 {
		if tested {
			m.tell(textOf(answers))
		} else {
			m.await() // a host that does not wait for its sub-agent would end
		}
		return nil
	}
	if !tested {
		return one
	}
	m.lock.Lock()
	again := m.made
	m.made = true
	m.lock.Unlock()
	if !again && m.before != nil {
		if err := m.before(); err != nil {
			m.tell(err.Error())
		}
	}
	return one
}

// tell remembers what the model was told about the call that is tested.
func (m *model) tell(text string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.told == "" {
		m.told = text
		close(m.answered)
	}
}

// await waits until the sub-agent's call has an answer, or until it is certain that there will
// be none.
func (m *model) await() {
	select {
	case <-m.answered:
	case <-time.After(runsWithin / 2):
	}
}

// outcome reports whether the call that is tested was made, and what the model was told of it.
func (m *model) outcome() (made bool, told string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.made, m.told
}

func textOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // a host that is gone needs no answer
}

// events writes server-sent events.
func events(w http.ResponseWriter) func(name string, data object) {
	w.Header().Set("Content-Type", "text/event-stream")
	return func(name string, data object) {
		if name != "" {
			data["type"] = name
			_, _ = fmt.Fprintf(w, "event: %s\n", name)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", textOf(data))
	}
}

// list returns a member that is a list of objects.
func list(body object, name string) []object {
	values, _ := body[name].([]any)
	var objects []object
	for _, value := range values {
		if one, ok := value.(object); ok {
			objects = append(objects, one)
		}
	}
	return objects
}

// results are the messages of a conversation that hold the result of a call.
func results(messages []object, marks ...string) []object {
	var found []object
	for _, message := range messages {
		text := textOf(message)
		if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) }) {
			found = append(found, message)
		}
	}
	return found
}

// byUser returns the messages of the user.
func byUser(messages []object) []object {
	var mine []object
	for _, message := range messages {
		if message["role"] == "user" {
			mine = append(mine, message)
		}
	}
	return mine
}

func first(messages []object) any {
	if mine := byUser(messages); len(mine) > 0 {
		return mine[0]
	}
	return nil
}
