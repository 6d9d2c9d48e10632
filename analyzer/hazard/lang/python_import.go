package lang

import (
	"slices"
	"strings"
)

// bindName records the name of an imported module or function. It returns false for a name that the
// program uses otherwise.
func (p *pythonParser) bindName(name, path string) bool {
	if name == "" || p.used[name] || slices.Contains(pythonWords(), name) || p.modules[name] != "" && p.modules[name] != path {
		return false
	}
	p.modules[name] = path
	return true
}

// parseImport reads the modules of an import statement.
func (p *pythonParser) parseImport() bool {
	for {
		module := p.parseDottedName()
		if module == "" || !p.recordImport(module) {
			return false
		}
		called, _, _ := strings.Cut(module, ".")
		path := called
		if p.takeWord("as") {
			called, path = p.parseName(), module
		}
		if !p.bindName(called, path) {
			return false
		}
		if p.skipBlanks(); !p.take(",") {
			return true
		}
	}
}

// parseFromImport reads the module of a from statement, and what is imported from it.
func (p *pythonParser) parseFromImport() bool {
	module := p.parseDottedName()
	if module == "" || !p.recordImport(module) || !p.takeWord("import") {
		return false
	}
	for {
		name := p.parseName()
		if !pythonKnown(module+"."+name) || !p.bindName(name, module+"."+name) {
			return false
		}
		if p.skipBlanks(); !p.take(",") {
			return true
		}
	}
}

// recordImport records the import of a module. It returns false for modules with visible effects on
// loading.
func (p *pythonParser) recordImport(module string) bool {
	first, _, _ := strings.Cut(module, ".")
	if slices.Contains([]string{"antigravity", "this", "idlelib", "turtledemo", "test"}, first) {
		return false
	}
	p.loads = p.loads || !slices.Contains(pythonModules(), module)
	return true
}

// parseDottedName reads a name with dots, such as os.path. It returns "" if there is none.
func (p *pythonParser) parseDottedName() string {
	module := p.parseName()
	for module != "" && p.take(".") {
		next := p.parseName()
		if next == "" {
			return ""
		}
		module += "." + next
	}
	return module
}
