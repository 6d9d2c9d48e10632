# Generated from docs/openapi.json by make generate; do not edit.

from typing import Any, Dict, List, Literal, Optional, TypedDict

# One ancestor of an agent.
CallAgentParent = TypedDict("CallAgentParent", {
    "id": str,
}, total=False)

# The agent that wants to make the call.
_CallAgent = TypedDict("_CallAgent", {
    "id": str,
})

_AnyCallAgent = TypedDict("_AnyCallAgent", {
    "depth": Optional[int],
    "maxDepth": Optional[int],
    "parents": List[CallAgentParent],
    "sandboxed": Optional[bool],
}, total=False)


class CallAgent(_CallAgent, _AnyCallAgent):
    pass

# The running session that a call of the tool process refers to.
CallEnvironmentProcess = TypedDict("CallEnvironmentProcess", {
    "agent": str,
    "cwd": str,
    "host": str,
    "node": str,
    "program": str,
    "session": str,
    "waiting": bool,
}, total=False)

# The program that a skill has registered under a name.
CallEnvironmentSkillsValue = TypedDict("CallEnvironmentSkillsValue", {
    "program": str,
    "sha256": str,
    "skill": str,
}, total=False)

# Where the call would run. It is a claim: only a gateway, or a token with this claim, may send it.
CallEnvironment = TypedDict("CallEnvironment", {
    "cwd": str,
    "executables": Dict[str, str],
    "home": str,
    "path": List[str],
    "platform": str,
    "plugins": Dict[str, List[str]],
    "process": Optional[CallEnvironmentProcess],
    "sandboxRoot": str,
    "shell": str,
    "skills": Dict[str, CallEnvironmentSkillsValue],
    "workspace": str,
}, total=False)

# The conversation that the message came from.
CallGroup = TypedDict("CallGroup", {
    "account": str,
    "channel": str,
    "id": str,
}, total=False)

# What the program that runs the agent states about the call.
CallHost = TypedDict("CallHost", {
    "event": str,
    "mode": str,
    "name": str,
    "probe": bool,
    "unsandboxed": bool,
}, total=False)

# What directives in the message set, for this message only.
CallMessageInline = TypedDict("CallMessageInline", {
    "elevated": str,
}, total=False)

# The message that the agent is answering.
CallMessage = TypedDict("CallMessage", {
    "inline": CallMessageInline,
}, total=False)

# The language model behind the agent.
CallModel = TypedDict("CallModel", {
    "id": str,
    "provider": str,
}, total=False)

# The person whose message the agent is answering.
CallSender = TypedDict("CallSender", {
    "channel": str,
    "e164": str,
    "from": str,
    "id": str,
    "name": str,
    "owner": bool,
    "tag": str,
    "username": str,
}, total=False)

# What /exec set for the session.
CallSessionExec = TypedDict("CallSessionExec", {
    "ask": str,
    "host": str,
    "node": str,
    "security": str,
}, total=False)

# The session of the call, with the settings that are stored for it.
CallSession = TypedDict("CallSession", {
    "elevated": str,
    "exec": CallSessionExec,
    "key": str,
}, total=False)

# The tool and its parameters.
_CallTool = TypedDict("_CallTool", {
    "name": str,
})

_AnyCallTool = TypedDict("_AnyCallTool", {
    "params": Dict[str, Any],
    "plugin": str,
    "unread": str,
}, total=False)


class CallTool(_CallTool, _AnyCallTool):
    pass

# One tool invocation that an agent wants to make: the body of POST /v1/decisions, and a line for gavel decide.
_Call = TypedDict("_Call", {
    "agent": CallAgent,
    "tool": CallTool,
})

_AnyCall = TypedDict("_AnyCall", {
    "environment": Optional[CallEnvironment],
    "group": CallGroup,
    "host": CallHost,
    "id": str,
    "message": CallMessage,
    "model": CallModel,
    "sender": Optional[CallSender],
    "session": CallSession,
}, total=False)


class Call(_Call, _AnyCall):
    pass

DecisionApprovalGrant = TypedDict("DecisionApprovalGrant", {
    "expiresAt": str,
    "token": str,
})

_DecisionApproval = TypedDict("_DecisionApproval", {
    "expiresAt": str,
    "id": str,
})

_AnyDecisionApproval = TypedDict("_AnyDecisionApproval", {
    "comment": str,
    "grant": DecisionApprovalGrant,
}, total=False)


class DecisionApproval(_DecisionApproval, _AnyDecisionApproval):
    pass

