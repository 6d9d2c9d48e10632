package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gavel/internal/nearest"
)

// Limits on what an error quotes of the document.
const (
	maxQuotedName = 64  // characters of a member name
	maxQuotedPath = 256 // characters of a JSON pointer
)

// maxFindDepth is the depth down to which the place of a misplaced member is looked for.
const maxFindDepth = 4

// explain turns an error of the JSON library into one with a place and a fix. The document
// was read into a value of type document.
func explain(data []byte, err error, document reflect.Type) *Error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return explainSemantic(data, semantic, document)
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return explainSyntax(data, syntactic)
	}
	return newError(data, 0, "", err.Error(), "")
}

func explainSyntax(data []byte, err *jsontext.SyntacticError) *Error {
	offset := int(err.ByteOffset)
	switch {
	case errors.Is(err.Err, jsontext.ErrDuplicateName):
		name := quote(err.JSONPointer.LastToken())
		return newError(data, offset, err.JSONPointer, "duplicate member "+name, "keep one of the two")
	case errors.Is(err.Err, io.ErrUnexpectedEOF) && len(bytes.TrimSpace(data)) == 0:
		return newError(data, offset, "", "the document is empty", "send one JSON object")
	case errors.Is(err.Err, io.ErrUnexpectedEOF):
		incomplete := newError(data, offset, err.JSONPointer, "the document ends too early", "close every string, array and object")
		incomplete.Incomplete = true
		return incomplete
	case strings.HasSuffix(err.Err.Error(), "after top-level value"):
		return newError(data, offset, "", "there are bytes after the document", "send one document and nothing after it")
	case offset == 0 && bytes.HasPrefix(data, []byte("\ufeff")):
		return newError(data, offset, "", "the document begins with a byte order mark", "save it as UTF-8 without one")
	case err.JSONPointer == "" && strings.HasSuffix(err.Err.Error(), "at start of value"):
		return newError(data, offset, "", "this is not JSON: "+err.Err.Error(), "send one JSON object, such as {\"name\": \"value\"}")
	default:
		return newError(data, offset, err.JSONPointer, err.Err.Error(), "")
	}
}

func explainSemantic(data []byte, err *json.SemanticError, document reflect.Type) *Error {
	offset := int(err.ByteOffset)
	switch {
	case errors.Is(err.Err, json.ErrUnknownName):
		name := err.JSONPointer.LastToken()
		return newError(data, offset, err.JSONPointer, "unknown member "+quote(name), suggest(name, err.GoType, document))
	case err.GoType == nil:
		return newError(data, offset, err.JSONPointer, "not a valid value here", "")
	case err.Err == nil:
		message := fmt.Sprintf("want %s, found %s", describeType(err.GoType), describeKind(err.JSONKind))
		fix := ""
		if err.JSONPointer == "" && err.JSONKind == '[' {
			fix = "send one object, without the brackets around it"
		}
		return newError(data, offset, err.JSONPointer, message, fix)
	case err.JSONKind == '0':
		return newError(data, offset, err.JSONPointer, "the number is not "+describeType(err.GoType)+" that fits here", "")
	default:
		return newError(data, offset, err.JSONPointer, err.Err.Error(), "")
	}
}

// newError computes line and column of a byte offset, and shortens the path.
func newError(data []byte, offset int, path jsontext.Pointer, message, fix string) *Error {
	before := data[:max(0, min(offset, len(data)))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &Error{Line: line, Column: column, Path: shorten(string(path), maxQuotedPath), Message: message, Fix: fix}
}

// suggest names the member of struct type t that comes nearest to name, or the place in the
// document where a member of that very name belongs. When there is neither, it names all
// members of t.
func suggest(name string, t, document reflect.Type) string {
	names := memberNames(t)
	if len(names) == 0 {
		return "leave it out"
	}
	if near := nearest.Name(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if elsewhere := findMember(name, document, ""); elsewhere != "" {
		return fmt.Sprintf("did you mean %s?", elsewhere)
	}
	return "the members here are " + strings.Join(names, ", ")
}

// findMember returns the JSON pointer of the first member called name in an object inside t, or "".
// It looks into structs only, so that what it names is the same in every document, and not
// deeper than deepest, because a type may contain itself.
func findMember(name string, t reflect.Type, path string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || strings.Count(path, "/") == maxFindDepth {
		return ""
	}
	for field := range t.Fields() {
		fieldName := memberName(field)
		if fieldName == "" {
			continue
		}
		if fieldName == name {
			return path + "/" + name
		}
		if at := findMember(name, field.Type, path+"/"+fieldName); at != "" {
			return at
		}
	}
	return ""
}

// memberNames returns the JSON names of a struct type's fields, in their order.
func memberNames(t reflect.Type) []string {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for field := range t.Fields() {
		if name := memberName(field); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// memberName returns the JSON name of a field, or "" when it has none.
func memberName(field reflect.StructField) string {
	if !field.IsExported() {
		return ""
	}
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	switch name {
	case "-":
		return ""
	case "":
		return field.Name
	default:
		return name
	}
}

func describeType(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a finite number"
	default:
		return "a whole number"
	}
}

func describeKind(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	case 't', 'f':
		return kind.String()
	default:
		return "something else"
	}
}

func quote(name string) string { return fmt.Sprintf("%q", shorten(name, maxQuotedName)) }

// shorten cuts text after limit characters.
func shorten(text string, limit int) string {
	count := 0
	for i := range text {
		if count == limit {
			return text[:i] + "…"
		}
		count++
	}
	return text
}
