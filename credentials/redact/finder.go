package redact

import (
	"bytes"
	"encoding/binary"
)

// finder finds any of some patterns in a text, in one pass. Each has [shortest] bytes or more.
type finder struct {
	may [1 << 15 / 64]uint64 // has a bit for the hash of each pattern's first four bytes
	by  map[uint32][]*pattern
}

func newFinder(patterns []pattern) *finder {
	f := &finder{by: map[uint32][]*pattern{}}
	for i := range patterns {
		begin := binary.LittleEndian.Uint32(patterns[i].text)
		f.by[begin] = append(f.by[begin], &patterns[i])
		f.may[hash(begin)>>6] |= 1 << (hash(begin) & 63)
	}
	return f
}

// hash has 15 bits.
func hash(begin uint32) uint32 { return begin * 2654435761 >> 17 }

// in are the places of the patterns in data, even where they overlap.
func (f *finder) in(data []byte) (list []span) {
	for rest := data; len(rest) >= shortest; rest = rest[1:] {
		begin := binary.LittleEndian.Uint32(rest)
		h := hash(begin)
		if f.may[h>>6%uint32(len(f.may))]>>(h%64)&1 == 0 { // the remainders spare the compiler's checks
			continue
		}
		for _, p := range f.by[begin] {
			if bytes.HasPrefix(rest, p.text) {
				at := len(data) - len(rest)
				list = append(list, span{at, at + len(p.text)})
			}
		}
	}
	return list
}
