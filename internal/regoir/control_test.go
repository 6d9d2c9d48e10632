package regoir_test

import (
	"context"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAVariableNameSelectsARuleOrDataOrNothing(t *testing.T) {
	const module = `package t
value := data.p[input.name].value
nothing if not data.p[input.name].value
leads_there if { every name in [input.name] { data.p[data.p[name].next].value } }
leads_nowhere if not leads_there
other contains name if {
	some name in [input.name, "data"]
	every next in [input.name] { data.p[name].value != data.p[data.p[next].next].value }
}
found := [value | some name in [input.name, "data"]; value := data.p[data.p[name].next].value]`
	const packages = "package p.rule\n\nvalue := 1\n\nnext := \"data\""
	instance := bind(t, "data.t", module, `{"p": {"data": {"value": 2, "next": "rule"}}}`, rego.Module("p.rego", packages))
	for name, want := range map[string]string{
		"rule": `{"value": 1, "leads_there": true, "other": {"rule"}, "found": [2, 1]}`,
		"data": `{"value": 2, "leads_there": true, "other": {"data"}, "found": [1, 1]}`,
		"none": `{"nothing": true, "leads_nowhere": true, "other": set(), "found": [1]}`,
	} {
		input := ast.MustParseTerm(`{"name": "` + name + `"}`).Value
		for _, given := range []ast.Value{input, lazyValue(input)} {
			value, err := instance.Eval(context.Background(), given)
			require.NoError(t, err, name)
			require.NotNil(t, value, name)
			assert.Equal(t, ast.MustParseTerm(want).String(), value.String(), name)
		}
	}
}
