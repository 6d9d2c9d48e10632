package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"

	"gavel/internal/nearest"
)

// json5 converts the syntax tree of an ECMAScript expression into nodes.
type json5 struct {
	*builder
	source string
	cursor *cursor
}

// readJSON5 reads JSON or JSON5. JSON5 is a subset of ECMAScript expressions, so an ECMAScript
// parser reads it. Everything outside the subset is refused.
func (b *builder) readJSON5(source string) *node {
	j := &json5{builder: b, source: source, cursor: newCursor(source)}
	if err := scan(source); err != nil {
		b.problems.add(j.cursor.locate(err.offset), "", err.message, "", err.fix)
		return nil
	}
	expression, err := j.parse()
	if err != nil {
		b.problems.add(j.cursor.locate(err.offset), "", err.message, "", err.fix)
		return nil
	}
	return j.node(expression, nil, 1)
}

// parse returns the only expression of the text. Source maps are disabled, because for them the
// parser would open a file that a comment names.
func (j *json5) parse() (expression ast.Expression, failed *syntaxError) {
	defer func() {
		if v := recover(); v != nil {
			expression, failed = nil, &syntaxError{0, fmt.Sprintf("the text cannot be read: %v", v), "write it as plain JSON"}
		}
	}()
	program, err := parser.ParseFile(nil, "", "("+j.source+"\n)", 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, j.syntax(err)
	}
	if len(program.Body) == 1 {
		if statement, ok := program.Body[0].(*ast.ExpressionStatement); ok && statement.Expression != nil {
			return statement.Expression, nil
		}
	}
	return nil, &syntaxError{0, "the file does not contain exactly one value", "write one map"}
}

// syntax converts an error of the parser.
func (j *json5) syntax(err error) *syntaxError {
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return &syntaxError{0, "the text is not JSON5: " + err.Error(), "write it as plain JSON"}
	}
	first := list[0]
	line := max(first.Position.Line, 1)
	offset := 0
	for range line - 1 {
		next := strings.IndexByte(j.source[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	column := first.Position.Column - 1
	if line == 1 {
		column-- // parse adds a bracket
	}
	message := strings.ToLower(first.Message[:1]) + first.Message[1:]
	return &syntaxError{offset + max(column, 0), "the text is not JSON5: " + message, "look at the text before this location"}
}

func (j *json5) at(idx file.Idx) location { return j.cursor.locate(j.offset(idx)) }

// offset returns the byte offset of a node in the source. The parser counts from 1, and parse adds
// a bracket.
func (j *json5) offset(idx file.Idx) int { return int(idx) - 2 }

// node returns the value of an expression, or nil after adding a problem.
func (j *json5) node(expression ast.Expression, path *keyPath, depth int) *node {
	at := j.at(expression.Idx0())
	if !j.enter(at, path, depth) {
		return nil
	}
	switch e := expression.(type) {
	case *ast.ObjectLiteral:
		return j.mapping(e, at, path, depth)
	case *ast.ArrayLiteral:
		n := &node{kind: list, location: at}
		for i, value := range e.Value {
			if value == nil {
				j.problems.add(at, path.item(i).String(), "the list has a gap", "", "remove the extra comma")
			} else if item := j.node(value, path.item(i), depth+1); item != nil {
				n.items = append(n.items, item)
			}
		}
		return n
	case *ast.StringLiteral:
		if value, ok := j.string(e.Value, at, path); ok {
			return &node{kind: text, location: at, text: value}
		}
		return nil
	case *ast.NumberLiteral:
		return j.number(at, path, e.Literal)
	case *ast.UnaryExpression:
		return j.signed(e, at, path)
	case *ast.BooleanLiteral:
		return &node{kind: boolean, location: at, truth: e.Value}
	case *ast.NullLiteral:
		return &node{kind: null, location: at}
	case *ast.Identifier:
		j.problems.add(at, path.String(), fmt.Sprintf("%s is not a value", quote(e.Name.String())),
			nearest.Name(e.Name.String(), []string{"true", "false", "null"}), "put it in quotes if it is a string")
		return nil
	}
	j.problems.add(at, path.String(), "this is code, not a value", "", "use maps, lists, strings, numbers, true, false and null")
	return nil
}

// signed reads a number with a sign.
func (j *json5) signed(e *ast.UnaryExpression, at location, path *keyPath) *node {
	operand, ok := e.Operand.(*ast.NumberLiteral)
	if !ok || e.Postfix || (e.Operator != token.MINUS && e.Operator != token.PLUS) {
		j.problems.add(at, path.String(), "a sign is not followed by a number that can be read exactly",
			"", "write a decimal number")
		return nil
	}
	return j.number(at, path, e.Operator.String()+operand.Literal)
}

func (j *json5) mapping(e *ast.ObjectLiteral, at location, path *keyPath, depth int) *node {
	n, seen := &node{kind: mapping, location: at}, map[string]location{}
	for _, property := range e.Value {
		keyed, ok := property.(*ast.PropertyKeyed)
		if !ok || keyed.Computed || keyed.Kind != ast.PropertyKindValue {
			where := at
			if property != nil {
				where = j.at(property.Idx0())
			}
			j.problems.add(where, path.String(), "this is not a key with a value", "", "write key: value")
			continue
		}
		where := j.at(keyed.Key.Idx0())
		name, ok := keyed.Key.(*ast.StringLiteral)
		if !ok {
			j.problems.add(where, path.String(), "a key that is not a string", "", "put the key in quotes")
			continue
		}
		if key, ok := j.string(name.Value, where, path); ok {
			below := path.field(key)
			j.addField(n, seen, field{key: key, location: where, value: j.node(keyed.Value, below, depth+1)}, below)
		}
	}
	return n
}

// string returns the value of a string. An unpaired surrogate is a problem, because other readers
// replace it by another character.
func (j *json5) string(value unistring.String, at location, path *keyPath) (string, bool) {
	units := value.AsUtf16()
	for i := 0; i < len(units); i++ {
		if !utf16.IsSurrogate(rune(units[i])) {
			continue
		}
		if i+1 < len(units) && utf16.DecodeRune(rune(units[i]), rune(units[i+1])) != '\ufffd' {
			i++
			continue
		}
		j.problems.add(at, path.String(), "the string has an unpaired surrogate", "", "write the character itself")
		return "", false
	}
	return value.String(), true
}
