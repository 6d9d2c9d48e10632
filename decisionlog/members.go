package decisionlog

import (
	"reflect"
	"strings"
)

// membersOf returns the names of the members that a type is written with as JSON, and
// those of whatever it is made of. Names that are made at run time, as the keys of maps,
// are not among them.
func membersOf(t reflect.Type) map[string]bool {
	names := map[string]bool{}
	addMembers(t, names, map[reflect.Type]bool{})
	return names
}

func addMembers(t reflect.Type, names map[string]bool, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		addMembers(t.Elem(), names, seen)
	case reflect.Struct:
		if seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			field := t.Field(i)
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
				names[name] = true
			}
			addMembers(field.Type, names, seen)
		}
	}
}

// harmlessMembers are the names of members of every line that are not names of secrets.
func (l *Log) harmlessMembers() map[string]bool {
	names := membersOf(reflect.TypeFor[entry]())
	for name := range names {
		if l.secretName([]byte(name)) {
			delete(names, name)
		}
	}
	return names
}
