package secrets

import (
	"path"
	"slices"
	"strings"
)

// reading is what the words before one say about it.
type reading struct {
	program *program
	needs   bool // the sub-command that it needs was seen
	next    value
	set     bool // the word before was set or config: a name and its value follow
	assigns bool // the program, or the word before, takes NAME=value as one word
	inside  bool // the word is an option's value: --env=NAME=value
}

// word finds secrets in a word because of what it is and what stood before it. quoted
// tells whether a quote begins right before a byte of it.
func (m *Masker) word(text string, before *reading, quoted func(int) bool) []span {
	next := before.next
	before.next = nothing
	if next != nothing && !strings.HasPrefix(text, "--") {
		return m.valueOf(text, next)
	}
	m.program(text, before)
	if spans, ok := m.assignment(text, before, quoted); ok {
		return spans
	}
	if strings.HasPrefix(text, "-") && len(text) > 1 {
		return m.option(text, before)
	}
	if before.set && m.weigh(text) == yes {
		before.next = whole
	}
	before.set = text == "set" || text == "config"
	return nil
}

// program notes which program's options follow.
func (m *Masker) program(text string, before *reading) {
	if slices.Contains(m.table.assigning, text) {
		before.assigns = true
	}
	if before.program != nil && text == before.program.needs {
		before.needs = true
	}
	name := strings.TrimSuffix(path.Base(text), ".exe")
	for i := range m.table.programs {
		if p := &m.table.programs[i]; slices.Contains(p.names, name) {
			before.program, before.needs = p, p.needs == ""
			return
		}
	}
}

// assignment reads NAME=value, --name=value and -Dname=value. A value ends with a blank
// where the word may be a command as a whole, as in sh -c 'TOKEN=x ls': a command is
// never hidden.
func (m *Masker) assignment(text string, before *reading, quoted func(int) bool) ([]span, bool) {
	name, value, cut := strings.Cut(text, "=")
	if !cut || name == "" || strings.ContainsAny(name, " \t\n\"'{}()?&/:") {
		return nil, false
	}
	name = strings.TrimSuffix(name, "+")
	start := len(text) - len(value)
	if m.secret(m.weigh(name), value) {
		end := len(text)
		if blank := strings.IndexAny(value, " \t\n;|&<>"); blank >= 0 && !before.assigns && name[0] != '-' && !quoted(start) {
			end = start + blank
		}
		return []span{{start, end}}, true
	}
	if strings.HasPrefix(text, "--") && !before.inside { // of an option's value, what it says itself
		inner := reading{program: before.program, needs: before.needs, assigns: true, inside: true}
		switch what := m.long(strings.TrimLeft(name, "-"), before); what {
		case nothing:
			for _, s := range m.word(value, &inner, quoted) {
				return []span{{start + s.start, start + s.end}}, true
			}
		default:
			for _, s := range m.valueOf(value, what) {
				return []span{{start + s.start, start + s.end}}, true
			}
		}
	}
	return nil, !strings.HasPrefix(text, "-")
}

// long is what the value of a long option is, when its name does not say so.
func (m *Masker) long(name string, before *reading) value {
	switch name {
	case "user", "proxy-user", "cert", "proxy-cert", "preproxy-user":
		if before.program != nil && before.program.has("u") {
			return userPass
		}
	case "header", "proxy-header", "H":
		return header
	case "cookie":
		return cookie
	}
	return nothing
}

func (p *program) has(short string) bool {
	return slices.ContainsFunc(p.short, func(o option) bool { return o.name == short })
}

// option reads an option: what the next word is, or what is attached to it.
func (m *Masker) option(text string, before *reading) []span {
	name := strings.TrimLeft(text, "-")
	if what := m.long(name, before); what != nothing && (strings.HasPrefix(text, "--") || text == "-H") {
		before.next = what
		return nil
	}
	if len(name) > 2 && m.weigh(name) == yes && strings.Trim(name, nameLetters) == "" {
		before.next = whole
		return nil
	}
	if strings.HasPrefix(text, "--") || before.program == nil || !before.needs {
		return nil
	}
	for _, o := range before.program.short {
		if (len(o.name) > 1 || before.program.exact) && name == o.name {
			before.next = o.value
			return nil
		}
	}
	if before.program.exact {
		return nil
	}
	return m.cluster(text, before)
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// cluster reads short options: -sSu name:password, -uname:password, -pSECRET.
func (m *Masker) cluster(text string, before *reading) []span {
	for i := 1; i < len(text); i++ {
		for _, o := range before.program.short {
			if o.name != text[i:i+1] {
				continue
			}
			if i+1 == len(text) {
				if o.value != attached {
					before.next = o.value
				}
				return nil
			}
			what := o.value
			if what == attached {
				what = whole
			}
			var spans []span
			for _, s := range m.valueOf(text[i+1:], what) {
				spans = append(spans, span{i + 1 + s.start, i + 1 + s.end})
			}
			return spans
		}
		if strings.IndexByte(nameLetters[:52], text[i]) < 0 || strings.IndexByte(before.program.takes, text[i]) >= 0 {
			return nil
		}
	}
	return nil
}

// valueOf finds the secret of an option's value.
func (m *Masker) valueOf(text string, what value) []span {
	all := span{0, len(text)}
	switch what {
	case whole:
		if m.reference(text) || strings.HasPrefix(text, "id=") || strings.HasPrefix(text, "type=") {
			return nil
		}
		return []span{all}
	case userPass:
		at := strings.IndexAny(text, ":,%")
		if at < 0 || m.reference(text[at+1:]) || strings.HasPrefix(text, "@") {
			return nil
		}
		return []span{{at + 1, len(text)}}
	case header:
		if name, value, cut := strings.Cut(text, ":"); cut && !m.OpenHeader(name) && m.weigh(name) == yes && !m.reference(strings.TrimSpace(value)) {
			start := len(name) + 1 + len(value) - len(strings.TrimLeft(value, " \t"))
			return []span{m.credential(text, span{start, len(text)}, strings.ToLower(name))}
		}
		return nil
	case cookie:
		if strings.Contains(text, "=") && !m.reference(text) {
			return []span{all}
		}
		return nil
	case passPhrase:
		if secret, ok := strings.CutPrefix(text, "pass:"); ok && !m.reference(secret) {
			return []span{{len("pass:"), len(text)}}
		}
		return nil
	default:
		return nil
	}
}
