package config

import (
	"fmt"
	"slices"
)

// pruner takes out of a tree what the schema marks as no permission.
type pruner struct {
	root       rawSchema
	found      *problems
	passedOver []string
}

// prune removes what is passed over, and returns the sorted paths of it. Where
// any key may stand, one that is near to a key of ours is a problem: a tool or
// an agent section that is silently passed over would loosen the policy.
func (r *Reader) prune(root *node, found *problems) []string {
	p := &pruner{root: r.raw, found: found}
	p.walk(root, r.raw, nil)
	slices.Sort(p.passedOver)
	return p.passedOver
}

func (p *pruner) walk(n *node, schema rawSchema, path *trail) {
	schema = schema.resolve(p.root)
	if schema == nil {
		return
	}
	if n.kind == list {
		for i, item := range n.items {
			p.walk(item, schema.part("items"), path.item(i))
		}
		return
	}
	if n.kind != mapping {
		return
	}
	properties, additional := schema.part("properties"), schema.part("additionalProperties")
	valid := schema.keys()
	kept := n.fields[:0]
	for _, f := range n.fields {
		below, listed := properties.part(f.key), true
		if below == nil {
			below, listed = additional, false
		}
		switch {
		case !below.passedOver():
			kept = append(kept, f)
			p.walk(f.value, below, path.field(f.key))
		case listed:
			p.passedOver = append(p.passedOver, path.field(f.key).String())
		default:
			p.pass(f, valid, path)
		}
	}
	n.fields = kept
}

// pass passes over a key that the schema does not list, unless it is near to one
// of the valid keys.
func (p *pruner) pass(f field, valid []string, path *trail) {
	where := path.field(f.key).String()
	if p.found.full() {
		p.found.more++
	} else if near := Nearest(f.key, valid); near != "" {
		p.found.add(f.place, where, fmt.Sprintf("unknown key %s", shorten(f.key)), near,
			fmt.Sprintf("write %s, or choose a less similar name", near))
	} else {
		p.passedOver = append(p.passedOver, where)
	}
}
