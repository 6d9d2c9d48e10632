# METADATA
# title: Models of a call
# description: |
#   The models that may have made a call (R43). If the call states its model, that is the only
#   one. Otherwise it may be any model with an entry under byProvider, and the call must pass the
#   steps of all of them.
# schemas:
#   - input: schema.facts
package gavel.tools.models

import data.gavel.config

# METADATA
# description: the models whose byProvider entries restrict this agent, each {"provider", "id"}
restricting(subject) := [input.model] if {
	_model_known
} else := [model | some model in ({_stated_model} | _named_models(subject))]

_model_known if {
	input.stated.model == true
	input.model.provider != ""
	input.model.id != ""
}

_stated_model := {
	"provider": object.get(input, ["model", "provider"], ""),
	"id": object.get(input, ["model", "id"], ""),
}

_named_models(subject) := {model |
	some entries in array.concat([config.section(["tools", "byProvider"])], _own_providers(subject))
	some key, _ in entries
	model := _model_of(key)
	_may_be(model)
}

_own_providers(subject) := [object.get(scope.value, ["tools", "byProvider"], {}) | some scope in config.scopes(subject.id)]

_model_of(key) := {"provider": array.slice(parts, 0, 1)[0], "id": concat("/", array.slice(parts, 1, count(parts)))} if {
	parts := split(key, "/")
}

# If the call states only a provider, any of the provider's models may have made it.
_may_be(_) if not input.stated.model == true

_may_be(model) if model.provider == input.model.provider

# A router's models are named after their own providers.
_may_be(model) if model.id != ""
