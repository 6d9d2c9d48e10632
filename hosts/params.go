package hosts

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
)

// parameters are the parameters of a call, as its table entry reads them.
type parameters struct {
	values map[string]any // by Gavel's names
	many   []string       // the elements of Tool.Each
	host   gavel.Host
	named  []string // paths of the files that patterns name
}

// read reads the parameters. An error says which of them does not fit the table.
func (t Tool) read(input Object, base gavel.Call) (r parameters, err error) {
	r.values = map[string]any{}
	glob, filter := "", ""
	for _, m := range input.Members() {
		p, taken := t.Takes[m.Name]
		switch {
		case slices.Contains(t.Drops, m.Name), taken && m.Value.Kind() == 'n':
			continue
		case !taken && t.Keeps:
			r.values[m.Name] = AnyOf(m.Value)
			continue
		case !taken:
			return r, fmt.Errorf("the parameter %s is unknown", short(m.Name))
		}
		value, err := p.read(m.Value)
		if err != nil {
			return r, fmt.Errorf("the parameter %s is %w", m.Name, err)
		}
		switch {
		case m.Name == t.Each:
			r.many = value.([]string) //nolint:forcetypeassert // check has tested the kind
		case p.Of == kindGlob:
			glob = value.(string) //nolint:forcetypeassert // read returns text for this kind
		case p.Of == kindNames:
			filter = value.(string) //nolint:forcetypeassert // read returns text for this kind
		case p.As == "":
		case r.values[p.As] != nil && !reflect.DeepEqual(r.values[p.As], value):
			return r, fmt.Errorf("the parameter %s contradicts another one", m.Name)
		default:
			r.values[p.As] = value
		}
		r.host.Unsandboxed = r.host.Unsandboxed || p.Fact == factUnsandboxed && value == true
	}
	if err := t.complete(r.values, input, base, glob); err != nil {
		return r, err
	}
	r.named, err = t.namedFiles(r.values, glob, filter)
	return r, err
}

// complete fills in the directory where it is missing. It is an error if a required parameter is missing.
func (t Tool) complete(params map[string]any, input Object, base gavel.Call, glob string) error {
	for _, name := range slices.Sorted(maps.Keys(t.Takes)) {
		p := t.Takes[name]
		if !input.Has(name) && p.Required {
			return fmt.Errorf("the parameter %s is missing", name)
		}
		if p.Here && (params[p.As] == nil || params[p.As] == "") {
			params[p.As] = "."
			if base.Environment != nil && base.Environment.Cwd != "" {
				params[p.As] = base.Environment.Cwd
			}
		}
	}
	if glob == "" {
		return nil
	}
	dir, err := below(glob)
	if err != nil {
		return err
	}
	for _, p := range t.Takes {
		if from, ok := params[p.As].(string); ok && p.Here {
			params[p.As] = Join(from, dir)
		}
	}
	return nil
}

// below returns the directory at the beginning of a pattern, before its first variable part. It is an
// error if the rest may lead out of that directory.
func below(pattern string) (string, error) {
	dir, rest := "", pattern
	for {
		part, more, found := strings.Cut(rest, "/")
		if !found || strings.ContainsAny(part, `*?[{\!@+(`) {
			break
		}
		dir, rest = dir+part+"/", more
	}
	if strings.HasPrefix(rest, `\`) || regexp.MustCompile(`\[[^\]]*/`).MatchString(rest) || strings.Contains("/"+rest, "/..") || strings.ContainsAny(rest, `{(\`) && strings.Contains(rest, "..") ||
		strings.ContainsAny(rest, "{(") && regexp.MustCompile(`[{,(|]\s*[/~]`).MatchString(rest) {
		return "", errors.New("the pattern may lead out of its directory; search one directory at a time, and name it in path")
	}
	return dir, nil
}

// Join returns dir relative to from; from itself if dir is "".
func Join(from, dir string) string {
	switch {
	case dir == "":
		return from
	case strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~"):
		return withoutSlash(dir)
	default:
		return withoutSlash(strings.TrimSuffix(from, "/") + "/" + dir)
	}
}

// withoutSlash returns a directory without slashes at its end. Nothing else is cleaned: what .. means
// depends on symbolic links.
func withoutSlash(dir string) string {
	if short := strings.TrimRight(dir, "/"); short != "" {
		return short
	}
	return "/"
}

// read reads one value, which is not null.
func (p Param) read(value jsontext.Value) (any, error) {
	switch p.Of {
	case kindText, kindGlob, kindNames:
		if text, ok := TextOf(value); ok {
			return text, nil
		}
		return nil, errors.New("not text")
	case kindFlag:
		if kind := value.Kind(); kind == 't' || kind == 'f' {
			return kind == 't', nil
		}
		return nil, errors.New("neither true nor false")
	case kindCount, kindMS:
		number, err := strconv.ParseFloat(string(value), 64)
		if value.Kind() != '0' || err != nil {
			return nil, errors.New("not a number")
		}
		if p.Of == kindMS {
			number /= 1000
		}
		return number, nil
	case kindTexts:
		return textsOf(value)
	case kindURLs:
		text, ok := TextOf(value)
		if !ok {
			return nil, errors.New("not text")
		}
		return urlsOf(text)
	default:
		return AnyOf(value), nil
	}
}

func textsOf(value jsontext.Value) ([]string, error) {
	elements, ok := ListOf(value)
	if !ok || len(elements) == 0 {
		return nil, errors.New("not a list with at least one text")
	}
	list := make([]string, len(elements))
	for i, element := range elements {
		if list[i], ok = TextOf(element); !ok {
			return nil, errors.New("not a list of texts")
		}
	}
	return list, nil
}

// urlsOf returns everything in a text that begins like a URL, because a host may fetch any of it. Each
// is listed with and without punctuation at its end.
func urlsOf(text string) ([]string, error) {
	found := regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://[^\s<>"'\x60]+`).FindAllString(text, -1)
	var list []string
	for _, url := range found {
		for _, reading := range []string{url, strings.TrimRight(url, ".,;:!?)]}")} {
			if !slices.Contains(list, reading) {
				list = append(list, reading)
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("without any URL")
	}
	return list, nil
}

// ParamsOf returns the members of an object as the parameters of a call, unchanged.
func ParamsOf(input Object) map[string]any {
	params := make(map[string]any, len(input.Members()))
	for _, m := range input.Members() {
		params[m.Name] = AnyOf(m.Value)
	}
	return params
}

// short returns a name quoted and cut, for a message.
func short(name string) string {
	if len(name) > 64 {
		name = name[:64] + "…"
	}
	return strconv.QuoteToASCII(name)
}
