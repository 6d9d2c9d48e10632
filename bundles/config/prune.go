package config

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/nearest"
)

// pruner removes what the schema marks as not a permission.
type pruner struct {
	root       rawSchema
	found      *problems
	passedOver []string
	newer      []string
}

// prune removes ignored keys, and returns their paths, sorted, with those of keys that only
// newer editions have. Where any key is valid, a key
// that is similar to a known one is a problem: silently ignoring a tool or agent section
// would loosen the policy.
func (r *Reader) prune(root *node, found *problems) *pruner {
	p := &pruner{root: r.raw, found: found}
	p.walk(root, r.raw, nil)
	slices.Sort(p.passedOver)
	return p
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
		if below.string(markEdition) != "" {
			p.newer = append(p.newer, path.field(f.key).String())
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

// pass ignores a key that the schema does not list, unless it is similar to a known key, or is
// known elsewhere.
func (p *pruner) pass(f field, valid []string, path *trail) {
	where := path.field(f.key).String()
	if p.found.full() {
		p.found.more++
	} else if near := nearest.Mistakable(f.key, valid); near != "" {
		p.found.add(f.place, where, fmt.Sprintf("unknown key %s", shorten(f.key)), near,
			fmt.Sprintf("write %s, or choose a less similar name", near))
	} else if belongs := p.elsewhere(f.key); path == nil && belongs != "" {
		p.found.add(f.place, where, fmt.Sprintf("unknown key %s", shorten(f.key)), belongs, "move it to "+belongs)
	} else {
		p.passedOver = append(p.passedOver, where)
	}
}

// elsewhere returns where a key belongs that stands outside all sections: below tools or
// tools.exec. Ignoring it there would loosen the policy.
func (p *pruner) elsewhere(key string) string {
	tools := p.root.part("properties").part("tools").resolve(p.root)
	exec := tools.part("properties").part("exec").resolve(p.root)
	for _, section := range []struct {
		path   string
		schema rawSchema
	}{{"tools", tools}, {"tools.exec", exec}} {
		for _, known := range section.schema.keys() {
			if strings.EqualFold(known, key) {
				return section.path + "." + known
			}
		}
	}
	return ""
}
