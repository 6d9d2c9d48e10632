"""The client: decide, wait, authorize."""

import json
import ssl
import time
import urllib.parse
import uuid
from typing import Any, NoReturn, Optional, cast

from ._request import GavelError, Place
from ._run import MADE, Permit
from ._types import Approval, Call, Decision

_DEFAULT_TIMEOUT = 5.0
_POLL = 25.0  # how long one request waits for a person


class Refused(Exception):
    """Says that a call was decided, and must not run."""

    def __init__(self, decision: Decision, comment: str = "") -> None:
        reasons = "; ".join(
            f"{r['message']} ({r['code']})" + (f"; {r['fix']}" if r.get("fix") else "") for r in decision["reasons"])
        said = f"; a person said: {comment}" if comment else ""
        super().__init__(f"gavel: {decision['decision']}: {reasons}{said}")
        self.decision = decision
        self.comment = comment  # what a person said with their answer, if one answered


class Client:
    """Asks one Gavel. It is safe for concurrent use.

    Exactly one of ``socket``, the path of Gavel's unix socket, and ``url`` must be given; a url
    on another machine must be https. ``token`` may be left out on the socket, for a process of
    Gavel's user; ``token_file`` is read for every request. ``timeout`` limits one decision, in
    seconds.
    """

    def __init__(self, *, socket: Optional[str] = None, url: Optional[str] = None, token: Optional[str] = None,
                 token_file: Optional[str] = None, timeout: float = _DEFAULT_TIMEOUT, context: Optional[ssl.SSLContext] = None) -> None:
        if not timeout > 0:
            raise GavelError(f"gavel client: timeout {timeout} is not a time limit")
        self._place = Place(socket, url, token, token_file, context)
        self._timeout = timeout

    def decide(self, call: Call) -> Decision:
        """Asks for one decision. A decision that is not an allow does not raise: use authorize, or look at it."""
        doing = "ask for a decision"
        asked = dict(call)
        asked.setdefault("id", str(uuid.uuid4()))
        return _decision(doing, self._place.send(doing, "POST", "/v1/decisions", asked, self._timeout), asked["id"])

    def wait(self, decision: Decision, timeout: Optional[float] = None) -> Approval:
        """Waits until the question that a decision opened is no longer pending; ``timeout`` seconds at most.

        An answer permits nothing yet: decide again."""
        doing = "wait for an approval"
        ident = decision.get("approval", {}).get("id")
        if not ident:
            raise GavelError(f"gavel: {doing}: the decision opened no question")
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            limit = _POLL if end is None else min(_POLL, end - time.monotonic())
            if limit <= 0:
                raise GavelError(f"gavel: {doing}: nobody answered within {timeout} s")
            path = f"/v1/approvals/{urllib.parse.quote(ident, safe='')}/wait?timeoutMs={max(1, int(limit * 1000))}"
            answer = self._place.send(doing, "GET", path, None, limit + self._timeout)
            if not isinstance(answer, dict) or answer.get("id") != ident:
                raise GavelError(f"gavel: {doing}: the answer is not about approval {ident}", 200)
            state = answer.get("state")
            if state in ("resolved", "expired", "consumed"):
                return cast(Approval, answer)
            if state != "pending":
                raise GavelError(f"gavel: {doing}: the answer has the unknown state {state!r}", 200)

    def authorize(self, call: Call, timeout: Optional[float] = None) -> Permit:
        """Decides a call and, if a person must agree, waits for the answer and asks again.

        Returns a permit if the call may run; raises Refused if it must not, and GavelError if
        there is no decision. ``timeout`` limits the wait, in seconds."""
        decision = self.decide(call)
        comment = ""
        if decision["decision"] == "ask" and decision.get("approval"):
            answer = self.wait(decision, timeout)
            comment = answer.get("comment", "")
            outcome = answer.get("outcome")
            if not isinstance(outcome, dict) or outcome.get("effect") != "allow":
                raise Refused(decision, comment)
            decision = self.decide(call)
        if decision["decision"] != "allow":
            raise Refused(decision, comment)
        return Permit(MADE, decision, call)


def _decision(doing: str, value: Any, call: str) -> Decision:
    """Reads a decision about the call with the given id; raises if it is not one."""

    def fail(why: str) -> NoReturn:
        raise GavelError(f"gavel: {doing}: the answer is not a decision: {why}", 200)

    if not isinstance(value, dict):
        fail("it is not an object")
    effect = value.get("decision")
    if not isinstance(effect, str) or effect not in ("allow", "ask", "deny"):
        fail(f"{json.dumps(effect)} is not an effect")
    if value.get("call") != call:
        fail(f"it is about call {value.get('call')!r}, and {call!r} was asked about")
    if not isinstance(value.get("id"), str) or not value["id"] or not isinstance(value.get("revision"), str) or not value["revision"]:
        fail("it has no id, or no revision")
    reasons = value.get("reasons")
    if not isinstance(reasons, list) or not reasons:
        fail("it has no reason")
    for reason in reasons:
        if not isinstance(reason, dict) or not isinstance(reason.get("code"), str) or not isinstance(reason.get("message"), str):
            fail("a reason has no code, or no message")
    if "approval" in value and not (isinstance(value["approval"], dict) and isinstance(value["approval"].get("id"), str)):
        fail("its approval has no id")
    if "exec" in value and not _is_exec(value["exec"]):
        fail("its exec is not a command")
    return cast(Decision, value)


def _is_exec(do: Any) -> bool:
    def texts(items: Any) -> bool:
        return isinstance(items, list) and all(isinstance(one, str) for one in items)

    if not isinstance(do, dict) or not isinstance(do.get("host"), str) or not isinstance(do.get("command", ""), str):
        return False
    env, segments = do.get("env", {}), do.get("segments", [])
    if not isinstance(env, dict) or not texts(list(env.values())) or not isinstance(segments, list):
        return False
    return all(isinstance(one, dict) and texts(one.get("argv")) for one in segments) and texts(do.get("pathPrepend", []))
