package bundles

import (
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/cache"
)

// matchSchema returns OPA's json.match_schema with a cache of the last compiled schema. Compiling the
// schema of the configuration takes most of the time of a check, and every load uses the same one.
func matchSchema() *topdown.Builtin {
	original, last := topdown.GetBuiltin(ast.JSONMatchSchema.Name), new(lastSchema)
	return &topdown.Builtin{Decl: ast.JSONMatchSchema, Func: func(bctx topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
		bctx.InterQueryBuiltinValueCache = last
		return original(bctx, operands, iter)
	}}
}

// lastSchema caches one compiled schema. It is safe for concurrent use.
type lastSchema struct {
	mu       sync.Mutex
	schema   ast.Value
	compiled any
}

// Get implements cache.InterQueryValueCacheBucket.
func (c *lastSchema) Get(schema ast.Value) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.schema == nil || !ast.ValueEqual(c.schema, schema) {
		return nil, false
	}
	return c.compiled, true
}

// Insert implements cache.InterQueryValueCacheBucket.
func (c *lastSchema) Insert(schema ast.Value, compiled any) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.schema, c.compiled = schema, compiled
	return 0
}

// Delete implements cache.InterQueryValueCacheBucket.
func (c *lastSchema) Delete(ast.Value) { c.Insert(nil, nil) }

// GetCache implements cache.InterQueryValueCache. There is no named cache for json.match_schema.
func (c *lastSchema) GetCache(string) cache.InterQueryValueCacheBucket { return nil }

// UpdateConfig implements cache.InterQueryValueCache. There is nothing to configure.
func (c *lastSchema) UpdateConfig(*cache.Config) {}
