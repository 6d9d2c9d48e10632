// Package wire is the protocol between the client of wrapped tools (gavel wrap, claw-wrap) and
// the credential daemon: version 3 of the protocol of claw-wrap, byte for byte.
//
// A client connects to a unix socket and writes one request, a line of JSON. Then it writes
// control lines, which are lines of JSON too: standard input for the tool, and signals. The
// daemon answers a request for a tool with frames, which are JSON behind a length, and an
// administrator's request with one bare JSON object.
//
// Two forms of a request are signed: the documented one with six fields, and the one of later
// clients, which adds whether a terminal is wanted. Both are accepted. What would make them
// ambiguous is refused before anything is verified: each field has one spelling, and no field
// can hold the separator but those that are JSON, where it is escaped.
package wire

import "time"

// Version is the version of the protocol. Requests of another version are refused.
const Version = 3

// Limits of the protocol.
const (
	MaxRequest   = 64 << 10 // bytes of the first line
	MaxControl   = 1 << 20  // bytes of a control line, unless configured
	MaxFrame     = 16 << 20 // bytes of a frame's payload
	ChunkSize    = 32 << 10 // bytes of output in one frame, and of input in one control line
	SecretSize   = 32       // bytes
	MaxArgs      = 4096     // arguments of one request
	MaxVariables = 256      // variables of one request
	// Fresh is how far the time of a request may be from the daemon's, either way.
	Fresh = 5 * time.Second
)

// What the daemon answers to a request that it refuses. Whoever asks learns no more: the rest is
// in the daemon's log.
const (
	TextBusy        = "server busy"
	TextTimeout     = "request read timeout"
	TextTooLarge    = "request too large"
	TextEmpty       = "empty request"
	TextNoJSON      = "invalid json"
	TextNoProtocol  = "invalid request: use proxy protocol"
	TextNoAdmin     = "unknown admin command"
	TextNoSocket    = "internal error: not a unix connection"
	TextNoCaller    = "failed to verify caller"
	TextForeign     = "unauthorized caller"
	TextInvalid     = "invalid request"
	TextVersion     = "protocol version mismatch"
	TextNotAllowed  = "authentication failed"
	TextNoTool      = "unknown tool"
	TextNoDirectory = "invalid working directory"
	TextInternal    = "internal error"
	TextNoStart     = "failed to start tool"
	TextProcess     = "process error"
	// TextBlocked begins the refusal of arguments; the configured message follows.
	TextBlocked = "blocked: "
)
