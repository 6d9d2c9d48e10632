package hosts

import "errors"

// NewObject is an object of these members.
func NewObject(members ...Member) Object { return Object{members} }

// Print is the reply that prints one object on one line, and exits with 0.
func Print(o Object) Reply { return Reply{Stdout: append(o.JSON(), '\n')} }

// FailAny denies in a form that most hosts obey, for the payload of an unknown host. Each host
// reads the members that it knows, the exit code, or the text on standard error.
func FailAny(err error) Reply {
	reason := FailureText(err)
	text := Quote(reason)
	o := NewObject(Member{"decision", Quote("deny")}, Member{"reason", text}, Member{"permission", Quote("deny")},
		Member{"user_message", text}, Member{"agent_message", text}, Member{"permissionDecision", Quote("deny")}, Member{"permissionDecisionReason", text},
		Member{"cancel", []byte("true")}, Member{"errorMessage", text},
		Member{"hookSpecificOutput", NewObject(Member{"hookEventName", Quote("PreToolUse")}, Member{"permissionDecision", Quote("deny")},
			Member{"permissionDecisionReason", text}).JSON()})
	reply := Print(o)
	reply.Stderr, reply.Exit = []byte(reason+"\n"), 2
	return reply
}

// ErrUnknownHost says that no translator recognises a payload.
var ErrUnknownHost = errors.New("no known host sends such a payload")

// Say is a member that is text.
func Say(name, text string) Member { return Member{name, Quote(text)} }

// Specific is an answer in the dialect of Claude Code: {"hookSpecificOutput":{…}}.
func Specific(event string, members ...Member) Object {
	inner := Object{append([]Member{Say("hookEventName", event)}, members...)}
	return NewObject(Member{"hookSpecificOutput", inner.JSON()})
}
