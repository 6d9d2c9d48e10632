package gavel.tools.models_test

import data.gavel.testing
import data.gavel.tools.models
import data.gavel.tools.subjects

_providers := {"tools": {"byProvider": {"openai": {"deny": ["exec"]}, "vendor/x": {"allow": ["read"]}}}, "agents": {"main": {"tools": {"byProvider": {
	"local": {"deny": ["write"]},
	"openai/gpt-5.2": {"deny": ["edit"]},
}}}}}

_models(facts) := {concat("/", [model.provider, model.id]) |
	found := models.restricting(subjects.self) with input as facts with data.config as _providers
	some model in found
}

_unstated(model) := testing.call({"stated": {"model": false}, "model": model})

test_models[name] if {
	some name, c in {
		"a model that was stated is the only one": {"facts": testing.facts, "want": {"openai/gpt-5.2"}},
		"RT-06: a model that was not may be any that the configuration names": {
			"facts": _unstated({"provider": "", "id": ""}),
			"want": {"/", "openai/", "vendor/x", "local/", "openai/gpt-5.2"},
		},
		"a provider without a model may be any of its own, or route to any": {
			"facts": testing.call({"model": {"provider": "openai", "id": ""}}),
			"want": {"openai/", "openai/gpt-5.2", "vendor/x"},
		},
		"a model that nobody may state is not one": {
			"facts": _unstated({"provider": "local", "id": "m"}),
			"want": {"local/m", "openai/", "vendor/x", "local/", "openai/gpt-5.2"},
		},
	}
	_models(c.facts) == c.want
}
