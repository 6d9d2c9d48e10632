package main

import "slices"

// writeDigest generates the code that writes facts into the key of a cache.
func writeDigest(t *table) ([]byte, error) {
	c := &source{}
	c.WriteString(header + "import (\n\"maps\"\n\"slices\"\n\n\"gavel\"\n)\n\n")
	top := t.order[0]
	isContext := func(f *field) bool { return f.context }
	c.copyContext(top)
	c.line("// context writes the facts that the frozen part depends on.")
	c.line("func (w *keyWriter) context(f *gavel.Facts) {")
	c.digestFields(slices.DeleteFunc(slices.Clone(top.fields), func(f *field) bool { return !isContext(f) }))
	c.line("}\n")
	c.line("// call writes the other facts.")
	c.line("func (w *keyWriter) call(f *gavel.Facts) {")
	c.digestFields(slices.DeleteFunc(slices.Clone(top.fields), isContext))
	c.line("}\n")
	for _, s := range t.order[1:] {
		c.line("func (w *keyWriter) %s(f *gavel.%s) {", s.short(), s.name)
		c.digestFields(s.fields)
		c.line("}\n")
	}
	return c.formatted()
}

// digestFields generates the code that writes fields into the key. Those that vary come last.
func (c *source) digestFields(fields []*field) {
	for _, f := range fields {
		if f.varies == "" {
			c.digestField(f)
		}
	}
	for _, kind := range varyingParts() {
		varying := slices.DeleteFunc(slices.Clone(fields), func(f *field) bool { return f.varies != kind })
		if len(varying) == 0 {
			continue
		}
		c.line("if w.include&%s != 0 {", varying[0].part())
		for _, f := range varying {
			c.digestField(f)
		}
		c.line("}")
	}
}

func (c *source) digestField(f *field) {
	switch f.kind {
	case text:
		c.line("w.string(f.%s)", f.name)
	case flag:
		c.line("w.bool(f.%s)", f.name)
	case number:
		c.line("w.int(f.%s)", f.name)
	case object:
		c.line("w.%s(&f.%s)", f.target.short(), f.name)
	case pointer:
		c.line("if w.bool(f.%[1]s != nil); f.%[1]s != nil {\nw.%[2]s(f.%[1]s)\n}", f.name, f.target.short())
	case listMap:
		c.line("w.stringLists(f.%s)", f.name)
	case anyMap:
		c.line("w.params(f.%s)", f.name)
	case list:
		switch f.element {
		case text:
			c.line("w.strings(f.%s)", f.name)
		case number:
			c.line("w.ints(f.%s)", f.name)
		default:
			// The loop is inlined, because passing the writer to a function would move it to
			// the heap.
			c.line("w.length(len(f.%[1]s), f.%[1]s == nil)\nfor i := range f.%[1]s {\nw.%[2]s(&f.%[1]s[i])\n}", f.name, f.target.short())
		}
	}
}

// copyContext generates the function copyContext.
func (c *source) copyContext(top *structure) {
	c.line("// copyContext returns a deep copy of the facts that the frozen part depends on. All other facts are empty.")
	c.line("func copyContext(f *gavel.Facts) gavel.Facts {\nvar clone gavel.Facts")
	for _, f := range top.fields {
		if f.context {
			c.line("clone.%[1]s = f.%[1]s", f.name)
			c.cloneField(f, "clone")
		}
	}
	c.line("return clone\n}\n")
}

// cloneField generates the code that replaces a field that shares memory by a copy. The path is
// that of the struct.
func (c *source) cloneField(f *field, path string) {
	at := path + "." + f.name
	switch f.kind {
	case object:
		for _, inner := range f.target.fields {
			c.cloneField(inner, at)
		}
	case pointer:
		c.line("if %s != nil {\nvalue := *%[1]s\n%[1]s = &value", at)
		for _, inner := range f.target.fields {
			c.cloneField(inner, at)
		}
		c.line("}")
	case listMap:
		c.line("%s = maps.Clone(%[1]s)\nfor key, value := range %[1]s {\n%[1]s[key] = slices.Clone(value)\n}", at)
	case list:
		c.line("%s = slices.Clone(%[1]s)", at)
		if f.element == object && f.target.hasReferences() {
			c.line("for i := range %s {\nelement := &%[1]s[i]", at)
			for _, inner := range f.target.fields {
				c.cloneField(inner, "element")
			}
			c.line("}")
		}
	}
}

// hasReferences reports whether a shallow copy of a struct would share memory with the original.
func (s *structure) hasReferences() bool {
	for _, f := range s.fields {
		if f.kind == list || f.kind == listMap || f.kind == pointer || f.kind == object && f.target.hasReferences() {
			return true
		}
	}
	return false
}
