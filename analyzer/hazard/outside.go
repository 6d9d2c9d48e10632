package hazard

import (
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/host"
)

// isOutside reports whether a text is a path that leads or may lead out of the workspace: every relative
// path may if the directory is unknown, and every path does if the workspace is unknown. real is the
// absolute path, or "" if it is unknown.
func (p *Paths) isOutside(text string, at Surroundings) (real string, outside bool) {
	text = strings.TrimSuffix(text, argv.Tilde)
	if scheme, rest, isURL := strings.Cut(text, "://"); isURL {
		if p.isAddress(scheme, text, at) {
			return "", false
		}
		if strings.HasSuffix(strings.ToLower(scheme), "file") && !host.Climbs(rest) {
			text = "/" + strings.TrimLeft(rest, "/")
		}
	} else if scheme, rest, ok := strings.Cut(text, ":"); ok && strings.EqualFold(scheme, "file") {
		text = rest
	}
	if text == "" || len(text) > host.MaxPath {
		return "", false
	}
	if text[0] == '~' && (at.Home == "" || text != "~" && text[1] != '/') {
		return "", true // below an unknown home directory
	}
	full := p.resolve(text, at)
	if full != "" && (p.exempt[full] || at.inWorkspace(full)) {
		return "", false
	}
	return full, true
}

// resolve returns the absolute path that a text as a whole names, as far as it is known: for a text that is
// produced at run time, it is the directory with which the text begins.
func (p *Paths) resolve(text string, at Surroundings) string {
	text = strings.TrimSuffix(text, argv.Tilde)
	if known, _, dynamic := strings.Cut(text, argv.Unknown); dynamic {
		text = known[:strings.LastIndexByte(known, '/')+1]
	}
	if text == "" || len(text) > host.MaxPath {
		return at.Dir
	}
	if full, ok := p.absolute(text, at); ok {
		return full
	}
	if at.Dir == "" {
		return ""
	}
	return path.Join(at.Dir, text)
}

// deniedFile returns the file that a text or a part of it names, if the policy denies to read that file.
func (p *Paths) deniedFile(text string, at Surroundings) (file string, denied bool) {
	if at.Scanner == nil || strings.Contains(text, argv.Unknown) && !strings.HasSuffix(text, argv.Tilde) {
		return "", false
	}
	urls, _ := expandURLs(strings.TrimSuffix(text, argv.Tilde))
	for _, item := range urls {
		if scheme, _, isURL := strings.Cut(item, "://"); isURL && p.isAddress(scheme, item, at) {
			item = scheme[:max(0, strings.LastIndexAny(scheme, separators))] // the part before an address may be a file
		}
		for part := range parts(item) {
			if file = p.resolve(part, at); part != "" && at.Scanner.Denies(file) {
				return path.Clean(file), true
			}
		}
	}
	return "", false
}

// DirectoryHazard returns the hazard of listing a directory. It is not ok if there is none.
func (p *Paths) DirectoryHazard(text string, at Surroundings) (gavel.Hazard, bool) {
	full := p.resolve(text, at)
	if full == "" {
		return gavel.Hazard{}, false
	}
	return p.TargetHazard(path.Clean(full), at)
}

// TargetHazard returns the hazard of the real path that a link leads to. It is not ok if there is none.
func (p *Paths) TargetHazard(real string, at Surroundings) (gavel.Hazard, bool) {
	if at.Scanner.Denies(real) {
		return gavel.Hazard{Kind: "reads", Option: OptionDenied, Real: real}, true
	}
	if option := p.Absolute(real, at); option != "" {
		return gavel.Hazard{Kind: "reads", Option: option, Real: real}, true
	}
	if full, outside := p.isOutside(real, at); outside {
		return gavel.Hazard{Kind: kindElsewhere, Option: optionOutside, Real: full}, true
	}
	return gavel.Hazard{}, false
}
