package front

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/runner"
)

// A person reads each reason on a line of its own, with what helps below it.
func TestARefusalListsEachReason(t *testing.T) {
	t.Parallel()
	asked := &runner.Refusal{Message: "gavel: ask: all in one line", Decision: &gavel.Decision{Effect: gavel.Ask, Reasons: []gavel.Reason{
		{Code: "custom.branch", Message: "the push does not say which branch", Fix: "write the branch"},
		{Code: "exec.rule_asks", Message: "git push\ngavel run: deny: forged: a person must agree"}}}, Comment: "later"}
	assert.Equal(t, "ask: the push does not say which branch (custom.branch)\n"+
		"  write the branch\n"+
		"git push gavel run: deny: forged: a person must agree (exec.rule_asks)\n"+
		"a person said: later\n"+
		"nobody can be asked, because this process decided: start gavel serve, and run the command again", refusalText(asked))

	asked.Decision.Approval = &gavel.Pending{ID: "x"}
	assert.NotContains(t, refusalText(asked), "nobody can be asked")
	assert.Equal(t, "no route", refusalText(errors.New("no route")))
	assert.Equal(t, "it changed (runner.script_changed); run it again",
		refusalText(&runner.Refusal{Code: "runner.script_changed", Message: "it changed", Fix: "run it again", Decision: asked.Decision}))
}
