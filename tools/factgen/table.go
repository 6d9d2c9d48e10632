package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// root is the struct at the top of the table.
const root = "Facts"

// table holds every struct that [root] consists of, by its Go name.
type table struct {
	structs map[string]*structure
	order   []*structure // root first, each once
}

// structure is one struct of facts.
type structure struct {
	name   string // in Go
	doc    string
	fields []*field
}

// kind is the type of a field.
type kind int

const (
	text    kind = iota + 1
	flag         // true or false
	number       // a whole number
	object       // another struct
	pointer      // another struct, or nothing
	list         // of strings, numbers or structs; element says which
	byName       // strings by name
	given        // any value that the caller supplied
)

// field is one fact.
type field struct {
	name, json string // in Go, and in the input
	doc        string
	kind       kind
	element    kind       // of a list
	of         *structure // of an object, a pointer, and a list of objects

	varies  string // with the call; one of variations, or ""
	empty   bool   // a nil list is written as an empty one
	context bool   // the frozen part depends on it
	enum    []string
}

// short returns the struct's name without the common prefix and suffix.
func (s *structure) short() string {
	if s.name == root {
		return "facts"
	}
	return lowerFirst(strings.TrimSuffix(s.name, "Facts"))
}

func lowerFirst(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

// variations are the parts of the facts that a digest may leave out.
func variations() []string { return []string{"call", "params", "time"} }

// varies reports whether any part of a struct varies.
func (s *structure) varies() bool {
	for _, f := range s.fields {
		if f.varies != "" || f.of != nil && f.of.varies() {
			return true
		}
	}
	return false
}

// reader builds a table from the declarations of one package.
type reader struct {
	files *token.FileSet
	types map[string]*ast.GenDecl
	table *table
}

// readTable reads the structs in Go files, without test files.
func readTable(sources []string) (*table, error) {
	r := &reader{files: token.NewFileSet(), types: map[string]*ast.GenDecl{}, table: &table{structs: map[string]*structure{}}}
	for _, path := range sources {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(r.files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read the facts: %w", err)
		}
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.TYPE && len(decl.Specs) == 1 {
				r.types[decl.Specs[0].(*ast.TypeSpec).Name.Name] = decl
			}
		}
	}
	_, err := r.structure(root)
	return r.table, err
}

// structure reads a struct and the structs that it contains. A struct that contains itself is
// an error.
func (r *reader) structure(name string) (*structure, error) {
	if known, ok := r.table.structs[name]; ok {
		if known == nil {
			return nil, fmt.Errorf("%s is made of itself, which no input can be", name)
		}
		return known, nil
	}
	decl, ok := r.types[name]
	if !ok {
		return nil, fmt.Errorf("there is no struct %s beside %s", name, root)
	}
	spec := decl.Specs[0].(*ast.TypeSpec)
	of, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil, r.wrong(spec, "%s is not a struct: facts are made of structs, text, flags and whole numbers", name)
	}
	s := &structure{name: name, doc: comment(decl.Doc)}
	r.table.structs[name] = nil
	r.table.order = append(r.table.order, s)
	for _, member := range of.Fields.List {
		if len(member.Names) != 1 || !member.Names[0].IsExported() {
			return nil, r.wrong(member, "%s: write one exported fact on a line, with its tags", name)
		}
		f := &field{name: member.Names[0].Name, doc: comment(member.Doc, member.Comment)}
		err := r.read(f, member, name == root)
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, f)
	}
	r.table.structs[name] = s
	return s, nil
}

func (r *reader) read(f *field, member *ast.Field, top bool) (err error) {
	if f.kind, f.element, f.of, err = r.holds(member.Type); err != nil {
		return err
	}
	if member.Tag == nil {
		return r.wrong(member, "%s has no tag: give it its name, as in `json:\"name\"`", f.name)
	}
	options := ""
	for rest := strings.Trim(member.Tag.Value, "`"); rest != ""; {
		key, value, more := cutTag(rest)
		rest = more
		ok := false
		switch key {
		case "json":
			f.json, options, _ = strings.Cut(value, ",")
			ok = f.json != "" && f.json != "-" && (options == "omitempty") == (f.kind == pointer) && (options == "" || options == "omitempty")
		case "nil":
			f.empty, ok = true, value == "empty" && f.kind == list
		case "varies":
			f.varies, ok = value, slices.Contains(variations(), value)
		case "frozen":
			f.context, ok = true, value == "context" && top && f.varies == "" && (f.of == nil || !f.of.varies())
		case "told":
			ok = value == "call" || value == "parts" && f.of != nil
		case "enum":
			f.enum, ok = strings.Split(value, ","), value != "" && f.kind == text
		}
		if !ok {
			return r.wrong(member, "%s cannot have the tag %s:%q: gavel.Facts says which tags there are and what for", f.name, key, value)
		}
	}
	switch {
	case f.json == "":
		return r.wrong(member, "%s has no name in the input: give it one, as in `json:\"name\"`", f.name)
	case f.kind == given && f.varies == "":
		return r.wrong(member, "%s is whatever a call gave, and would be part of every digest: tag it varies:\"params\"", f.name)
	}
	return nil
}

// cutTag splits off the first key and value of a tag. A malformed tag is returned as an unknown
// key.
func cutTag(tag string) (key, value, rest string) {
	key, rest, _ = strings.Cut(strings.TrimLeft(tag, " "), ":")
	value, ok := reflect.StructTag(tag).Lookup(key)
	if !ok {
		return tag, "", ""
	}
	_, rest, _ = strings.Cut(rest, `"`)
	_, rest, _ = strings.Cut(rest, `"`)
	return key, value, strings.TrimLeft(rest, " ")
}

// holds returns the kind of a type.
func (r *reader) holds(typ ast.Expr) (kind, element kind, of *structure, err error) {
	switch typ := typ.(type) {
	case *ast.Ident:
		switch typ.Name {
		case "string":
			return text, 0, nil, nil
		case "bool":
			return flag, 0, nil, nil
		case "int":
			return number, 0, nil, nil
		}
		if ast.IsExported(typ.Name) {
			of, err = r.structure(typ.Name)
			return object, 0, of, err
		}
	case *ast.StarExpr:
		if element, _, of, err = r.holds(typ.X); err != nil || element == object {
			return pointer, 0, of, err
		}
	case *ast.ArrayType:
		if element, _, of, err = r.holds(typ.Elt); err != nil || typ.Len == nil && (element == text || element == number || element == object) {
			return list, element, of, err
		}
	case *ast.MapType:
		key, _, _, err := r.holds(typ.Key)
		if any, ok := typ.Value.(*ast.Ident); ok && key == text && any.Name == "any" {
			return given, 0, nil, err
		}
		if value, element, _, err := r.holds(typ.Value); err == nil && key == text && value == list && element == text {
			return byName, 0, nil, nil
		}
	}
	return 0, 0, nil, r.wrong(typ, "a fact is a string, a bool, an int, a struct, a pointer to a struct, or a list of strings, ints or structs")
}

func (r *reader) wrong(node ast.Node, format string, args ...any) error {
	at := r.files.Position(node.Pos())
	return fmt.Errorf("%s:%d: %s", filepath.Base(at.Filename), at.Line, fmt.Sprintf(format, args...))
}

// comment returns the text of comments as one paragraph.
func comment(groups ...*ast.CommentGroup) string {
	var words []string
	for _, group := range groups {
		words = append(words, strings.Fields(group.Text())...)
	}
	return strings.Join(words, " ")
}
