package lang

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"gavel"
)

// maxFilter is the longest program that is read, in bytes. The tree of a longer one
// could be deeper than is good to walk.
const maxFilter = 4096

// JQ says what a program of jq names. The parser is gojq's, whose grammar is
// that of jq 1.7 with differences, so what either may read otherwise is not parsed:
// a comment, which jq 1.7 lets a backslash continue and jq 1.6 does not, and bytes
// that are no printable ASCII. Nothing is run.
func JQ(text string) *gavel.Filter {
	filter := &gavel.Filter{Names: []string{}}
	if len(text) > maxFilter || strings.Contains(text, "#") || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r > '~' }) {
		return filter
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return filter
	}
	names := jqNames{}
	names.walk(reflect.ValueOf(query))
	filter.Parsed, filter.Names = true, append(filter.Names, slices.Sorted(maps.Keys(names))...)
	return filter
}

// jqNames collects what a syntax tree names.
type jqNames map[string]bool

// walk visits every field of every node, whatever it is, so that no kind of node
// can hide a name.
func (n jqNames) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			n.walk(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			n.walk(v.Index(i))
		}
	case reflect.Struct:
		n.node(v)
		for _, field := range v.Fields() {
			n.walk(field)
		}
	}
}

// node notes what a node names. The nodes are structs without methods that change
// anything, so reading a copy is reading the node.
func (n jqNames) node(v reflect.Value) {
	switch node := v.Interface().(type) {
	case gojq.Func:
		n[node.Name] = true
	case gojq.ObjectKeyVal: // {$ENV} is short for {"ENV": $ENV}
		if strings.HasPrefix(node.Key, "$") {
			n[node.Key] = true
		}
	case gojq.String:
		n[`"`+node.Str+`"`] = true
	case gojq.ConstTerm:
		n[`"`+node.Str+`"`] = true
	case gojq.Import:
		if node.ImportPath != "" {
			n["import"] = true
		} else {
			n["include"] = true
		}
	}
}
