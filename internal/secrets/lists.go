package secrets

import "strings"

// lists finds the elements of "name": ["value", "value"]. The brackets stay.
func (m *Masker) lists(text string) (spans []span) {
	for _, at := range m.patterns.list.FindAllStringSubmatchIndex(text, -1) {
		weight := m.weigh(text[at[2]:at[3]])
		for i, line := at[1], false; i < len(text) && weight != no; {
			if c := text[i]; strings.IndexByte(blanks+",[", c) >= 0 {
				line = line || c == '\n'
				i++
				continue
			}
			s, next := element(text, i)
			if next == i || !ends(text[next:], line) {
				break // the list ends, or what follows may be a command
			}
			if i, line = next, false; s.end > s.start && m.secret(weight, text[s.start:s.end]) {
				spans = append(spans, s)
			}
		}
	}
	return spans
}

// element returns the value of a list that begins at i, without quotes, and where the rest of the
// list begins; that is i if no value does.
func element(text string, i int) (s span, next int) {
	mark := len(text[i:]) - len(strings.TrimLeft(text[i:], `\`)) // what escapes a quote
	start := i + mark + 1
	if start > len(text) || text[start-1] != '"' && text[start-1] != '\'' {
		end := strings.IndexAny(text[i:], blanks+",]}[{\"'\\;|&<>()`$")
		if end < 0 {
			end = len(text) - i
		}
		return span{i, i + end}, i + end
	}
	end := strings.IndexAny(text[start:], `'"`)
	if end < 0 {
		return span{start, len(text)}, len(text)
	}
	end += start
	if text[end] != text[start-1] || end-start < mark {
		return span{}, i
	}
	return span{start, end - mark}, end + 1
}

// ends tells whether a list goes on, or ends, after a value. A value at the beginning of a line may
// be the name of a program, unless a comma or a bracket follows it at once.
func ends(rest string, line bool) bool {
	if !line {
		rest = strings.TrimLeft(rest, blanks)
	}
	return rest == "" || rest[0] == ',' || rest[0] == ']'
}
