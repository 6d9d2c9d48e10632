# METADATA
# title: Models of a call
# description: |
#   The models that a call may be about (R43). If the call states a model, it is the only one.
#   Otherwise the call may be about any model with an entry under byProvider, and must pass
#   the steps of all of them.
# schemas:
#   - input: schema.facts
package gavel.tools.models

import data.gavel.config

# METADATA
# description: the models whose byProvider entries restrict this agent, each {"provider", "id"}
bounding(subject) := [input.model] if {
	_model_known
} else := [model | some model in ({_said_model} | _named_models(subject))]

_model_known if {
	input.stated.model == true
	input.model.provider != ""
	input.model.id != ""
}

_said_model := {
	"provider": object.get(input, ["model", "provider"], ""),
	"id": object.get(input, ["model", "id"], ""),
}

_named_models(subject) := {model |
	some entries in array.concat([config.section(["tools", "byProvider"])], _own_providers(subject))
	some key, _ in entries
	model := _model_of(key)
	_could_be(model)
}

_own_providers(subject) := [object.get(scope.value, ["tools", "byProvider"], {}) | some scope in config.scopes(subject.id)]

_model_of(key) := {"provider": array.slice(parts, 0, 1)[0], "id": concat("/", array.slice(parts, 1, count(parts)))} if {
	parts := split(key, "/")
}

# A provider without a model may mean any of its own models.
_could_be(_) if not input.stated.model == true

_could_be(model) if model.provider == input.model.provider

# A router's models are named after their own providers.
_could_be(model) if model.id != ""
