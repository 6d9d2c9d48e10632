package regoir_test

import (
	"context"
	"fmt"
	"log"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"gavel/internal/regoir"
)

type request struct{ user, path string }

// requestView is a lazy input: it converts a field of a request when a rule reads it.
type requestView struct {
	regoir.LazyObject
	request *request
}

// Member implements [regoir.Members].
func (v *requestView) Member(index int) *ast.Term {
	switch index { // in the order of the shape's names
	case 0:
		return ast.StringTerm(v.request.user)
	case 1:
		fmt.Println("convert the path")
		return ast.StringTerm(v.request.path)
	}
	return nil
}

func ExampleLazyObject() {
	p, err := planOf(rego.Query("data.example.deny"), rego.Module("example.rego", `package example

deny contains "secret" if {
	input.user != "root"
	startswith(input.path, "/secret/")
}`))
	if err != nil {
		log.Fatal(err)
	}
	program, err := regoir.Compile(p.policy, p.options)
	if err != nil {
		log.Fatal(err)
	}
	instance, shape := program.Bind(ast.NewObject()), regoir.NewShape("user", "path") // one shape for all inputs

	for _, r := range []request{{"root", "/secret/key"}, {"alice", "/secret/key"}} {
		view := &requestView{request: &r}
		input := view.Init(shape, view)
		value, err := instance.EvalRule(context.Background(), "data.example.deny", input.Value)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.user, value)
	}

	// Output:
	// root set()
	// convert the path
	// alice {"secret"}
}
