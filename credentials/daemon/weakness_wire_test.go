//go:build linux

package daemon_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
)

// stdin is a control line.
func stdin(text string) string {
	return `{"type":"stdin","data":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}` + "\n"
}

const eof = `{"type":"stdin","eof":true}` + "\n"

// said writes pieces to a daemon, one after the other, and returns what the tool wrote.
func (s *served) said(t *testing.T, pieces ...string) (out string) {
	t.Helper()
	conn := s.dial(t)
	for _, piece := range pieces {
		_, err := conn.Write([]byte(piece))
		require.NoError(t, err)
		time.Sleep(20 * time.Millisecond) // so that the daemon reads them apart; if it does not, nothing is lost
	}
	for _, m := range frames(t, conn) {
		out += string(m.Data)
	}
	return out
}

// A request and the lines behind it are read from one buffer, however they arrive.
func TestW10ARequestMayArriveWithItsLinesOrInParts(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"cat": "exec cat"}, ""), nil)
	request := func() string {
		return string(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "cat" }))
	}
	assert.Equal(t, "early", s.said(t, request()+stdin("early")+eof), "all at once")
	line := request()
	assert.Equal(t, "late", s.said(t, line[:len(line)-1], "\n"+stdin("late"), eof), "the end of the request comes later")
	line = request()
	control := stdin("halves")
	assert.Equal(t, "halves", s.said(t, line[:40], line[40:]+control[:9], control[9:], eof), "lines in halves")
}

// The size of a window, and what else is not signed, changes the size of a terminal and nothing else.
func TestW15UnsignedFieldsChangeNothingButASize(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"print": `printf %s "$*"; stty size 2>/dev/null; exit 0`}, ""), nil)
	line := string(s.request(t, wire.SevenFields, func(r *wire.Request) { r.Tool, r.Args = "print", &[]string{"a"} }))
	changed := strings.Replace(line, `"version":3`, `"version":3,"window_size":{"rows":7,"cols":9}`, 1)
	require.NotEqual(t, line, changed)
	assert.Equal(t, "a", s.said(t, changed), "there is no terminal that could have a size")
	for _, other := range []string{`"version":4`, `"version":3,"version":3`, `"version":3,"Version":3`, `"version":3,"use_pty":true`, `"version":3,"extra":1`, `"version":3.5`, `"version":"3"`} {
		line := string(s.request(t, wire.SevenFields, func(r *wire.Request) { r.Tool = "print" }))
		changed := strings.Replace(line, `"version":3`, other, 1)
		answer := s.say(t, []byte(changed))
		assert.NotContains(t, answer, `"done"`, other)
		assert.NotContains(t, answer, "stdout", other)
	}
}

// Standard input ends once, and whatever comes out of order neither reaches the tool nor harms it.
func TestControlLinesOutOfOrderReachNoTool(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"cat": "trap '' INT TERM HUP; cat; sleep 0.1"}, ""), nil)
	for range 20 {
		conn := s.dial(t)
		_, err := conn.Write([]byte(string(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "cat" })) + `{"type":"winsize","rows":1,"cols":1}` + "\n" +
			`{"type":"cleanup","files":["/etc/passwd"]}` + "\n" + stdin("in") + eof + stdin("behind the end") + eof + `{"type":"winsize"}` + "\n" + stdin("again")))
		require.NoError(t, err)
		out := ""
		for _, m := range frames(t, conn) {
			out += string(m.Data)
		}
		require.Equal(t, "in", out)
	}
	assert.Equal(t, "in", s.said(t, string(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "cat" }))+stdin("in")+`{"type":"stdin","data":"!"}`+"\n"+stdin("more")), "a line that is none ends it")
}
