package regoir

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/open-policy-agent/opa/v1/ast"
)

func TestInlinedBlocksEndLikeNestedBlocks(t *testing.T) {
	outcomes := []outcome{defined, undefined, undefined + 1, undefined + 2, undefined + 3, returned, failed}
	nested := func(e outcome) outcome { // of a statement whose only block ends with e
		if e > undefined {
			return e.exitBlock()
		}
		return defined
	}
	for _, a := range outcomes {
		for _, b := range outcomes {
			for _, c := range outcomes {
				want := a
				if a == defined {
					inner := b
					if b == defined {
						inner = nested(c)
					}
					want = nested(inner)
				}
				code := blockCode{steps: []step{always(a)}}
				tail := blockCode{steps: []step{always(b)}}
				tail.inlineTail(blockCode{steps: []step{always(c)}})
				code.inlineTail(tail)
				assert.Equal(t, want, code.step()(nil, []*ast.Term{}), "%d, %d, %d", a, b, c)
			}
		}
	}
}
