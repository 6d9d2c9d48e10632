package secrets

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// patterns are compiled once for each masker.
type patterns struct {
	userinfo, query, header, cookies, pair, list, prose, reference *regexp.Regexp
}

func newPatterns(t *table) patterns {
	names := slices.Clone(t.headers)
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return patterns{
		reference: regexp.MustCompile(`^\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}|\{\{[^}]*\}\}|\([^)]*\))$`),
		// Passwords may hold / and @; what begins with a port is none.
		userinfo: regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*)://([^\s"'<>/?#:@]*)(?:(:)([^\s"'<>]*))?@`),
		query:    regexp.MustCompile(`([?&;#,]|^|[\s"'])([A-Za-z0-9_.%\[\]-]+)=([^&;|#,\s"'<>]*)`),
		header:   regexp.MustCompile(`(?i)\b(` + strings.Join(names, "|") + `|x-[a-z0-9-]*(?:token|secret|api-?key|password|signature))["']?\s*:[ \t]*["']?`),
		cookies:  regexp.MustCompile(`^[^\s;='"]+=[^\s;'"]*(?:;[ \t]*[^\s;='"]+=[^\s;'"]*)*`),
		pair:     regexp.MustCompile(`["']([A-Za-z0-9_.\- ]+)\\?["']\s*:[ \t]*(\\?"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,}\]"'\[{][^\s,}\]"']*)`),
		list:     regexp.MustCompile(`["']([A-Za-z0-9_.\- ]+)\\?["']\s*:\s*\[`),
		prose:    regexp.MustCompile(`(?i)\b(password|passwd|passphrase|api[_-]?key|client[_-]?secret|secret[_-]?key|access[_-]?token)\s*:[ \t]+([^\s"',;]+)`),
	}
}

// shapes finds what is a credential by its looks.
func (m *Masker) shapes(text string) (spans []span) {
	lower := strings.ToLower(text)
	for _, shape := range m.table.shapes {
		if !strings.Contains(lower, shape.begins) {
			continue
		}
		for _, at := range shape.like.FindAllStringIndex(text, -1) {
			spans = append(spans, span{at[0], at[1]})
		}
	}
	return spans
}

// urls finds passwords before the host of a URL, and tokens in their place.
func (m *Masker) urls(text string) (spans []span) {
	if at := strings.Index(text, "://"); at < 0 || !strings.Contains(text[at:], "@") {
		return nil
	}
	for _, at := range m.patterns.userinfo.FindAllStringSubmatchIndex(text, -1) {
		scheme, user := strings.ToLower(text[at[2]:at[3]]), span{at[4], at[5]}
		if at[6] < 0 { // no colon
			if slices.Contains(m.table.userOnly, scheme) && !m.reference(text[user.start:user.end]) {
				spans = append(spans, user)
			}
			continue
		}
		password := span{at[8], at[9]}
		value := text[password.start:password.end]
		if port, _, cut := strings.Cut(value, "/"); cut && isPort(port) || m.reference(value) {
			continue
		}
		if end := strings.IndexAny(value, ";|&"); end >= 0 {
			password.end = password.start + end // what follows may be a command
		}
		spans = append(spans, password)
	}
	return spans
}

func isPort(text string) bool {
	return len(text) > 0 && len(text) <= 5 && strings.Trim(text, "0123456789") == ""
}

// queries finds name=value: in a query, among options, in a connection string.
func (m *Masker) queries(text string) (spans []span) {
	if !strings.Contains(text, "=") {
		return nil
	}
	for _, at := range m.patterns.query.FindAllStringSubmatchIndex(text, -1) {
		name, err := url.QueryUnescape(text[at[4]:at[5]])
		if err != nil {
			name = text[at[4]:at[5]]
		}
		if m.secret(m.weigh(name), text[at[6]:at[7]]) {
			spans = append(spans, span{at[6], at[7]})
		}
	}
	return spans
}

// headers finds the values of headers in a text. They end with a blank, as far as nobody
// says that the text is a header: what follows may be a command.
func (m *Masker) headers(text string) (spans []span) {
	if !m.mayHaveHeader(text) {
		return nil
	}
	for _, at := range m.patterns.header.FindAllStringSubmatchIndex(text, -1) {
		name, value := strings.ToLower(text[at[2]:at[3]]), span{at[1], len(text)}
		if strings.Contains(name, "cookie") {
			if list := m.patterns.cookies.FindStringIndex(text[value.start:]); list != nil {
				spans = append(spans, span{value.start, value.start + list[1]})
				continue
			}
		}
		value = m.credential(text, value, name)
		if end := strings.IndexAny(text[value.start:], " \t\r\n\"';|&<>"); end >= 0 {
			value.end = value.start + end
		}
		if !m.reference(text[value.start:value.end]) {
			spans = append(spans, value)
		}
	}
	return spans
}

// credential is a header's value without the scheme.
func (m *Masker) credential(text string, s span, name string) span {
	if !strings.HasSuffix(name, "authorization") {
		return s
	}
	scheme, _, cut := strings.Cut(text[s.start:s.end], " ")
	if cut && slices.Contains(m.table.schemes, strings.ToLower(scheme)) {
		s.start += len(scheme) + 1
	}
	return s
}

// pairs finds "name": "value", as in JSON, and password: value, as in YAML and in prose.
func (m *Masker) pairs(text string) (spans []span) {
	quoted, prose := colons(text)
	if quoted {
		spans = append(m.members(text), m.lists(text)...)
	}
	if !prose {
		return spans
	}
	for _, at := range m.patterns.prose.FindAllStringSubmatchIndex(text, -1) {
		// The file of the users has no passwords, and a message may go on after its name.
		if strings.HasSuffix(text[:at[3]], "/etc/passwd") || m.reference(text[at[4]:at[5]]) {
			continue
		}
		spans = append(spans, span{at[4], at[5]})
	}
	return spans
}

// members finds "name": "value".
func (m *Masker) members(text string) (spans []span) {
	for _, at := range m.patterns.pair.FindAllStringSubmatchIndex(text, -1) {
		s := span{at[4], at[5]}
		for s.end > s.start && text[s.start] == '\\' {
			s.start++
		}
		if c := text[s.start]; c == '"' || c == '\'' {
			s.start, s.end = s.start+1, s.end-1
			if s.end > s.start && text[s.end-1] == '\\' {
				s.end--
			}
			if end := strings.IndexAny(text[s.start:s.end], "'\""); end >= 0 {
				s.end = s.start + end // what follows may be a command
			}
		}
		if s.end > s.start && m.secret(m.weigh(text[at[2]:at[3]]), text[s.start:s.end]) {
			spans = append(spans, s)
		}
	}
	return spans
}