# For a refused call, if it was requested with change=true: the smallest edit of the configuration that would permit the call, or why there is none. The call was decided again with the edit.
DecisionChange = TypedDict("DecisionChange", {
    "admits": str,
    "decision": Literal["allow", "ask"],
    "file": str,
    "line": int,
    "none": str,
    "patch": str,
    "verify": List[str],
}, total=False)

DecisionExecLifecycle = TypedDict("DecisionExecLifecycle", {
    "approvalRunningNoticeMs": int,
    "backgroundMs": int,
    "cleanupMs": int,
    "notifyOnExit": bool,
    "notifyOnExitEmptySuccess": bool,
    "timeoutSec": int,
}, total=False)

_DecisionExecOfferPatternOnly = TypedDict("_DecisionExecOfferPatternOnly", {
    "form": str,
})

_AnyDecisionExecOfferPatternOnly = TypedDict("_AnyDecisionExecOfferPatternOnly", {
    "argv": List[str],
    "command": str,
    "cwd": str,
    "options": List[str],
    "secrets": Dict[str, str],
    "sha256": str,
    "subCommand": str,
    "targets": List[str],
    "words": List[str],
}, total=False)


class DecisionExecOfferPatternOnly(_DecisionExecOfferPatternOnly, _AnyDecisionExecOfferPatternOnly):
    pass

_DecisionExecOfferPattern = TypedDict("_DecisionExecOfferPattern", {
    "args": List[str],
    "pattern": str,
})

_AnyDecisionExecOfferPattern = TypedDict("_AnyDecisionExecOfferPattern", {
    "only": DecisionExecOfferPatternOnly,
}, total=False)


class DecisionExecOfferPattern(_DecisionExecOfferPattern, _AnyDecisionExecOfferPattern):
    pass

DecisionExecOfferRefusedSource = TypedDict("DecisionExecOfferRefusedSource", {
    "file": str,
    "from": Literal["agent", "global", "default"],
    "line": int,
    "path": str,
}, total=False)

DecisionExecOfferRefusedSpan = TypedDict("DecisionExecOfferRefusedSpan", {
    "end": int,
    "start": int,
})

_DecisionExecOfferRefused = TypedDict("_DecisionExecOfferRefused", {
    "code": str,
    "layer": str,
    "message": str,
})

_AnyDecisionExecOfferRefused = TypedDict("_AnyDecisionExecOfferRefused", {
    "fix": str,
    "source": DecisionExecOfferRefusedSource,
    "span": DecisionExecOfferRefusedSpan,
}, total=False)


class DecisionExecOfferRefused(_DecisionExecOfferRefused, _AnyDecisionExecOfferRefused):
    pass

DecisionExecOfferTemplate = TypedDict("DecisionExecOfferTemplate", {
    "admits": str,
    "args": List[str],
    "argv": List[str],
    "flags": List[str],
    "pattern": str,
})

DecisionExecOffer = TypedDict("DecisionExecOffer", {
    "exact": bool,
    "patterns": List[DecisionExecOfferPattern],
    "refused": List[DecisionExecOfferRefused],
    "templates": List[DecisionExecOfferTemplate],
})

_DecisionExecPinsFile = TypedDict("_DecisionExecPinsFile", {
    "device": str,
    "inode": str,
    "named": str,
    "path": str,
    "role": str,
    "segment": int,
})

_AnyDecisionExecPinsFile = TypedDict("_AnyDecisionExecPinsFile", {
    "sha256": str,
}, total=False)


class DecisionExecPinsFile(_DecisionExecPinsFile, _AnyDecisionExecPinsFile):
    pass

_DecisionExecPinsMatche = TypedDict("_DecisionExecPinsMatche", {
    "pattern": str,
    "segment": int,
    "sha256": str,
})

_AnyDecisionExecPinsMatche = TypedDict("_AnyDecisionExecPinsMatche", {
    "directory": str,
    "word": str,
}, total=False)


class DecisionExecPinsMatche(_DecisionExecPinsMatche, _AnyDecisionExecPinsMatche):
    pass

# The files and the directory that the command was judged by. Present only if it was requested with pins=true.
_DecisionExecPins = TypedDict("_DecisionExecPins", {
    "directory": str,
    "files": List[DecisionExecPinsFile],
    "parsed": bool,
    "shell": str,
})

_AnyDecisionExecPins = TypedDict("_AnyDecisionExecPins", {
    "matches": List[DecisionExecPinsMatche],
    "wrappers": List[List[List[str]]],
}, total=False)


class DecisionExecPins(_DecisionExecPins, _AnyDecisionExecPins):
    pass

