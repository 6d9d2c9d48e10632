package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"

	"gavel"
	"gavel/analyzer/directive"
	"gavel/sessions"
)

// told is what becomes of a message of an authorised sender, with the answers that it gives.
func (p scene) told(text string, sandboxed bool) (answer gavel.DirectivesAnswer, answers []string) {
	store := sessions.Open(p.t.TempDir(), p.Now, nil)
	with := gavel.DirectiveServices{Read: directive.Read, Sessions: store, Answers: func(_ context.Context, said gavel.AnswerRequest) (string, string, error) {
		answers = append(answers, said.ID+" "+said.Answer)
		return said.ID, "resolved", nil
	}}
	call := gavel.Call{Agent: gavel.Agent{ID: p.id, Sandboxed: &sandboxed}, Session: gavel.Session{Key: "agent:" + p.id + ":main"},
		Sender: &gavel.Sender{Channel: "discord", ID: "123"}}
	return p.CarryOutDirectives(p.t.Context(), with, gavel.IncomingMessage{Text: text, Call: call}, gavel.Options{}), answers
}

// became is what became of the only directive of a message, in words: none, show, the values
// that were set, or why it was refused.
func became(answer gavel.DirectivesAnswer) string {
	if len(answer.Directives) == 0 {
		return "none"
	}
	one := answer.Directives[0]
	switch one.Action {
	case gavel.DirectiveStore:
		v := one.Session.StoredValues
		return valuesInWords(v.Host, v.Security, v.Ask, v.Node, v.Elevated)
	case gavel.DirectiveInline:
		return answer.Message.Inline.Elevated
	case gavel.DirectiveRefuse:
		var codes []string
		for _, r := range one.Reason {
			codes = append(codes, r.Code)
		}
		return strings.Join(codes, " ")
	}
	return one.Action
}

// valuesInWords are those that are set.
func valuesInWords(values ...string) string {
	return strings.Join(slices.DeleteFunc(values, func(v string) bool { return v == "" }), " ")
}

// elevatedDirective reads /elevated out of a message.
func elevatedDirective(t *testing.T, r row) trial {
	text := part[struct{ Text string }](t, r.Input).Text
	want := part[struct {
		Cleaned, ElevatedLevel, RawLevel string
		HasDirective                     bool
	}](t, r.Expect)
	what := cmp.Or(want.ElevatedLevel, "show")
	switch {
	case !want.HasDirective:
		what = "none"
	case want.ElevatedLevel == "" && want.RawLevel != "":
		what = "elevated.level"
	}
	return trial{want: what + "; " + want.Cleaned, agent: map[string]any{}, observe: func(p scene) string {
		answer, _ := p.told(text, true)
		return became(answer) + "; " + answer.Text
	}}
}

// execDirective reads /exec out of a message, where the configuration permits every value.
func execDirective(t *testing.T, r row) trial {
	text := part[struct{ Text string }](t, r.Input).Text
	want := part[struct {
		Cleaned, ExecHost, ExecSecurity, ExecAsk, ExecNode                    string
		HasExecOptions, InvalidHost, InvalidSecurity, InvalidAsk, InvalidNode bool
	}](t, r.Expect)
	what := valuesInWords(want.ExecHost, want.ExecSecurity, want.ExecAsk, want.ExecNode)
	switch {
	case want.InvalidHost || want.InvalidSecurity || want.InvalidAsk:
		what = "directives.unknown_value"
	case want.InvalidNode:
		what = "directives.no_node"
	case r.Bug: // the keyword in any case, as the safer verdict says
		what, want.Cleaned = "node", ""
	case !want.HasExecOptions:
		what = "show"
	}
	settings := map[string]any{"exec": map[string]any{"security": "full", "ask": "off", "host": "auto"}, "sandbox": map[string]any{"enabled": false}}
	return trial{want: what + "; " + want.Cleaned, agent: settings, observe: func(p scene) string {
		answer, _ := p.told(text, false)
		return became(answer) + "; " + answer.Text
	}}
}

// approveCommand reads /approve.
func approveCommand(t *testing.T, r row) trial {
	text := part[struct{ Text string }](t, r.Input).Text
	want := part[struct{ ID, Decision, Error string }](t, r.Expect)
	what := want.ID + " " + want.Decision
	switch want.Error {
	case "":
	case "usage":
		what = "directives.answer"
	default: // it is for another program, and no directive
		what = "none"
	}
	config := map[string]any{"agents": map[string]any{"main": map[string]any{}},
		"approvals": map[string]any{"exec": map[string]any{"allowFrom": []string{"discord:123"}}}}
	return trial{want: what, config: config, observe: func(p scene) string {
		answer, answers := p.told(text, false)
		if len(answers) > 0 {
			return strings.Join(answers, ", ")
		}
		return became(answer)
	}}
}
