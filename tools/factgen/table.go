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

// root is the struct that contains all facts.
const root = "Facts"

// table contains root and every struct below it.
type table struct {
	structs map[string]*structure // by Go name; nil while a struct is being read
	order   []*structure          // each once, root first
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
	pointer      // another struct, or absent
	list         // of strings, numbers or structs; element says which
	listMap      // lists of strings by name
	anyMap       // any values by name, as the caller supplied them
)

// field is one fact.
type field struct {
	name, json string // in Go, and in the input
	doc        string
	kind       kind
	element    kind       // of a list
	target     *structure // of an object, a pointer, and a list of objects

	varies     string // with the call; one of variations, or ""
	emptyIfNil bool   // a nil list is written as an empty one
	context    bool   // the frozen part depends on it
	enum       []string
}

// short returns the name for generated code: execFacts becomes exec.
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

// varyingParts returns the values of the tag varies: the parts of the facts that a cache key may
// omit.
func varyingParts() []string { return []string{"call", "params", "time"} }

// varies reports whether a struct contains a field that varies.
func (s *structure) varies() bool {
	for _, f := range s.fields {
		if f.varies != "" || f.target != nil && f.target.varies() {
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
	_, err := r.readStruct(root)
	return r.table, err
}

// readStruct reads a struct and the structs that it contains.
func (r *reader) readStruct(name string) (*structure, error) {
	if s, ok := r.table.structs[name]; ok {
		if s == nil {
			return nil, fmt.Errorf("%s contains itself, and so the input would have no end", name)
		}
		return s, nil
	}
	decl, ok := r.types[name]
	if !ok {
		return nil, fmt.Errorf("the package of %s has no struct %s", root, name)
	}
	spec := decl.Specs[0].(*ast.TypeSpec)
	typ, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil, r.errorAt(spec, "%s is not a struct: a fact is a string, a bool, an int or a struct", name)
	}
	s := &structure{name: name, doc: comment(decl.Doc)}
	r.table.structs[name] = nil
	r.table.order = append(r.table.order, s)
	for _, member := range typ.Fields.List {
		if len(member.Names) != 1 || !member.Names[0].IsExported() {
			return nil, r.errorAt(member, "%s: write one exported field per line, with its tags", name)
		}
		f := &field{name: member.Names[0].Name, doc: comment(member.Doc, member.Comment)}
		err := r.readField(f, member, name == root)
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, f)
	}
	r.table.structs[name] = s
	return s, nil
}

// readField reads the type and the tags of a field. top says that the struct is root.
func (r *reader) readField(f *field, member *ast.Field, top bool) (err error) {
	if f.kind, f.element, f.target, err = r.kindOf(member.Type); err != nil {
		return err
	}
	if member.Tag == nil {
		return r.errorAt(member, "%s has no tag: give it a name, as in `json:\"name\"`", f.name)
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
			f.emptyIfNil, ok = true, value == "empty" && f.kind == list
		case "varies":
			f.varies, ok = value, slices.Contains(varyingParts(), value)
		case "frozen":
			f.context, ok = true, value == "context" && top && f.varies == "" && (f.target == nil || !f.target.varies())
		case "disclose":
			ok = value == "call" || value == "parts" && f.target != nil
		case "enum":
			f.enum, ok = strings.Split(value, ","), value != "" && f.kind == text
		}
		if !ok {
			return r.errorAt(member, "%s cannot have the tag %s:%q: the comment of gavel.Facts explains the tags", f.name, key, value)
		}
	}
	switch {
	case f.json == "":
		return r.errorAt(member, "%s has no name in the input: add one, as in `json:\"name\"`", f.name)
	case f.kind == anyMap && f.varies == "":
		return r.errorAt(member, "%s contains arbitrary values of a call, which would be part of every cache key: tag it varies:\"params\"", f.name)
	}
	return nil
}

// cutTag splits off the first key and value of a tag. It returns a malformed tag as a key, which
// no field may have.
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

// kindOf returns the kind of a type, for a list the kind of its elements, and the struct that it
// contains or points to.
func (r *reader) kindOf(typ ast.Expr) (kind, element kind, target *structure, err error) {
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
			target, err = r.readStruct(typ.Name)
			return object, 0, target, err
		}
	case *ast.StarExpr:
		if element, _, target, err = r.kindOf(typ.X); err != nil || element == object {
			return pointer, 0, target, err
		}
	case *ast.ArrayType:
		if element, _, target, err = r.kindOf(typ.Elt); err != nil || typ.Len == nil && (element == text || element == number || element == object) {
			return list, element, target, err
		}
	case *ast.MapType:
		key, _, _, err := r.kindOf(typ.Key)
		if any, ok := typ.Value.(*ast.Ident); ok && key == text && any.Name == "any" {
			return anyMap, 0, nil, err
		}
		if value, element, _, err := r.kindOf(typ.Value); err == nil && key == text && value == list && element == text {
			return listMap, 0, nil, nil
		}
	}
	return 0, 0, nil, r.errorAt(typ, "a fact is a string, a bool, an int, a struct, a pointer to a struct, or a list of strings, ints or structs")
}

func (r *reader) errorAt(node ast.Node, format string, args ...any) error {
	at := r.files.Position(node.Pos())
	return fmt.Errorf("%s:%d: %s", filepath.Base(at.Filename), at.Line, fmt.Sprintf(format, args...))
}

// comment returns the text of comments as one paragraph. An indented line begins with a value, and
// the rest of the line, or lines that are indented further, say what the value means.
func comment(groups ...*ast.CommentGroup) string {
	var words []string
	for _, group := range groups {
		for line := range strings.Lines(group.Text()) {
			fields := strings.Fields(line)
			if value, ok := strings.CutPrefix(line, "\t"); ok && !strings.HasPrefix(value, " ") {
				if last := len(words) - 1; !strings.HasSuffix(words[last], ":") {
					words[last] += ";"
				}
				fields[0] += " ="
			}
			words = append(words, fields...)
		}
	}
	return strings.Join(words, " ")
}
