package regoir

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Steps of a block with which another one ends stand among the steps of that one.
func TestJoinedBlocksEndAsBlocksInBlocksDo(t *testing.T) {
	ends := []outcome{defined, undefined, undefined + 1, undefined + 2, undefined + 3, returned, failed}
	in := func(e outcome) outcome { // a statement with a block that ends so
		if e > undefined {
			return e.exitBlock()
		}
		return defined
	}
	for _, a := range ends {
		for _, b := range ends {
			for _, c := range ends {
				want := a
				if a == defined {
					inner := b
					if b == defined {
						inner = in(c)
					}
					want = in(inner)
				}
				p := blockCode{steps: []step{always(a)}}
				middle := blockCode{steps: []step{always(b)}}
				middle.inlineTail(blockCode{steps: []step{always(c)}})
				p.inlineTail(middle)
				assert.Equal(t, want, p.step()(nil, []*ast.Term{}), "%d, %d, %d", a, b, c)
			}
		}
	}
}
