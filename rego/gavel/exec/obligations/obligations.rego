# METADATA
# title: Obligations
# description: |
#   What a PEP must do besides running the command on its host: in which sandbox to run it,
#   whether it may go to the background, where it may write, when to end it and how to report its
#   end, and which parameters of the call do not apply (EXEC-14, SANDBOX-1).
# schemas:
#   - input: schema.facts
package gavel.exec.obligations

import data.gavel.exec.modes
import data.gavel.exec.writable
import data.gavel.frozen
import data.gavel.resources.boundary

# METADATA
# scope: document
# description: the obligations of this command, as members of the decision's exec; one without a cause is left out
result["sandbox"] := _sandbox if modes.host == "sandbox"

result["synchronous"] if _synchronous

result["writes"] := writable.result

result["lifecycle"] := frozen.result.exec.lifecycle if count(frozen.result.exec.lifecycle) > 0

result["ignored"] := sort(ignored) if count(ignored) > 0

# METADATA
# scope: document
# description: parameters that the call has, and that do not apply
ignored contains "background" if {
	_synchronous
	input.exec.run.background == true
}

ignored contains "yieldMs" if {
	_synchronous
	not input.exec.run.yieldMs == 0
}

# An agent that is in no sandbox runs its commands on the host anyway (ELEVATED-1).
ignored contains "elevated" if {
	frozen.result.exec.sandboxed == false
	input.exec.request.elevated == true
}

ignored contains "node" if {
	not modes.host == "node"
	not input.exec.request.node == ""
}

# Without the tool process, the agent could not look after a command in the background.
_synchronous if not frozen.result.tools.visible.process

_sandbox := object.union(_sandbox_root, {name: value |
	some name, setting in {"backend": "backend", "scope": "scope", "workspaceAccess": "access"}
	value := frozen.result.sandbox[setting].value
	value != ""
})

default _sandbox_root := {}

_sandbox_root := {"root": boundary.root} if frozen.result.sandbox.access.value == "none"
