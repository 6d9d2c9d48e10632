package lang

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"gavel"
)

// maxFilter is the maximum length of a program in bytes. The tree of a longer one could be too
// deep to walk.
const maxFilter = 4096

// JQ returns the names that a jq program mentions. The parser is gojq's, whose grammar differs
// slightly from the grammar of jq 1.7. What the two could read differently is not parsed: comments,
// which a backslash continues in jq 1.7 but not in jq 1.6, and bytes other than printable ASCII.
// Nothing is run.
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

// jqNames collects the names in a syntax tree.
type jqNames map[string]bool

// walk visits every field of every node, whatever its kind, so that no node can hide a name.
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

// node records the names in a node. The nodes are structs whose methods change nothing, so a copy
// can be read instead.
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
