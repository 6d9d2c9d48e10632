package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Scripts ask a server as a client would:
//
//	http SOCKET TOKENFILE METHOD PATH [BODYFILE]
//	http-until SOCKET TOKENFILE METHOD PATH PATTERN [BODYFILE]
//
//	member VARIABLE FILE NAME...
//
// The first two wait until the server is there; http-until asks until the answer matches. The
// token file is - for none. The answer is standard output, and a status of 400 or more a
// failure. member sets a variable to a member of a JSON object.
func httpCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"http": func(ts *testscript.TestScript, neg bool, args []string) {
			if len(args) != 4 && len(args) != 5 {
				ts.Fatalf("usage: http SOCKET TOKENFILE METHOD PATH [BODYFILE]")
			}
			answerTo(ts, neg, args, ".*")
		},
		"http-until": func(ts *testscript.TestScript, neg bool, args []string) {
			if len(args) != 5 && len(args) != 6 {
				ts.Fatalf("usage: http-until SOCKET TOKENFILE METHOD PATH PATTERN [BODYFILE]")
			}
			answerTo(ts, neg, append(args[:4:4], args[5:]...), args[4])
		},
		"member": func(ts *testscript.TestScript, neg bool, args []string) {
			if neg || len(args) < 3 {
				ts.Fatalf("usage: member VARIABLE FILE NAME...")
			}
			var value any
			ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &value))
			for _, name := range args[2:] {
				object, _ := value.(map[string]any)
				value = object[name]
			}
			text, ok := value.(string)
			if !ok {
				ts.Fatalf("%s has no text at %v", args[1], args[2:])
			}
			ts.Setenv(args[0], text)
		},
	}
}

func answerTo(ts *testscript.TestScript, neg bool, args []string, pattern string) {
	want := regexp.MustCompile(pattern)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", args[0])
	}}}
	var last string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		request, err := http.NewRequest(args[2], "http://localhost"+args[3], nil)
		ts.Check(err)
		if len(args) > 4 {
			request.Body = io.NopCloser(strings.NewReader(ts.ReadFile(args[4])))
		}
		request.Header.Set("Content-Type", "application/json")
		if args[1] != "-" {
			token, err := os.ReadFile(ts.MkAbs(args[1]))
			if err != nil {
				last = err.Error()
				continue
			}
			request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		}
		answer, err := client.Do(request)
		if err != nil {
			last = err.Error()
			continue
		}
		body, err := io.ReadAll(answer.Body)
		ts.Check(err)
		ts.Check(answer.Body.Close())
		if last = string(body); !want.Match(body) {
			continue
		}
		_, err = io.WriteString(ts.Stdout(), last)
		ts.Check(err)
		if failed := answer.StatusCode >= 400; failed != neg {
			ts.Fatalf("the server answered %s: %s", answer.Status, last)
		}
		return
	}
	ts.Fatalf("no answer that matches %q; the last one: %s", pattern, last)
}
