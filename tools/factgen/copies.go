package main

// copies generates the code that copies the facts on which the frozen part depends.
func (c *code) copies(top *structure) {
	c.line("// copyContext copies the facts that the frozen part depends on, and nothing else.")
	c.line("func copyContext(f *gavel.Facts) gavel.Facts {\nvar kept gavel.Facts")
	for _, f := range top.fields {
		if f.context {
			c.line("kept.%[1]s = f.%[1]s", f.name)
			c.copied(f, "kept")
		}
	}
	c.line("return kept\n}\n")
}

// copied generates the code that copies what a field refers to.
func (c *code) copied(f *field, path string) {
	at := path + "." + f.name
	switch f.kind {
	case object:
		for _, inner := range f.of.fields {
			c.copied(inner, at)
		}
	case pointer:
		c.line("if %s != nil {\ncopied := *%[1]s\n%[1]s = &copied", at)
		for _, inner := range f.of.fields {
			c.copied(inner, at)
		}
		c.line("}")
	case byName:
		c.line("%s = maps.Clone(%[1]s)\nfor key, value := range %[1]s {\n%[1]s[key] = slices.Clone(value)\n}", at)
	case list:
		c.line("%s = slices.Clone(%[1]s)", at)
		if f.element == object && f.of.refers() {
			c.line("for i := range %s {\nkept := &%[1]s[i]", at)
			for _, inner := range f.of.fields {
				c.copied(inner, "kept")
			}
			c.line("}")
		}
	}
}

// refers reports whether a plain copy of a struct would share memory with the original.
func (s *structure) refers() bool {
	for _, f := range s.fields {
		if f.kind == list || f.kind == byName || f.kind == pointer || f.kind == object && f.of.refers() {
			return true
		}
	}
	return false
}
