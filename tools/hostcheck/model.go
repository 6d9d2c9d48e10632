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

// call is a tool call of the model. It has either args or, for a custom tool, text.
type call struct {
	name, namespace string
	args            object
	custom          string
}

// subtask is the task of the sub-agent. It identifies the sub-agent's conversation.
const subtask = "SUBTASK"

// model is a scripted model behind four APIs. It makes the call main. If sub is set, main spawns a
// sub-agent, which makes the call sub. The last of these calls is the one that is tested.
type model struct {
	main, sub *call
	// beforeSub is called before the sub-agent makes its call. It may be nil.
	beforeSub func() error
	server    *http.Server
	url       string

	mu             sync.Mutex
	count          int           // of requests
	requests       []string      // for debugging
	attempted      bool          // the tested call was made
	toolResult     string        // of the tested call
	resultReceived chan struct{} // closed when toolResult is set
}

func startModel(main, sub *call) (*model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{main: main, sub: sub, resultReceived: make(chan struct{}), url: "http://" + listener.Addr().String()}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	go func() { _ = m.server.Serve(listener) }() // ends when the server is closed
	return m, nil
}

func (m *model) close() { _ = m.server.Close() }

// ServeHTTP serves the APIs. It also acts as a proxy that refuses every request immediately, because
// hosts wait for a proxy that does not answer.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	text, _ := io.ReadAll(r.Body) // a truncated request is treated as empty
	var body object
	_ = json.Unmarshal(text, &body)
	m.mu.Lock()
	m.count++
	id := m.count
	m.requests = append(m.requests, r.Method+" "+r.URL.Path+" "+string(text[:min(len(text), 400_000)]))
	m.mu.Unlock()
	stream := body["stream"] == true || strings.Contains(r.URL.Path, "stream")
	switch path := r.URL.Path; {
	case strings.Contains(path, "count_tokens"), strings.Contains(path, "countTokens"):
		writeJSON(w, object{"input_tokens": 10, "totalTokens": 10})
	case strings.HasSuffix(path, "/messages"):
		m.serveAnthropic(w, body, id, stream)
	case strings.HasSuffix(path, "/responses"):
		m.serveResponses(w, body, id)
	case strings.HasSuffix(path, "/chat/completions"):
		m.serveCompletions(w, body, id, stream)
	case strings.Contains(path, "enerateContent"):
		m.serveGemini(w, body, stream)
	case strings.Contains(path, "/models"):
		writeJSON(w, object{"object": "list", "data": []object{{"id": "scripted", "object": "model"}}, "models": []object{}})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// next returns the call to make next in a conversation that began with task, or nil if the model
// has no tools or the conversation has results of calls.
func (m *model) next(task any, results []object, hasTools bool) *call {
	if !hasTools {
		return nil
	}
	c, tested := m.main, m.sub == nil
	if strings.Contains(jsonText(task), subtask) {
		c, tested = m.sub, true
	}
	if len(results) > 0 {
		if tested {
			m.recordResult(jsonText(results))
		} else {
			m.awaitResult() // otherwise a host that does not wait for its sub-agent would exit
		}
		return nil
	}
	if !tested {
		return c
	}
	m.mu.Lock()
	first := !m.attempted
	m.attempted = true
	m.mu.Unlock()
	if first && m.beforeSub != nil {
		if err := m.beforeSub(); err != nil {
			m.recordResult(err.Error())
		}
	}
	return c
}

// recordResult stores the first result of the tested call.
func (m *model) recordResult(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.toolResult == "" {
		m.toolResult = text
		close(m.resultReceived)
	}
}

// awaitResult waits for the result of the sub-agent's call, at most half the time of the run.
func (m *model) awaitResult() {
	select {
	case <-m.resultReceived:
	case <-time.After(callTimeout / 2):
	}
}

// outcome reports whether the tested call was made, and returns its result.
func (m *model) outcome() (made bool, told string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.attempted, m.toolResult
}

func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // fails only if the host is gone
}

// eventWriter returns a function that writes server-sent events.
func eventWriter(w http.ResponseWriter) func(name string, data object) {
	w.Header().Set("Content-Type", "text/event-stream")
	return func(name string, data object) {
		if name != "" {
			data["type"] = name
			_, _ = fmt.Fprintf(w, "event: %s\n", name)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", jsonText(data))
	}
}

// list returns a member that is a list of objects.
func list(body object, name string) []object {
	values, _ := body[name].([]any)
	var objects []object
	for _, value := range values {
		if o, ok := value.(object); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

// toolResults returns the messages that contain the result of a call, as shown by one of the marks.
func toolResults(messages []object, marks ...string) []object {
	var found []object
	for _, message := range messages {
		text := jsonText(message)
		if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) }) {
			found = append(found, message)
		}
	}
	return found
}

// userMessages returns the messages of the user.
func userMessages(messages []object) []object {
	var found []object
	for _, message := range messages {
		if message["role"] == "user" {
			found = append(found, message)
		}
	}
	return found
}

func firstUserMessage(messages []object) any {
	if found := userMessages(messages); len(found) > 0 {
		return found[0]
	}
	return nil
}
