package config

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/nearest"
)

// pruner removes keys that the schema marks as not affecting permissions.
type pruner struct {
	root     rawSchema
	problems *problemList
	ignored  []string
	newer    []string
}

// prune removes ignored keys. It returns their paths, sorted, and the paths of keys that only newer
// editions have. Where any key is valid, a key that is similar to a known one is a problem, because
// ignoring a misspelt section of tools or agents would loosen the policy.
func (r *Reader) prune(root *node, problems *problemList) *pruner {
	p := &pruner{root: r.raw, problems: problems}
	p.walk(root, r.raw, nil)
	slices.Sort(p.ignored)
	return p
}

func (p *pruner) walk(n *node, schema rawSchema, path *keyPath) {
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
		case !below.isIgnored():
			kept = append(kept, f)
			p.walk(f.value, below, path.field(f.key))
		case listed:
			p.ignored = append(p.ignored, path.field(f.key).String())
		default:
			p.ignore(f, valid, path)
		}
	}
	n.fields = kept
}

// ignore ignores a key that the schema does not list. If the key is similar to a known one, or
// belongs into another section, it adds a problem instead.
func (p *pruner) ignore(f field, valid []string, path *keyPath) {
	where := path.field(f.key).String()
	if p.problems.full() {
		p.problems.dropped++
	} else if near := nearest.Mistakable(f.key, valid); near != "" {
		p.problems.add(f.location, where, fmt.Sprintf("unknown key %s", quote(f.key)), near,
			fmt.Sprintf("write %s, or choose a less similar name", near))
	} else if belongs := p.sectionFor(f.key); path == nil && belongs != "" {
		p.problems.add(f.location, where, fmt.Sprintf("unknown key %s", quote(f.key)), belongs, "move it to "+belongs)
	} else {
		p.ignored = append(p.ignored, where)
	}
}

// sectionFor returns the path in tools or tools.exec where a top-level key belongs, or "".
func (p *pruner) sectionFor(key string) string {
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
