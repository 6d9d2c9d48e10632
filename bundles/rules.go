package bundles

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/pathglob"
)

// ruleList is the rules about commands that stand in one place, indexed by the programs
// that they are about. It is the fast twin of rego/gavel/exec/rules/lists, and a test holds
// them together. That a rule may be about a program is a fact; whether it is about the words,
// and what follows, is Rego's to say.
type ruleList struct {
	refs    []gavel.RuleRef
	allows  []bool
	names   map[string][]int // by the program's name, in lower case
	bases   map[string][]int // rules that ask or deny, by the name that a text may mention
	objects []int            // rules that ask or deny
	paths   *pathglob.Index
	at      [][]int          // the rules of each pattern of paths
	targets map[string][]int // by where a program that is a link led
}

// newRuleList reads the rules of a place. leads says where a path leads that is a link, or
// "".
func newRuleList(name string, list any, leads func(string) string) *ruleList {
	r := &ruleList{names: map[string][]int{}, bases: map[string][]int{}, targets: map[string][]int{}}
	patterns := []string{}
	positions := map[string]int{}
	items, _ := list.([]any)
	for i, item := range items {
		rule, _ := item.(map[string]any)
		program, _ := rule["program"].(string)
		ref := gavel.RuleRef{List: name, Index: i}
		if !strings.Contains(program, "/") {
			key := strings.ToLower(program)
			r.names[key] = append(r.names[key], i)
		} else {
			if leads != nil {
				ref.Target = leads(program)
			}
			if ref.Target != "" {
				r.targets[ref.Target] = append(r.targets[ref.Target], i)
			}
			if _, known := positions[program]; !known {
				positions[program] = len(patterns)
				patterns, r.at = append(patterns, program), append(r.at, nil)
			}
			r.at[positions[program]] = append(r.at[positions[program]], i)
		}
		allows := rule["effect"] == "allow"
		if !allows {
			base := program[strings.LastIndexByte(program, '/')+1:]
			r.bases[base] = append(r.bases[base], i)
			r.objects = append(r.objects, i)
		}
		r.refs, r.allows = append(r.refs, ref), append(r.allows, allows)
	}
	r.paths = pathglob.New(patterns)
	return r
}

// candidates adds the rules that may be about a program, or about a command that its words
// mention and that it may run. Where onlyObjecting is true, rules that permit do not hold.
func (r *ruleList) candidates(found []gavel.RuleRef, part *rulePart, home string, onlyObjecting bool) []gavel.RuleRef {
	if r == nil || len(r.refs) == 0 {
		return found
	}
	var positions []int
	for _, name := range part.names {
		positions = append(positions, r.names[name]...)
	}
	for _, path := range []string{part.executable.Path, part.executable.Real} {
		if path == "" {
			continue
		}
		for _, at := range r.paths.All(path, home) {
			positions = append(positions, r.at[at]...)
		}
		positions = append(positions, r.targets[path]...)
	}
	if part.anything {
		positions = append(positions, r.objects...)
	}
	for _, word := range part.mentions {
		positions = append(positions, r.bases[word]...)
	}
	slices.Sort(positions)
	for _, i := range slices.Compact(positions) {
		if !onlyObjecting || !r.allows[i] {
			found = append(found, r.refs[i])
		}
	}
	return found
}

// rulePart is what rules are looked up by.
type rulePart struct {
	executable gavel.Executable
	names      []string // that a rule may call the program by
	mentions   []string // programs that the words may be about
	anything   bool     // the words may be about any program
}

// partOf is what rules about a segment or a wrapper are looked up by. A wrapper is never
// opaque, and its words are all written.
func partOf(executable gavel.Executable, argv []string, hazards []gavel.Hazard, opaque string, dynamic []int) rulePart {
	p := rulePart{executable: executable, anything: executable.Programs == nil || opaque != "" && (len(dynamic) > 0 || dynamic == nil)}
	p.names = slices.Clone(executable.Programs)
	for _, name := range []string{executable.Name, executable.RealName} {
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
		p.names = append(p.names, name)
		for i := 1; i < len(name); i++ {
			if isVersion(name[i:]) {
				p.names = append(p.names, name[:i])
			}
		}
	}
	slices.Sort(p.names)
	p.names = slices.Compact(p.names)
	if opaque == "" && !slices.ContainsFunc(hazards, func(h gavel.Hazard) bool { return slices.Contains(unreadKinds(), h.Kind) }) && hazards != nil {
		return p
	}
	for _, word := range argv {
		p.mentions = append(p.mentions, mentioned(word)...)
	}
	return p
}

