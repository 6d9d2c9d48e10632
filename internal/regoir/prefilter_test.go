package regoir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

// selectingModule selects packages by the names in a list, in several ways.
const selectingModule = `package t
deny contains [concat(".", path), value] if {
	some path in input.list
	some value in values(raised(path))
}
raised([]) := data.custom.deny
raised([a]) := data.custom[a].deny
raised([a, b]) := data.custom[a][b].deny
values(x) := x if is_set(x)
values(x) := {y | some y in x} if is_array(x)
values(x) := {x} if {
	not is_set(x)
	not is_array(x)
	not x in {false, null}
}
both contains [path, value] if {
	some path in input.list
	some value in twice(path)
}
twice([a]) := x | y if {
	x := data.custom[a].deny
	y := data.custom[a].ask
}
input_replaced := r if r := deny with input.tool as "t7"
data_replaced := r if r := deny with data.custom.none.deny as ["new"]
`

// selectedPackage writes the rules of package n. There are several kinds; most have a guard on the tool.
func selectedPackage(n int) string {
	switch {
	case n%11 == 1:
		return fmt.Sprintf(`deny := "at once" if input.tool == "t%d"`, n)
	case n%11 == 2:
		return fmt.Sprintf(`deny := ["x", input.tool] if input.tool in {"t%d", "t7"}`, n)
	case n%11 == 3:
		return fmt.Sprintf("deny contains \"one\" if input.tool == \"t%d\"\ndeny contains \"two\" if input.tool == \"t5\"", n)
	case n%11 == 4:
		return fmt.Sprintf("deny contains \"one\" if input.tool == \"t%d\"\ndeny contains \"other\" if input.other", n)
	case n%11 == 5:
		return fmt.Sprintf("default deny := {\"default\"}\ndeny := set() if input.tool == \"t%d\"", n)
	case n%11 == 6:
		return fmt.Sprintf("deny := set() if input.tool != \"t%d\"\nelse := {\"else\"}", n)
	case n%11 == 7:
		return fmt.Sprintf(`deny contains "member" if input.segments[_].name == "p%d"`, n)
	case n%11 == 8:
		return `deny := input.other`
	case n%11 == 9:
		return fmt.Sprintf(`helper contains "t%d" if input.tool`, n)
	case n%11 == 10:
		return fmt.Sprintf("deny contains \"fails\" if {\n\tinput.tool == \"t%d\"\n\tto_number(input.tool) == 1\n}", n)
	}
	return fmt.Sprintf("deny contains \"tool\" if input.tool == \"t%d\"\nask contains \"asked\" if input.tool == \"t9\"", n)
}

func TestPrefiltersChangeNoResult(t *testing.T) {
	modules := []func(*rego.Rego){rego.Module("t.rego", selectingModule)}
	var list []string
	for n := range 66 {
		path := fmt.Sprintf("p%d", n)
		list = append(list, fmt.Sprintf("[%q]", path))
		modules = append(modules, rego.Module(path, fmt.Sprintf("package custom.%s\n%s", path, selectedPackage(n))))
	}
	list = append(list, "[]", `["none"]`, `["p1", "deny"]`, `["p1", "none"]`, `["base"]`, "7")
	for _, nested := range []bool{false, true} { // packages at different depths are planned differently
		options := modules
		if nested {
			options = append(options[:len(options):len(options)], rego.Module("deep", "package custom.p1.deep\ndeny contains \"deep\" if input.tool == \"t5\""),
				rego.Module("top", "package custom\ndeny contains \"top\" if input.tool == \"t7\""))
			list = append(list, `["p1", "deep"]`)
		}
		data := ast.MustParseTerm(`{"custom": {"base": {"deny": ["from data"]}}}`).Value
		for _, query := range []string{"data.t.deny", "data.t.both", "data.t.input_replaced", "data.t.data_replaced"} {
			p, err := planOf(append([]func(*rego.Rego){rego.Query(query)}, options...)...)
			require.NoError(t, err)
			p.options.Strict = true
			program, err := regoir.Compile(p.policy, p.options)
			require.NoError(t, err)
			instance := program.Bind(data)
			paths := ast.MustParseTerm("[" + strings.Join(list, ", ") + "]")
			prepared, err := rego.New(append([]func(*rego.Rego){rego.Query(query), rego.StrictBuiltinErrors(true), rego.Data(map[string]any{"custom": map[string]any{"base": map[string]any{"deny": []any{"from data"}}}})}, options...)...).PrepareForEval(t.Context())
			require.NoError(t, err)
			for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 18, 99} {
				for _, rest := range []string{"", `, "other": true`, `, "segments": [{"name": "p7"}, {"name": "p18"}]`} {
					input := ast.MustParseTerm(fmt.Sprintf(`{"tool": "t%d"%s}`, n, rest)).Value.(ast.Object)
					input.Insert(ast.StringTerm("list"), paths)
					want, wantErr := prepared.Eval(t.Context(), rego.EvalParsedInput(input))
					got, err := instance.Eval(t.Context(), input)
					require.Equal(t, wantErr == nil, err == nil, "%v: %v and %v", n, wantErr, err)
					if err == nil {
						value, err := ast.InterfaceToValue(want[0].Expressions[0].Value)
						require.NoError(t, err)
						gotJSON, err := ast.JSON(got.Value)
						require.NoError(t, err)
						assert.Zero(t, ast.MustInterfaceToValue(gotJSON).Compare(value), "%s: %v, want %v", query, got, value)
					}
				}
			}
		}
	}
}
