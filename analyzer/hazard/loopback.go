package hazard

import (
	"net"
	"net/url"
	"strings"
)

// loopback reports whether a URL, or a host with or without a port, plainly names the local
// machine.
func loopback(text string) bool {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || strings.ContainsAny(text, `\{}[]`) && !strings.Contains(text, "[::1]") {
		return false
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// inWorkdir reports whether a text is plainly a path inside the working directory: it is a dot or
// begins with ./, and it contains no "..".
func inWorkdir(text string) bool {
	if text != "." && !strings.HasPrefix(text, "./") {
		return false
	}
	return !strings.Contains("/"+text+"/", "/../") && !strings.ContainsAny(text, "@:")
}

// onGitHub reports whether a text, as gh takes it, names nothing on another host than github.com: it
// is an address there, or OWNER/REPO, a number, a branch or something else without a host.
func onGitHub(text string) bool {
	lower := strings.ToLower(text)
	for _, ours := range [...]string{"https://github.com/", "https://api.github.com/", "git@github.com:", "ssh://git@github.com/", "github.com/"} {
		if strings.HasPrefix(lower, ours) {
			return true
		}
	}
	first, rest, _ := strings.Cut(lower, "/")
	return !strings.ContainsAny(first, ":@") && !(strings.Contains(first, ".") && strings.Contains(rest, "/"))
}
