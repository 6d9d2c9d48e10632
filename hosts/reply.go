package hosts

import "errors"

// NewObject returns an object with these members.
func NewObject(members ...Member) Object { return Object{members} }

// Print returns a reply that prints an object on one line and exits with 0.
func Print(o Object) Reply { return Reply{Stdout: append(o.JSON(), '\n')} }

// FailAny returns a denial for the payload of an unknown host, in a form that most hosts obey: each
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

// TextMember returns a member whose value is text.
func TextMember(name, text string) Member { return Member{name, Quote(text)} }

// HookOutput returns an answer in Claude Code's dialect: {"hookSpecificOutput":{…}}.
func HookOutput(event string, members ...Member) Object {
	inner := Object{append([]Member{TextMember("hookEventName", event)}, members...)}
	return NewObject(Member{"hookSpecificOutput", inner.JSON()})
}
