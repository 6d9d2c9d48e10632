package web_test

import (
	"bufio"
	"encoding/json"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer/web"
)

func TestURLsAreReadInOneSpelling(t *testing.T) {
	for text, want := range map[string]gavel.WebURL{
		"https://github.com/a?b#c":           {Scheme: "https", Host: "github.com", Port: "443"},
		"HTTP://EXAMPLE.Com.:080":            {Scheme: "http", Host: "example.com", Port: "80"},
		"https://ｅｘａｍｐｌｅ。com":                {Scheme: "https", Host: "example.com", Port: "443"},
		"https://bücher.example":             {Scheme: "https", Host: "xn--bcher-kva.example", Port: "443"},
		"http://my_service.example":          {Scheme: "http", Host: "my_service.example", Port: "80"},
		"http://2130706433:8080/":            {Scheme: "http", Host: "127.0.0.1", Address: "127.0.0.1", Port: "8080"},
		"http://0x7f.1":                      {Scheme: "http", Host: "127.0.0.1", Address: "127.0.0.1", Port: "80"},
		"http://0251.0376.0251.0376":         {Scheme: "http", Host: "169.254.169.254", Address: "169.254.169.254", Port: "80"},
		"http://[::ffff:169.254.169.254]":    {Scheme: "http", Host: "169.254.169.254", Address: "169.254.169.254", Port: "80"},
		"http://[0:0:0:0:0:0:0:1]:3000":      {Scheme: "http", Host: "::1", Address: "::1", Port: "3000"},
		"https://user:pass@example.com":      {Scheme: "https", Host: "example.com", Port: "443", Userinfo: true},
		"ftp://example.com":                  {Scheme: "ftp", Host: "example.com", Port: "21"},
		"https://example.com/?u=http://[::1": {Scheme: "https", Host: "example.com", Port: "443"},
	} {
		assert.Equal(t, want, web.NewReader().Read(text), text)
	}
}

func TestURLsThatParsersReadDifferentlyAreNotRead(t *testing.T) {
	for text, why := range map[string]string{
		"":                                    "no text",
		"github.com":                          "no scheme, such as https://",
		"/etc/passwd":                         "no scheme, such as https://",
		"https:github.com":                    "no // after the scheme",
		"https:///github.com":                 "no host",
		"http:\\\\evil":                       "a backslash",
		"http://good.com\\@evil.com":          "a backslash",
		"http://a@b@c":                        "more than one @ before the path",
		"http://a b.com":                      "a blank or a control character",
		"http://example.com/\r\nHost: x":      "a blank or a control character",
		" http://example.com":                 "a blank or a control character",
		"http://%65xample.com":                "a % in the host",
		"http://[fe80::1%25eth0]/":            "an IPv6 address with a zone",
		"http://[127.0.0.1]/":                 "an address in brackets that is not an IPv6 address",
		"http://[::1":                         "a [ without a ]",
		"http://[::1]x":                       "text after the ]",
		"http://::1/":                         "more than one : in the host",
		"http://example.com:65536":            "a port that is not a number up to 65535",
		"http://example.com:+80":              "a port that is not a number up to 65535",
		"http://1.2.3.4.5":                    "a host that ends in a number and is not an IPv4 address",
		"http://256.1.1.1":                    "a host that ends in a number and is not an IPv4 address",
		"http://example.0x1":                  "a host that ends in a number and is not an IPv4 address",
		"http://a..b":                         "a host with an empty or overlong part",
		"http://a;b.com":                      "a host with characters that names do not have",
		"http://faß.de":                       "a host that stands for two names",
		"http://" + strings.Repeat("a", 8192): "more than 8192 bytes",
	} {
		got := web.NewReader().Read(text)
		assert.Equal(t, why, got.Odd, text)
		assert.Empty(t, got.Host, text)
	}
}

// testdata/parsers.jsonl has URLs from collections of request forgeries, with the host that a
// browser's parser (Node's URL), curl and Python's urllib read; null where they refuse. parsers.mjs
// in the same directory writes it again, but for curl, whose answers are kept.
func TestAURLThatIsReadNamesTheHostThatEveryParserReads(t *testing.T) {
	file, err := os.Open("testdata/parsers.jsonl")
	require.NoError(t, err)
	defer file.Close()
	reader, read, refused := web.NewReader(), 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c struct {
			URL                   string
			Browser, Curl, Python *string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		got := reader.Read(c.URL)
		if got.Odd != "" {
			refused++
			continue
		}
		read++
		for parser, host := range map[string]*string{"browser": c.Browser, "curl": c.Curl, "python": c.Python, "net/url": goHost(c.URL)} {
			if host != nil && !number(*host) {
				assert.Equal(t, got.Host, usual(*host), "%s reads %s", parser, c.URL)
			}
		}
	}
	assert.Greater(t, read, 100)
	assert.Greater(t, refused, 100)
}

// goHost is what net/url reads, where its host is one that can be looked up as it stands.
func goHost(text string) *string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.ContainsFunc(u.Host, func(r rune) bool { return r > 0x7f }) {
		return nil
	}
	host := u.Hostname()
	if number(host) {
		return nil
	}
	return &host
}

// number reports whether a host is a number in a notation that a parser passes on unread.
func number(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Trim(strings.ToLower(host), "0123456789abcdefx.") == ""
}

func usual(host string) string {
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}

func FuzzReading(f *testing.F) {
	for _, seed := range []string{"http://127.1", "https://a@b", "http://[::1%25x]:1/", "http:\\\\x", "http://①.1", "https://xn--a"} {
		f.Add(seed)
	}
	reader := web.NewReader()
	f.Fuzz(func(t *testing.T, text string) {
		got := reader.Read(text)
		if got.Odd != "" {
			require.Empty(t, got.Host)
			return
		}
		require.NotEmpty(t, got.Host)
		if host := goHost(text); host != nil {
			require.Equal(t, got.Host, usual(*host), text)
		}
		shown := got.Host
		if strings.Contains(shown, ":") {
			shown = "[" + shown + "]"
		}
		again := reader.Read(got.Scheme + "://" + shown + "/")
		require.Equal(t, got.Host, again.Host, "what is read is read again as the same")
		require.Equal(t, got.Address, again.Address)
	})
}
