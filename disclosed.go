package gavel

import "reflect"

// Disclosed returns the facts that a caller may read: those that the call itself contains, which have
// the struct tag disclose. All others were looked up, and have their zero value in the result: they
// would reveal which files exist, where links lead, or what files contain. The result shares memory
// with f, which must not change.
func (f *Facts) Disclosed() *Facts {
	disclosed := &Facts{}
	copyDisclosed(reflect.ValueOf(disclosed).Elem(), reflect.ValueOf(f).Elem())
	return disclosed
}

// copyDisclosed copies the fields with the tag disclose from one struct to another of the same type.
func copyDisclosed(to, from reflect.Value) {
	for i := range from.NumField() {
		switch from.Type().Field(i).Tag.Get("disclose") {
		case "call":
			to.Field(i).Set(from.Field(i))
		case "parts":
			copyDisclosedParts(to.Field(i), from.Field(i))
		}
	}
}

// copyDisclosedParts does the same for a struct, a pointer to one, or a list of them.
func copyDisclosedParts(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			copyDisclosed(to.Elem(), from.Elem())
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyDisclosed(to.Index(i), from.Index(i))
		}
	default:
		copyDisclosed(to, from)
	}
}
