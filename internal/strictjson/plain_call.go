package strictjson

import "gavel"

// field is a member of an object, and where its value goes.
type field struct {
	name string
	dst  any // one of the types of value; nil when it has its value
}

// members reads an object that has some of the members, each once at most.
func (d *fastDecoder) members(all ...field) bool {
	return d.object(func(name []byte) bool {
		for i := range all {
			if m := &all[i]; m.dst != nil && m.name == string(name) {
				dst := m.dst
				m.dst = nil
				return d.value(dst)
			}
		}
		return false
	})
}

// stringMap reads an object of texts.
func (d *fastDecoder) stringMap(dst *map[string]string) bool {
	*dst = map[string]string{}
	return d.object(func(name []byte) bool {
		text, ok := d.string()
		if _, duplicate := (*dst)[string(name)]; duplicate || !ok {
			return false
		}
		(*dst)[string(name)] = text
		return true
	})
}

// params reads an object of texts, true, false, null and small whole numbers.
func (d *fastDecoder) params(dst *map[string]any) bool {
	*dst = map[string]any{}
	return d.object(func(name []byte) bool {
		if _, duplicate := (*dst)[string(name)]; duplicate {
			return false
		}
		value, ok := d.param()
		(*dst)[string(name)] = value
		return ok
	})
}

// param reads a value whose type is its own.
func (d *fastDecoder) param() (value any, ok bool) {
	switch c := d.peek(); {
	case c == '"':
		return d.string()
	case c == 'n':
		return nil, d.literal("null")
	case '0' <= c && c <= '9':
		var n int
		ok = d.int(&n)
		return float64(n), ok
	default:
		var flag bool
		ok = d.bool(&flag)
		return flag, ok
	}
}

// value reads a value into a place of its type.
func (d *fastDecoder) value(dst any) bool {
	switch v := dst.(type) {
	case *string:
		text, ok := d.string()
		*v = text
		return ok
	case *bool:
		return d.bool(v)
	case **bool:
		*v = new(bool)
		return d.bool(*v)
	case **int:
		*v = new(int)
		return d.int(*v)
	case *[]string:
		*v = []string{}
		return d.elements('[', ']', func() bool {
			text, ok := d.string()
			*v = append(*v, text)
			return ok
		})
	case *map[string]string:
		return d.stringMap(v)
	case *map[string]any:
		return d.params(v)
	default:
		return d.callPart(dst)
	}
}

// callPart reads a part of a call. What is seldom sent is left to the library.
func (d *fastDecoder) callPart(dst any) bool {
	switch v := dst.(type) {
	case *gavel.Call:
		return d.members(field{"id", &v.ID}, field{"agent", &v.Agent}, field{"session", &v.Session}, field{"model", &v.Model},
			field{"sender", &v.Sender}, field{"group", &v.Group}, field{"tool", &v.Tool}, field{"environment", &v.Environment})
	case *gavel.Agent:
		return d.members(field{"id", &v.ID}, field{"depth", &v.Depth}, field{"maxDepth", &v.MaxDepth}, field{"sandboxed", &v.Sandboxed})
	case *gavel.Session:
		return d.members(field{"key", &v.Key}, field{"elevated", &v.Elevated})
	case *gavel.Model:
		return d.members(field{"provider", &v.Provider}, field{"id", &v.ID})
	case **gavel.Sender:
		s := &gavel.Sender{}
		*v = s
		return d.members(field{"channel", &s.Channel}, field{"id", &s.ID}, field{"name", &s.Name}, field{"username", &s.Username},
			field{"tag", &s.Tag}, field{"from", &s.From}, field{"e164", &s.E164}, field{"owner", &s.Owner})
	case *gavel.Group:
		return d.members(field{"channel", &v.Channel}, field{"account", &v.Account}, field{"id", &v.ID})
	case *gavel.Tool:
		return d.members(field{"name", &v.Name}, field{"plugin", &v.Plugin}, field{"params", &v.Params})
	case **gavel.Environment:
		e := &gavel.Environment{}
		*v = e
		return d.members(field{"cwd", &e.Cwd}, field{"home", &e.Home}, field{"workspace", &e.Workspace}, field{"path", &e.Path},
			field{"platform", &e.Platform}, field{"shell", &e.Shell}, field{"executables", &e.Executables})
	}
	return false
}