DecisionExecSandbox = TypedDict("DecisionExecSandbox", {
    "backend": str,
    "root": str,
    "scope": str,
    "workspaceAccess": str,
}, total=False)

_DecisionExecSegment = TypedDict("_DecisionExecSegment", {
    "argv": List[str],
})

_AnyDecisionExecSegment = TypedDict("_AnyDecisionExecSegment", {
    "by": Literal["allowlist", "safeBins", "skills", "full", "approval"],
    "dynamic": List[int],
    "wrappers": List[List[str]],
}, total=False)


class DecisionExecSegment(_DecisionExecSegment, _AnyDecisionExecSegment):
    pass

DecisionExecWrites = TypedDict("DecisionExecWrites", {
    "inexact": List[str],
    "under": List[str],
})

_DecisionExec = TypedDict("_DecisionExec", {
    "host": str,
})

_AnyDecisionExec = TypedDict("_AnyDecisionExec", {
    "command": str,
    "env": Dict[str, str],
    "ignored": List[str],
    "lifecycle": DecisionExecLifecycle,
    "node": str,
    "offer": DecisionExecOffer,
    "pathPrepend": List[str],
    "pins": DecisionExecPins,
    "sandbox": DecisionExecSandbox,
    "segments": List[DecisionExecSegment],
    "synchronous": bool,
    "writes": DecisionExecWrites,
}, total=False)


class DecisionExec(_DecisionExec, _AnyDecisionExec):
    pass

DecisionLayerReasonSource = TypedDict("DecisionLayerReasonSource", {
    "file": str,
    "from": Literal["agent", "global", "default"],
    "line": int,
    "path": str,
}, total=False)

DecisionLayerReasonSpan = TypedDict("DecisionLayerReasonSpan", {
    "end": int,
    "start": int,
})

_DecisionLayerReason = TypedDict("_DecisionLayerReason", {
    "code": str,
    "layer": str,
    "message": str,
})

_AnyDecisionLayerReason = TypedDict("_AnyDecisionLayerReason", {
    "fix": str,
    "source": DecisionLayerReasonSource,
    "span": DecisionLayerReasonSpan,
}, total=False)


class DecisionLayerReason(_DecisionLayerReason, _AnyDecisionLayerReason):
    pass

DecisionLayer = TypedDict("DecisionLayer", {
    "durationNs": int,
    "layer": str,
    "permit": bool,
    "reasons": List[DecisionLayerReason],
    "required": bool,
    "title": str,
    "verdict": Literal["permit", "deny", "ask", "silent", "not required"],
})

DecisionReasonSource = TypedDict("DecisionReasonSource", {
    "file": str,
    "from": Literal["agent", "global", "default"],
    "line": int,
    "path": str,
}, total=False)

DecisionReasonSpan = TypedDict("DecisionReasonSpan", {
    "end": int,
    "start": int,
})

_DecisionReason = TypedDict("_DecisionReason", {
    "code": str,
    "layer": str,
    "message": str,
})

_AnyDecisionReason = TypedDict("_AnyDecisionReason", {
    "fix": str,
    "source": DecisionReasonSource,
    "span": DecisionReasonSpan,
}, total=False)


class DecisionReason(_DecisionReason, _AnyDecisionReason):
    pass

_DecisionTermsEntryOnly = TypedDict("_DecisionTermsEntryOnly", {
    "form": str,
})

_AnyDecisionTermsEntryOnly = TypedDict("_AnyDecisionTermsEntryOnly", {
    "argv": List[str],
    "command": str,
    "cwd": str,
    "options": List[str],
    "secrets": Dict[str, str],
    "sha256": str,
    "subCommand": str,
    "targets": List[str],
    "words": List[str],
}, total=False)


class DecisionTermsEntryOnly(_DecisionTermsEntryOnly, _AnyDecisionTermsEntryOnly):
    pass

_DecisionTermsEntry = TypedDict("_DecisionTermsEntry", {
    "args": List[str],
    "pattern": str,
})

_AnyDecisionTermsEntry = TypedDict("_AnyDecisionTermsEntry", {
    "only": DecisionTermsEntryOnly,
}, total=False)


class DecisionTermsEntry(_DecisionTermsEntry, _AnyDecisionTermsEntry):
    pass

# For an ask: how a person may answer it.
_DecisionTerms = TypedDict("_DecisionTerms", {
    "decisions": List[Literal["allow-once", "allow-always", "deny"]],
    "offer": List[str],
    "quorum": int,
    "timeoutMs": int,
})

