package hosts

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
)

// MaxCalls limits how many calls one payload may be about.
const MaxCalls = 100

// Each translates a tool that does several things in one call: it returns one call for each
// element of a list parameter. The table entry name[] says how an element is read. Elements are
// objects, or texts that stand for an object with that text as a member. Other parameters of the
// tool must be among the names to skip.
func (t Table) Each(base gavel.Call, name, list, member string, input Object, over ...string) []gavel.Call {
	unread := func(why string) []gavel.Call {
		base.Tool = gavel.Tool{Name: t[name+"[]"].Tool, Params: paramsOf(input), Unread: name + ": " + why}
		return []gavel.Call{base}
	}
	rest := input.Without(list)
	for _, known := range over {
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
		one, ok := objectOf(element)
		if _, isText := TextOf(element); isText {
			one, ok = NewObject(Member{member, element}), true
		}
		if !ok {
			return unread(fmt.Sprintf("the parameter %s has an element that is neither text nor an object", list))
		}
		calls = append(calls, t.Calls(base, name+"[]", one)...)
	}
	return calls
}

// Several returns a value that is a list, or a list with the value as its only element.
func Several(value jsontext.Value) jsontext.Value {
	if value.Kind() == '[' {
		return value
	}
	return Elements([]jsontext.Value{value})
}

// Elements returns the elements of such a list.
func Elements(values []jsontext.Value) jsontext.Value {
	list := jsontext.Value{'['}
	for i, value := range values {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, value...)
	}
	return append(list, ']')
}
