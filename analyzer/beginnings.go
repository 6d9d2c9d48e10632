package analyzer

// beginnings are lists by the first name of a path, as tables of places have them. Most
// names begin with a byte that no list begins with, which is quickly seen.
type beginnings[T any] struct {
	bytes [256]bool
	lists map[string][]T
}

func (b *beginnings[T]) add(first string, one T) {
	if b.lists == nil {
		b.lists = map[string][]T{}
	}
	if first != "" {
		b.bytes[first[0]] = true
		b.lists[first] = append(b.lists[first], one)
	}
}

func (b *beginnings[T]) of(name string) []T {
	if name == "" || !b.bytes[name[0]] {
		return nil
	}
	return b.lists[name]
}
