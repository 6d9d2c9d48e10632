package wrappers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/credentials/wrappers"
)

func TestW15AMistakeIsAnErrorWithItsLine(t *testing.T) {
	for name, mistakes := range map[string]map[string]string{"tools": mistakesInTools(), "the rest": otherMistakes()} {
		for text, want := range mistakes {
			t.Run(name+"/"+text, func(t *testing.T) {
				_, err := wrappers.Parse("w", []byte(text))
				var invalid *gavel.PolicyError
				require.ErrorAs(t, err, &invalid)
				var all []string
				for _, p := range invalid.Problems {
					all = append(all, p.String())
				}
				assert.Contains(t, strings.Join(all, "\n"), want)
			})
		}
	}
}

// otherMistakes are configurations with a mistake outside tools, and what the error says.
func otherMistakes() map[string]string {
	return map[string]string{
		"":                                   "the file is empty",
		"{{{{not yaml":                       "the text is not YAML",
		"a: 1\n---\nb: 2":                    "several YAML documents",
		"tools: &x {t: {binary: /bin/true}}": "the anchor &x is not supported",
		"tols: {t: {binary: /bin/true}}":     `the key "tols" is unknown (did you mean "tools"?)`,
		"proxy: {timeot: 5m}\ntools: {t: {binary: /bin/true}}":                                                  `w:1:9: proxy.timeot: the key "timeot" is unknown`,
		"proxy: {timeout: 5 minutes}\ntools: {t: {binary: /bin/true}}":                                          `"5 minutes" is not a duration`,
		"proxy: {timeout: 0s}\ntools: {t: {binary: /bin/true}}":                                                 `"0s" is not a duration`,
		"proxy: {max_output_size: lots}\ntools: {t: {binary: /bin/true}}":                                       `"lots" is not a number of bytes`,
		"proxy: {max_connections: 0}\ntools: {t: {binary: /bin/true}}":                                          `"0" is not a number`,
		"proxy: {pass_binary: pass}\ntools: {t: {binary: /bin/true}}":                                           `"pass" is not an absolute path`,
		"security: {deny_unverified_caler_exe: true}\ntools: {t: {binary: /bin/true}}":                          "is unknown",
		"security: {deny_unverified_caller_exe: yess}\ntools: {t: {binary: /bin/true}}":                         "neither true nor false",
		"credentials: {mail-token: {source: 'pass:x'}}\ntools: {t: {binary: /bin/true, env: {A: mail-tokn}}}":   `did you mean "mail-token"?`,
		"http_proxy: {enabled: true}\ntools: {t: {binary: /bin/true}}":                                          "no HTTP proxy",
		"audit: {enabled: true}\ntools: {t: {binary: /bin/true}}":                                               "has no output",
		"audit: {enabled: true, syslog: true}\ntools: {t: {binary: /bin/true}}":                                 "syslog",
		"credentials: {c: {source: 'pas:x'}}\ntools: {t: {binary: /bin/true}}":                                  `did you mean "pass:"?`,
		"credentials: {c: {source: ''}}\ntools: {t: {binary: /bin/true}}":                                       "empty source",
		"credentials: {c: {source: 'pass:x', type: github-app}}\ntools: {t: {binary: /bin/true}}":               "source and type are mutually exclusive",
		"credentials: {c: {type: github-app, app_id: 1}}\ntools: {t: {binary: /bin/true}}":                      "mints no tokens",
		"credentials: {c: {source: 'file:token'}}\ntools: {t: {binary: /bin/true}}":                             "want an absolute path",
		"credentials: {c: {source: 'exec-json:/usr/local/bin/mint | .value'}}\ntools: {t: {binary: /bin/true}}": "exec-json backend does not support jq extraction",
	}
}

