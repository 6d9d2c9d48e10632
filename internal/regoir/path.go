package regoir

import (
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// accessPath is a path of constant keys below a parameter of a function. A nil key is a wildcard: it
// stands for every member, so that the path has several values.
type accessPath struct {
	root ir.Local
	keys []*ast.Term
}

func (p accessPath) child(key *ast.Term) accessPath {
	return accessPath{p.root, append(p.keys[:len(p.keys):len(p.keys)], key)}
}

func (p accessPath) key() string { return pathKey(p.root, p.keys) }

// resolve returns the value at the path below v, or nil if there is none. At a wildcard it stops:
// it returns the value whose members the wildcard stands for, and the rest of the path, which
// continues at each of these members.
func (p accessPath) resolve(v *ast.Term) (*ast.Term, *accessPath) {
	find := lookup
	if p.root == ir.Data {
		find = lookupBase
	}
	for i, k := range p.keys {
		if k == nil {
			return v, &accessPath{p.root, p.keys[i+1:]}
		}
		if v = find(v, k); v == nil {
			return nil, nil
		}
	}
	return v, nil
}

// pathKey returns a string that identifies a path.
func pathKey(root ir.Local, keys []*ast.Term) string {
	var text strings.Builder
	text.WriteByte(byte(root))
	for _, k := range keys {
		text.WriteByte(0)
		if k != nil { // is not a wildcard
			text.WriteString(k.String())
		}
	}
	return text.String()
}

// pathTable assigns ids to the paths below input and data that functions look up. Scopes and
// machines cache the values at these paths by id.
type pathTable struct {
	mu  sync.Mutex
	ids map[string]int
}

func (t *pathTable) id(key string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ids == nil {
		t.ids = map[string]int{}
	}
	id, ok := t.ids[key]
	if !ok {
		id = len(t.ids)
		t.ids[key] = id
	}
	return id
}