// isVersion reports whether a text is a version behind a name: -2.4, 3.12 or .12.
func isVersion(text string) bool {
	text = strings.TrimLeft(text[:1], "-.") + text[1:]
	return text != "" && text[0] != '.' && strings.Trim(text, "0123456789.") == ""
}

// unreadKinds are the kinds of hazard that run a text which nobody took apart.
func unreadKinds() []string { return []string{"runs", "inline", "carried", "unread"} }

// mentioned are the texts in a word that may be the name of a program: what stands by
// itself among letters, digits and dashes, with the dots and signs that names have.
func mentioned(word string) (names []string) {
	for _, run := range strings.FieldsFunc(word, func(c rune) bool { return !nameRune(c) && !strings.ContainsRune(".+[", c) }) {
		starts, ends := []int{0}, []int{len(run)}
		for i := range len(run) {
			if run[i] == '+' || run[i] == '[' {
				starts = append(starts, i, i+1)
			}
			if strings.IndexByte(".+[", run[i]) >= 0 {
				ends = append(ends, i)
			}
		}
		for _, start := range starts {
			for _, end := range ends {
				if start < end {
					names = append(names, run[start:end])
				}
			}
		}
	}
	return names
}

func nameRune(c rune) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// rulesFor are the rules that may be about a program, in the order of the places where
// they stand. It is never nil.
func (a *allowlists) rulesFor(agent string, home string, part func() rulePart) []gavel.RuleRef {
	section, _ := a.agents[agent].(map[string]any)
	own := agent != "defaults" && agent != "list" && at(section, "exec", "rules") != nil
	lists := append(make([]*ruleList, 0, 8), a.rules) // of most policies all: none needs memory of its own
	for _, name := range a.packsFor(agent, section) {
		lists = append(lists, a.packs[name])
	}
	if own {
		lists = append(lists, a.agentRules(agent, section))
	}
	lists = append(lists, a.defaultRules)
	found := []gavel.RuleRef{}
	if !slices.ContainsFunc(lists, func(r *ruleList) bool { return r != nil && len(r.refs) > 0 }) {
		return found
	}
	one := part()
	for i, list := range lists {
		found = list.candidates(found, &one, home, own && i == len(lists)-1)
	}
	return found
}

// packsFor are the names of the packs for an agent: those for everybody, and its own or
// those of agents.defaults.
func (a *allowlists) packsFor(agent string, section map[string]any) []string {
	own := at(section, "exec", "packs")
	if own == nil || agent == "defaults" || agent == "list" {
		own = at(a.agents, "defaults", "exec", "packs")
	}
	if own == nil {
		return a.shared
	}
	return append(slices.Clone(a.shared), names(own)...)
}

// names are the texts of a list.
func names(value any) (found []string) {
	list, _ := value.([]any)
	for _, one := range list {
		if text, ok := one.(string); ok {
			found = append(found, text)
		}
	}
	return found
}

// packsOf are the packs among the data of a policy, by name.
func packsOf(data ast.Object) map[string]any {
	found, err := data.Find(ast.MustParseRef("data.gavel.catalog.packs")[1:])
	if err != nil {
		return nil // a root of the policy's own may have none
	}
	value, err := ast.JSON(found)
	if err != nil {
		return nil
	}
	packs, _ := value.(map[string]any)
	return packs
}

func (a *allowlists) agentRules(agent string, section map[string]any) *ruleList {
	if known, ok := a.rulesByAgent.Load(agent); ok {
		return known.(*ruleList)
	}
	built, _ := a.rulesByAgent.LoadOrStore(agent, newRuleList("agents."+agent+".exec", at(section, "exec", "rules"), a.leads))
	return built.(*ruleList)
}
