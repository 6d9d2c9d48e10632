package gavel

import "reflect"

// Told returns only the facts that the call itself contains, which have the struct tag told. All
// others were looked up, and have their zero value in the result: they would reveal which files
// exist, where links lead, or what files contain. The result shares memory with f, which must not
// change.
func (f *Facts) Told() *Facts {
	told := &Facts{}
	copyTold(reflect.ValueOf(told).Elem(), reflect.ValueOf(f).Elem())
	return told
}

// copyTold copies the fields with the tag told from one struct to another of the same type.
func copyTold(to, from reflect.Value) {
	for i := range from.NumField() {
		switch from.Type().Field(i).Tag.Get("told") {
		case "call":
			to.Field(i).Set(from.Field(i))
		case "parts":
			copyToldParts(to.Field(i), from.Field(i))
		}
	}
}

// copyToldParts does the same for a struct, a pointer to one, or a list of them.
func copyToldParts(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			copyTold(to.Elem(), from.Elem())
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyTold(to.Index(i), from.Index(i))
		}
	default:
		copyTold(to, from)
	}
}
