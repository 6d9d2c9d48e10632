package strictjson

import "gavel"

// field is a member of an object, and where its value goes.
type field struct {
	name string
	into any // one of the types of value; nil when it has its value
}

// members reads an object that has some of the members, each once at most.
func (p *plain) members(all ...field) bool {
	return p.object(func(name []byte) bool {
		for i := range all {
			if m := &all[i]; m.into != nil && m.name == string(name) {
				into := m.into
				m.into = nil
				return p.value(into)
			}
		}
		return false
	})
}

// texts reads an object of texts.
func (p *plain) texts(into *map[string]string) bool {
	*into = map[string]string{}
	return p.object(func(name []byte) bool {
		text, ok := p.string()
		if _, twice := (*into)[string(name)]; twice || !ok {
			return false
		}
		(*into)[string(name)] = text
		return true
	})
}

// params reads an object of texts, true, false, null and small whole numbers.
func (p *plain) params(into *map[string]any) bool {
	*into = map[string]any{}
	return p.object(func(name []byte) bool {
		if _, twice := (*into)[string(name)]; twice {
			return false
		}
		value, ok := p.param()
		(*into)[string(name)] = value
		return ok
	})
}

// param reads a value whose type is its own.
func (p *plain) param() (value any, ok bool) {
	switch c := p.peek(); {
	case c == '"':
		return p.string()
	case c == 'n':
		return nil, p.word("null")
	case '0' <= c && c <= '9':
		var n int
		ok = p.number(&n)
		return float64(n), ok
	default:
		var flag bool
		ok = p.flag(&flag)
		return flag, ok
	}
}

// value reads a value into a place of its type.
func (p *plain) value(into any) bool {
	switch v := into.(type) {
	case *string:
		text, ok := p.string()
		*v = text
		return ok
	case *bool:
		return p.flag(v)
	case **bool:
		*v = new(bool)
		return p.flag(*v)
	case **int:
		*v = new(int)
		return p.number(*v)
	case *[]string:
		*v = []string{}
		return p.list('[', ']', func() bool {
			text, ok := p.string()
			*v = append(*v, text)
			return ok
		})
	case *map[string]string:
		return p.texts(v)
	case *map[string]any:
		return p.params(v)
	default:
		return p.part(into)
	}
}

// part reads a part of a call. What is seldom sent is left to the library.
func (p *plain) part(into any) bool {
	switch v := into.(type) {
	case *gavel.Call:
		return p.members(field{"id", &v.ID}, field{"agent", &v.Agent}, field{"session", &v.Session}, field{"model", &v.Model},
			field{"sender", &v.Sender}, field{"group", &v.Group}, field{"tool", &v.Tool}, field{"environment", &v.Environment})
	case *gavel.Agent:
		return p.members(field{"id", &v.ID}, field{"depth", &v.Depth}, field{"maxDepth", &v.MaxDepth}, field{"sandboxed", &v.Sandboxed})
	case *gavel.Session:
		return p.members(field{"key", &v.Key}, field{"elevated", &v.Elevated})
	case *gavel.Model:
		return p.members(field{"provider", &v.Provider}, field{"id", &v.ID})
	case **gavel.Sender:
		s := &gavel.Sender{}
		*v = s
		return p.members(field{"channel", &s.Channel}, field{"id", &s.ID}, field{"name", &s.Name}, field{"username", &s.Username},
			field{"tag", &s.Tag}, field{"from", &s.From}, field{"e164", &s.E164}, field{"owner", &s.Owner})
	case *gavel.Group:
		return p.members(field{"channel", &v.Channel}, field{"account", &v.Account}, field{"id", &v.ID})
	case *gavel.Tool:
		return p.members(field{"name", &v.Name}, field{"plugin", &v.Plugin}, field{"params", &v.Params})
	case **gavel.Environment:
		e := &gavel.Environment{}
		*v = e
		return p.members(field{"cwd", &e.Cwd}, field{"home", &e.Home}, field{"workspace", &e.Workspace}, field{"path", &e.Path},
			field{"platform", &e.Platform}, field{"shell", &e.Shell}, field{"executables", &e.Executables})
	}
	return false
}
