package config

// LookUp follows keys through nested maps, as in [Document.Data]. It returns nil if one is missing.
func LookUp(value any, keys ...string) any {
	for _, key := range keys {
		fields, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = fields[key]
	}
	return value
}
