package spelling

import "strings"

// MCP returns the canonical name of a tool of an MCP server, mcp:<server>/<tool>, and false for
// any other tool. It reads that form and mcp__<server>__<tool>, which many hosts use.
//
// Hosts replace characters in the name of a server in different ways: one writes demo-srv where
// another writes demo_srv. So letters are lower-cased, and every character other than a letter or
// digit becomes an underscore. gavel.tools.names does the same to the entries of a configuration,
// where a star stays a star.
func MCP(given string) (name string, ok bool) {
	rest, separator := "", ""
	switch given = strings.TrimSpace(given); {
	case hasPrefix(given, "mcp:"):
		rest, separator = given[len("mcp:"):], "/"
	case hasPrefix(given, "mcp__"):
		rest, separator = given[len("mcp__"):], "__"
	default:
		return "", false
	}
	server, tool, found := strings.Cut(rest, separator)
	if !found {
		return "mcp:" + plain(server), true
	}
	return "mcp:" + plain(server) + "/" + plain(tool), true
}

func hasPrefix(text, prefix string) bool {
	return len(text) >= len(prefix) && Name(text[:len(prefix)]) == prefix
}

func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '_'
	}, text)
}