_AnyDecisionTerms = TypedDict("_AnyDecisionTerms", {
    "approvers": List[str],
    "args": Dict[str, List[str]],
    "entries": List[DecisionTermsEntry],
    "exact": bool,
    "once": List[str],
}, total=False)


class DecisionTerms(_DecisionTerms, _AnyDecisionTerms):
    pass

DecisionWebDial = TypedDict("DecisionWebDial", {
    "allow": bool,
    "network": str,
})

# For web tools: the limits that the enforcement point must observe when it opens the URL.
DecisionWeb = TypedDict("DecisionWeb", {
    "dial": List[DecisionWebDial],
    "maxResponseBytes": int,
    "redirects": Literal["decide", "none"],
})

# Gavel's answer to one call.
_Decision = TypedDict("_Decision", {
    "decision": Literal["allow", "ask", "deny"],
    "id": str,
    "reasons": List[DecisionReason],
    "revision": str,
})

_AnyDecision = TypedDict("_AnyDecision", {
    "approval": DecisionApproval,
    "call": str,
    "change": DecisionChange,
    "exec": DecisionExec,
    "facts": Dict[str, Any],
    "layers": List[DecisionLayer],
    "overrides": List[str],
    "terms": DecisionTerms,
    "verify": List[str],
    "web": DecisionWeb,
}, total=False)


class Decision(_Decision, _AnyDecision):
    pass

ApprovalOutcomeReasonSource = TypedDict("ApprovalOutcomeReasonSource", {
    "file": str,
    "from": str,
    "line": int,
    "path": str,
}, total=False)

ApprovalOutcomeReasonSpan = TypedDict("ApprovalOutcomeReasonSpan", {
    "end": int,
    "start": int,
}, total=False)

# A reason of the decision.
ApprovalOutcomeReason = TypedDict("ApprovalOutcomeReason", {
    "code": str,
    "fix": str,
    "layer": str,
    "message": str,
    "source": ApprovalOutcomeReasonSource,
    "span": Optional[ApprovalOutcomeReasonSpan],
}, total=False)

# The result for the waiting call, once the approval is no longer pending.
_ApprovalOutcome = TypedDict("_ApprovalOutcome", {
    "effect": Literal["allow", "ask", "deny"],
})

_AnyApprovalOutcome = TypedDict("_AnyApprovalOutcome", {
    "reasons": List[ApprovalOutcomeReason],
    "revision": str,
}, total=False)


class ApprovalOutcome(_ApprovalOutcome, _AnyApprovalOutcome):
    pass

# A code file, as it was when the question was opened.
ApprovalRequestFile = TypedDict("ApprovalRequestFile", {
    "path": str,
    "role": str,
    "sha256": str,
    "warning": str,
}, total=False)

# A reason of the decision.
ApprovalRequestReason = TypedDict("ApprovalRequestReason", {
    "code": str,
    "message": str,
}, total=False)

# One program that would run.
ApprovalRequestSegment = TypedDict("ApprovalRequestSegment", {
    "admitted": str,
    "command": str,
    "hazards": List[str],
    "patterns": List[str],
    "program": str,
    "through": List[str],
}, total=False)

# What a person is asked about.
ApprovalRequest = TypedDict("ApprovalRequest", {
    "agent": str,
    "command": str,
    "cwd": str,
    "env": List[str],
    "files": List[ApprovalRequestFile],
    "given": str,
    "host": str,
    "node": str,
    "params": str,
    "reasons": List[ApprovalRequestReason],
    "segments": List[ApprovalRequestSegment],
    "session": str,
    "tool": str,
    "variables": List[str],
}, total=False)

# One person's answer.
ApprovalVote = TypedDict("ApprovalVote", {
    "at": str,
    "by": str,
    "comment": str,
    "decision": str,
    "person": str,
}, total=False)

# A question to people, and its answer.
_Approval = TypedDict("_Approval", {
    "createdAt": str,
    "decisions": List[str],
    "expiresAt": str,
    "id": str,
    "request": ApprovalRequest,
    "state": Literal["pending", "resolved", "expired", "consumed"],
})

_AnyApproval = TypedDict("_AnyApproval", {
    "approvers": List[str],
    "askers": List[str],
    "binding": str,
    "comment": str,
    "decision": Literal["allow-once", "allow-always", "deny"],
    "expired": str,
    "notes": List[str],
    "offer": List[str],
    "once": List[str],
    "outcome": Optional[ApprovalOutcome],
    "quorum": int,
    "requesters": List[str],
    "resolvedAt": Optional[str],
    "resolvedBy": str,
    "votes": List[ApprovalVote],
    "warning": str,
}, total=False)


class Approval(_Approval, _AnyApproval):
    pass
