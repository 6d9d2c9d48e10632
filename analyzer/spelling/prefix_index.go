package spelling

// PrefixIndex indexes lists of values by the first name of a path. Most names begin with a byte that no key
// begins with, so most lookups end quickly.
type PrefixIndex[T any] struct {
	bytes [256]bool
	lists map[string][]T
}

// Add adds a value to the list of a name. A value under the empty name is never found.
func (b *PrefixIndex[T]) Add(first string, one T) {
	if b.lists == nil {
		b.lists = map[string][]T{}
	}
	if first != "" {
		b.bytes[first[0]] = true
		b.lists[first] = append(b.lists[first], one)
	}
}

// Of returns the list of a name, or nil.
func (b *PrefixIndex[T]) Of(name string) []T {
	if name == "" || !b.bytes[name[0]] {
		return nil
	}
	return b.lists[name]
}
