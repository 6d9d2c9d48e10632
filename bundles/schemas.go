package bundles

import (
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/cache"
)

// matchSchema is OPA's json.match_schema, but it keeps the schema that it read last. Reading that
// of the configuration takes most of the time, and each load compares with the same one.
func matchSchema() *topdown.Builtin {
	original, last := topdown.GetBuiltin(ast.JSONMatchSchema.Name), new(lastSchema)
	return &topdown.Builtin{Decl: ast.JSONMatchSchema, Func: func(bctx topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
		bctx.InterQueryBuiltinValueCache = last
		return original(bctx, operands, iter)
	}}
}

// lastSchema is a cache of one schema for json.match_schema. It is safe for concurrent use.
type lastSchema struct {
	mu     sync.Mutex
	schema ast.Value
	read   any
}

// Get implements cache.InterQueryValueCacheBucket.
func (c *lastSchema) Get(schema ast.Value) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.schema == nil || !ast.ValueEqual(c.schema, schema) {
		return nil, false
	}
	return c.read, true
}

// Insert implements cache.InterQueryValueCacheBucket.
func (c *lastSchema) Insert(schema ast.Value, read any) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.schema, c.read = schema, read
	return 0
}

// Delete implements cache.InterQueryValueCacheBucket.
func (c *lastSchema) Delete(ast.Value) { c.Insert(nil, nil) }

// GetCache implements cache.InterQueryValueCache; json.match_schema has no cache of its own.
func (c *lastSchema) GetCache(string) cache.InterQueryValueCacheBucket { return nil }

// UpdateConfig implements cache.InterQueryValueCache; there is nothing to configure.
func (c *lastSchema) UpdateConfig(*cache.Config) {}
