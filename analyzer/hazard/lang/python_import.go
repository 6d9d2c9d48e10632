package lang

import (
	"slices"
	"strings"
)

// bind gives a module, or a function of one, a name, which then is that of no variable.
func (p *pythonText) bind(name, path string) bool {
	if name == "" || p.used[name] || slices.Contains(pythonWords(), name) || p.modules[name] != "" && p.modules[name] != path {
		return false
	}
	p.modules[name] = path
	return true
}

// imports reads the modules behind import.
func (p *pythonText) imports() bool {
	for {
		module := p.dotted()
		if module == "" || !p.known(module) {
			return false
		}
		called, _, _ := strings.Cut(module, ".")
		path := called
		if p.word("as") {
			called, path = p.name(), module
		}
		if !p.bind(called, path) {
			return false
		}
		if p.blanks(); !p.take(",") {
			return true
		}
	}
}

// importsFrom reads a module and the functions of it that get names of their own.
func (p *pythonText) importsFrom() bool {
	module := p.dotted()
	if module == "" || !p.known(module) || !p.word("import") {
		return false
	}
	for {
		name := p.name()
		if !pythonKnown(module+"."+name) || !p.bind(name, module+"."+name) {
			return false
		}
		if p.blanks(); !p.take(",") {
			return true
		}
	}
}

// known records that a module is imported, unless it does something besides when it is loaded.
func (p *pythonText) known(module string) bool {
	first, _, _ := strings.Cut(module, ".")
	if slices.Contains([]string{"antigravity", "this", "idlelib", "turtledemo", "test"}, first) {
		return false
	}
	p.loads = p.loads || !slices.Contains(pythonModules(), module)
	return true
}

// dotted reads names with dots between them.
func (p *pythonText) dotted() string {
	module := p.name()
	for module != "" && p.take(".") {
		next := p.name()
		if next == "" {
			return ""
		}
		module += "." + next
	}
	return module
}
