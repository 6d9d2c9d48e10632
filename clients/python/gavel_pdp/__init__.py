"""Asks a running Gavel whether an agent's tool call may run.

The package fails closed: a call may run only if ``Client.authorize`` returns a permit. An
answer that is undefined, late, malformed or about another call raises.
"""

from ._client import Client, Refused
from ._request import GavelError
from ._run import Command, Permit
from ._types import Approval, Call, Decision

__all__ = ["Approval", "Call", "Client", "Command", "Decision", "GavelError", "Permit", "Refused"]
