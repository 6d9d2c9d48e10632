package regoir

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Shape is the list of member names that objects of one kind have in common. It is immutable.
type Shape struct {
	names         []*ast.Term
	indexes       map[ast.String]int
	sortedIndexes []int // the indexes of names, ordered by name
}

// NewShape returns a shape. The members have indexes from 0, in the order of the names.
func NewShape(names ...string) *Shape {
	s := &Shape{indexes: make(map[ast.String]int, len(names))}
	for i, name := range names {
		s.names = append(s.names, ast.InternedTerm(name))
		s.indexes[ast.String(name)] = i
		s.sortedIndexes = append(s.sortedIndexes, i)
	}
	slices.SortFunc(s.sortedIndexes, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	return s
}

// indexOf returns the index of a member, or -1.
func (s *Shape) indexOf(key *ast.Term) int {
	if name, ok := key.Value.(ast.String); ok {
		if i, ok := s.indexes[name]; ok {
			return i
		}
	}
	return -1
}

// lookupSite is a lookup with a constant key in the policy. It has an inline cache, because the
// objects at one site mostly have the same shape.
type lookupSite struct {
	key    *ast.Term
	cached atomic.Pointer[siteCache]
}

// siteCache is the index of a site's key in a shape, or -1.
type siteCache struct {
	shape *Shape
	index int
}

// lookup looks the key up in a value, with find if the value has no shape.
func (s *lookupSite) lookup(source *ast.Term, find func(source, key *ast.Term) *ast.Term) *ast.Term {
	if source == nil {
		return nil
	}
	o, ok := source.Value.(*LazyObject)
	if !ok {
		return find(source, s.key)
	}
	c := s.cached.Load()
	if c == nil || c.shape != o.shape {
		c = &siteCache{o.shape, o.shape.indexOf(s.key)}
		s.cached.Store(c)
	}
	if c.index < 0 {
		return nil
	}
	return o.member(c.index)
}

// ShapeTable interns shapes. The zero value is empty and ready to use. It is safe for concurrent use,
// and grows with each new list of names.
type ShapeTable struct{ shapes sync.Map }

func (t *ShapeTable) shapeOf(names []string) *Shape {
	var key []byte
	for _, name := range names {
		key = append(strconv.AppendInt(key, int64(len(name)), 10), ' ')
		key = append(key, name...)
	}
	shape, ok := t.shapes.Load(string(key))
	if !ok {
		shape, _ = t.shapes.LoadOrStore(string(key), NewShape(names...))
	}
	return shape.(*Shape)
}

// Share converts objects of at most maxSharedMembers members, in the first maxSharedDepth levels. Few
// sites look into larger and deeper ones.
const (
	maxSharedMembers = 32
	maxSharedDepth   = 3
)

// Share returns a value for use in many inputs, equal to t, in which policies look members up faster
// than in OPA's own objects. Unlike other lazy objects, it may be part of the inputs of concurrent
// evaluations, because nothing in it remains to be computed.
func (t *ShapeTable) Share(term *ast.Term) *ast.Term { return t.share(term, maxSharedDepth) }

func (t *ShapeTable) share(term *ast.Term, depth int) *ast.Term {
	object, ok := term.Value.(ast.Object)
	if !ok || depth == 0 || object.Len() > maxSharedMembers {
		return term
	}
	names, values := make([]string, 0, object.Len()), make([]*ast.Term, 0, object.Len())
	for _, key := range object.Keys() {
		name, ok := key.Value.(ast.String)
		if !ok {
			return term
		}
		names, values = append(names, string(name)), append(values, t.share(object.Get(key), depth-1))
	}
	shared := newRecord(t.shapeOf(names), values)
	shared.Value.(*LazyObject).materialized = term
	return shared
}

// shapeFor returns the shape of objects with these keys, or nil if they are not distinct constant
// names.
func (p *Program) shapeFor(keys []operand) *Shape {
	var names []string
	for _, k := range keys {
		if k.constant == nil {
			return nil
		}
		name, ok := k.constant.Value.(ast.String)
		if !ok || slices.Contains(names, string(name)) {
			return nil
		}
		names = append(names, string(name))
	}
	if len(names) == 0 {
		return nil
	}
	return p.shapes.shapeOf(names)
}
