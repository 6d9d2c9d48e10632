package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"gavel"
	"gavel/approvals/view"
	"gavel/internal/describe"
)

// callSchema generates the JSON Schema of a call from the structs in call.go and their
// comments.
func callSchema(root string) (object, error) {
	comments, err := fieldComments(filepath.Join(root, "call.go"))
	if err != nil {
		return nil, err
	}
	s := schemas{comments: comments}
	schema := s.forType(reflect.TypeFor[gavel.Call]())
	schema["$schema"], schema["$id"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", "gavel:call", "Call"
	schema["description"] = "One tool invocation that an agent wants to make: the body of POST /v1/decisions, and a line for gavel decide."
	schema["required"] = []string{"agent", "tool"}
	for _, member := range []struct{ of, name string }{{"agent", "id"}, {"tool", "name"}} {
		inner := schema["properties"].(object)[member.of].(object)
		inner["required"] = []string{member.name}
		inner["properties"].(object)[member.name].(object)["pattern"] = `\S`
	}
	return schema, nil
}

// schemas generates JSON Schemas from Go types and their comments.
type schemas struct {
	comments map[string]string // of fields, as Type.Field
}

func (s *schemas) forType(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[gavel.Effect]():
		return object{"enum": []string{"allow", "ask", "deny"}}
	}
	switch t.Kind() {
	case reflect.Pointer: // only optional members may be null
		inner := s.forType(t.Elem())
		inner["type"] = []any{inner["type"], "null"}
		return inner
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.Slice:
		return object{"type": "array", "items": s.forType(t.Elem())}
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return object{"type": "object"}
		}
		return object{"type": "object", "additionalProperties": s.forType(t.Elem())}
	case reflect.Struct:
		return s.forStruct(t)
	}
	panic(fmt.Sprintf("cannot generate a JSON Schema for the Go type %s", t))
}

func (s *schemas) forStruct(t reflect.Type) object {
	names := map[string]string{}
	for i := range t.NumField() {
		field := t.Field(i)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" {
			names[field.Name] = name
		}
	}
	properties := object{}
	for goName, name := range names {
		field, _ := t.FieldByName(goName)
		member := s.forType(field.Type)
		if comment := s.comments[t.Name()+"."+goName]; comment != "" {
			member["description"] = describe.Description(comment, goName, names)
		}
		properties[name] = member
	}
	schema := object{"type": "object", "additionalProperties": false, "properties": properties}
	if comment := s.comments[t.Name()]; comment != "" {
		schema["description"] = describe.Description(comment, t.Name(), names)
	}
	return schema
}

// approvalSchema generates the JSON Schema of an approval as clients see it.
func approvalSchema(root string) (object, error) {
	comments, err := fieldComments(filepath.Join(root, "approvals", "view", "view.go"))
	if err != nil {
		return nil, err
	}
	s := schemas{comments: comments}
	schema := s.forType(reflect.TypeFor[view.Approval]())
	schema["description"] = "A question to people, and its answer."
	schema["required"] = []string{"id", "state", "decisions", "request", "createdAt", "expiresAt"}
	properties := schema["properties"].(object)
	properties["state"] = object{"enum": []gavel.ApprovalState{gavel.ApprovalPending, gavel.ApprovalResolved, gavel.ApprovalExpired, gavel.ApprovalConsumed}}
	properties["decision"] = object{"enum": []gavel.Answer{gavel.AllowOnce, gavel.AllowAlways, gavel.DenyAnswer}}
	properties["outcome"].(object)["required"] = []string{"effect"}
	return schema, nil
}

// fieldComments reads the comments of structs and their fields in a Go file. The keys are of the
// forms Type and Type.Field.
func fieldComments(name string) (map[string]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("read the comments of fields: %w", err)
	}
	comments := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		if decl, ok := node.(*ast.GenDecl); ok && decl.Tok == token.TYPE && len(decl.Specs) == 1 {
			comments[decl.Specs[0].(*ast.TypeSpec).Name.Name] = strings.Join(strings.Fields(decl.Doc.Text()), " ")
		}
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if structure, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					comments[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
				}
			}
		}
		return true
	})
	return comments, nil
}