// mistakesInTools are configurations with a mistake in tools, and what the error says.
func mistakesInTools() map[string]string {
	return map[string]string{
		"tools: {}":                      "there is no tool",
		"tools: {t: {binary: true}}":     "it is not a text",
		"tools: {t: {binary: bin/true}}": "not an absolute path of a program",
		"tools: {t: {binary: /bin/true}, t: {binary: /bin/true}}":                                                              `"t" occurs twice`,
		"tools: {../../etc/passwd: {binary: /bin/true}}":                                                                       "invalid name",
		"tools: {'gh;rm': {binary: /bin/true}}":                                                                                "invalid name",
		"tools: {'..': {binary: /bin/true}}":                                                                                   "invalid name",
		"tools: {t: {binary: /bin/true, blocked_arg: []}}":                                                                     `did you mean "blocked_args"?`,
		"tools: {t: {binary: /bin/true, blocked_args: [{pattern: '[broken('}]}}":                                               "[broken(",
		"tools: {t: {binary: /bin/true, blocked_args: [{pattern: x, match: argv}]}}":                                           `"argv" is not a way to match`,
		"tools: {t: {binary: /bin/true, blocked_args: {pattern: x}}}":                                                          "it is not a list",
		"tools: {t: {binary: /bin/true, blocked_args: [{message: x}]}}":                                                        "there is no pattern",
		"tools: {t: {binary: /bin/true, mode: allowlist}}":                                                                     "there are no allowed_args",
		"tools: {t: {binary: /bin/true, allowed_args: [{pattern: x}]}}":                                                        "count only with mode: allowlist",
		"tools: {t: {binary: /bin/true, mode: alowlist}}":                                                                      `did you mean "allowlist"?`,
		"tools: {t: {binary: /bin/true, mode: allowlist, allowed_args: [{match: command, argv: [call]}]}}":                     "argv is only valid with match: argv",
		"tools: {t: {binary: /bin/true, mode: allowlist, allowed_args: [{match: argv, argv: ['a)(b']}]}}":                      "cannot be used",
		"tools: {t: {binary: /bin/true, mode: allowlist, allowed_args: [{match: argv}]}}":                                      "match: argv needs argv",
		"tools: {t: {binary: /bin/true, env: {'A=B': x}}}":                                                                     "not the name of a variable",
		"tools: {t: {binary: /bin/true, env: {A: '{{ nope }}'}}}":                                                              `undefined credential "nope"`,
		"tools: {t: {binary: /bin/true, env: {GH_TOKEN: nonexistent-cred}}}":                                                   "undefined credential",
		"tools: {t: {binary: /bin/true, forced_env: {A: x}, env: {A: y}}}":                                                     "the variable is in env, too",
		"tools: {t: {binary: /bin/true, redact_output: [{pattern: 'x*'}]}}":                                                    "matches the empty text",
		"tools: {t: {binary: /bin/true, use_pty: true, use_stdin: false}}":                                                     "needs use_stdin",
		"tools: {t: {binary: /bin/true, use_proxy: true}}":                                                                     "no HTTP proxy",
		"tools: {t: {binary: /bin/true, working_dir: tmp}}":                                                                    "not an absolute path",
		"tools: {t: {binary: /bin/true, request_env: ['A=B']}}":                                                                "not the name of a variable",
		"tools: {t: {binary: /bin/true, config_file: {xdg_subdir: ../escape, filename: f, template: x}}}":                      "xdg_subdir",
		"tools: {t: {binary: /bin/true, config_file: {xdg_subdir: gh, filename: a/b, template: x}}}":                           "filename",
		"tools: {t: {binary: /bin/true, config_file: {xdg_subdir: gh, filename: f, template: ' '}}}":                           "template is empty",
		"tools: {t: {binary: /bin/true, config_file: {xdg_subdir: gh, filename: f, template: x, credentials: [nonexistent]}}}": "config_file references undefined credential",
		"tools: {t: {binary: /bin/true, config_file: {xdg_subdir: gh, filename: f, template: '{{.x}}'}}}":                      "not a placeholder",
	}
}
