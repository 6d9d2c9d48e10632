package hosts

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
)

// MaxCalls limits how many calls one payload may have.
const MaxCalls = 100

// Each translates a tool that does several things in one call: it returns one call for each element
// of the parameter list. The table entry name[] says how an element is read. An element is an object,
// or a text, which is read as an object with that text as the member of that name. Of the tool's other
// parameters, those in skip are ignored, and any other one makes the call unread.
func (t Table) Each(base gavel.Call, name, list, member string, input Object, skip ...string) []gavel.Call {
	unread := func(why string) []gavel.Call {
		base.Tool = gavel.Tool{Name: t[name+"[]"].Tool, Params: ParamsOf(input), Unread: name + ": " + why}
		return []gavel.Call{base}
	}
	rest := input.Without(list)
	for _, known := range skip {
		rest = rest.Without(known)
	}
	for _, m := range rest.Members() {
		return unread(fmt.Sprintf("the parameter %s is unknown", short(m.Name)))
	}
	value, _ := input.Get(list)
	elements, ok := ListOf(value)
	if !ok || len(elements) == 0 || len(elements) > MaxCalls {
		return unread(fmt.Sprintf("the parameter %s is not a list of 1 to %d elements", list, MaxCalls))
	}
	var calls []gavel.Call
	for _, element := range elements {
		parameters, ok := objectOf(element)
		if _, isText := TextOf(element); isText {
			parameters, ok = NewObject(Member{member, element}), true
		}
		if !ok {
			return unread(fmt.Sprintf("the parameter %s has an element that is neither text nor an object", list))
		}
		calls = append(calls, t.Calls(base, name+"[]", parameters)...)
	}
	return calls
}

// AsList returns a value that is a list unchanged, and any other value as the only element of a list.
func AsList(value jsontext.Value) jsontext.Value {
	if value.Kind() == '[' {
		return value
	}
	return NewList([]jsontext.Value{value})
}

// NewList returns the list of these values.
func NewList(values []jsontext.Value) jsontext.Value {
	list := jsontext.Value{'['}
	for i, value := range values {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, value...)
	}
	return append(list, ']')
}
