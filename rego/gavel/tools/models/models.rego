# METADATA
# title: Models of a call
# description: |
#   Which models a call may be about (R43). A model that was stated is the only one.
#   Where it was not, the call may be about every model that an entry of byProvider
#   names, and has to pass the steps of all of them.
# schemas:
#   - input: schema.facts
package gavel.tools.models

import data.gavel.config

# METADATA
# description: the models whose byProvider entries bound this agent, each {"provider", "id"}
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

# A provider that was stated without a model leaves its own models open.
_could_be(_) if not input.stated.model == true

_could_be(model) if model.provider == input.model.provider

# A router's models are named by their own providers.
_could_be(model) if model.id != ""
