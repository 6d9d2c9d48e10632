package clientcases

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// allowing is what the scripted server answers where a client must never look.
const allowing = `{"id":"1","call":"$CALL","decision":"allow","reasons":[{"layer":"x","code":"x.x","message":"m"}],"revision":"r"}`

// script starts the scripted server.
func (s *Servers) script(cases []Case) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start the scripted server: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/case/{index}/v1/decisions", func(w http.ResponseWriter, r *http.Request) {
		index, err := strconv.Atoi(r.PathValue("index"))
		if err != nil || index < 0 || index >= len(cases) || cases[index].Respond == nil {
			http.Error(w, "no such case", http.StatusNotFound)
			return
		}
		respond(w, r, *cases[index].Respond)
	})
	mux.HandleFunc("/allow", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, Respond{Status: http.StatusOK, Type: "application/json", Body: allowing})
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // it ends when it is closed
	s.stop = append(s.stop, func() { _ = server.Close() })
	s.Scripted = "http://" + listener.Addr().String() + "/case/"
	return nil
}

// respond answers as a case says.
func respond(w http.ResponseWriter, r *http.Request, as Respond) {
	text, err := io.ReadAll(r.Body)
	var call struct{ ID string }
	if err != nil || json.Unmarshal(text, &call) != nil {
		http.Error(w, "not a call", http.StatusBadRequest)
		return
	}
	body := strings.ReplaceAll(as.Body, "$CALL", call.ID)
	select {
	case <-r.Context().Done():
		return
	case <-time.After(time.Duration(as.DelayMs) * time.Millisecond):
	}
	w.Header().Set("Content-Type", as.Type)
	if as.Location != "" {
		w.Header().Set("Location", as.Location)
	}
	if as.Hang || as.Cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+10))
	}
	w.WriteHeader(as.Status)
	_, _ = io.WriteString(w, body) // a client that is gone needs no answer
	if as.Hang {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}
