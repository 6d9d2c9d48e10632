package gavel

import "reflect"

// Told returns the facts that the call itself contains; the tag told of their table marks them. A fact
// without the tag was looked up, and has its zero value: it says which files there are, where
// links lead, or what is in them. The result shares memory with f, which must not change.
func (f *Facts) Told() *Facts {
	told := &Facts{}
	tell(reflect.ValueOf(told).Elem(), reflect.ValueOf(f).Elem())
	return told
}

// tell sets in one struct what another of the same type tells.
func tell(to, from reflect.Value) {
	for i := range from.NumField() {
		switch from.Type().Field(i).Tag.Get("told") {
		case "call":
			to.Field(i).Set(from.Field(i))
		case "parts":
			tellParts(to.Field(i), from.Field(i))
		}
	}
}

// tellParts is tell for a struct, a pointer to one, or a list of them.
func tellParts(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			tell(to.Elem(), from.Elem())
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			tell(to.Index(i), from.Index(i))
		}
	default:
		tell(to, from)
	}
}
