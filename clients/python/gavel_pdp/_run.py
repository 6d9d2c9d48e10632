"""What was judged, ready to run."""

import os
import subprocess
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, NoReturn, Optional

from ._request import GavelError
from ._types import Call, Decision

MADE = object()  # what authorize shows to make a permit

# Variables with which a shell runs other code before the command.
_STARTS_CODE = frozenset(["BASH_ENV", "ENV", "ZDOTDIR", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "GLOBIGNORE"])

# Without these, bash reads files of its user before a command if its input is a socket, and zsh always does.
_NO_STARTUP = {"bash": ("--norc",), "zsh": ("-f",)}


@dataclass(frozen=True)
class Command:
    """A program with its words, its directory and its environment."""

    argv: List[str]
    cwd: str
    env: Dict[str, str]


class Permit:
    """Says that one call may run, once. Only Client.authorize makes one."""

    def __init__(self, key: object, decision: Decision, call: Call) -> None:
        if key is not MADE or decision.get("decision") != "allow":
            raise GavelError("gavel: only authorize makes permits")
        self._decision, self._call = decision, call

    @property
    def decision(self) -> Decision:
        """The decision behind the permit."""
        return self._decision

    def command(self, *, host: str, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None,
                shells: Optional[Mapping[str, str]] = None) -> Command:
        """Returns the program and its words, or exec.command in the shell that the call stated.

        ``host`` is what this machine is for Gavel: gateway, sandbox or node; a command for
        another host is refused. ``cwd`` counts if the call states no directory, ``env`` is the
        environment to start from, and ``shells`` maps names of shells to their paths."""
        do: Any = self._decision.get("exec") or {}
        if not do.get("command"):
            _fail("the decision has no exec.command; the call is not about a command")
        if not host or do.get("host") != host:
            _fail(f"it was permitted on host {do.get('host')!r}, and this is {host!r}")
        argv = _plain(do) or [*self._shell(shells), "-c", do["command"]]
        return Command(argv, self._directory(cwd), self._environment(do, env))

    def run(self, *, host: str, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None,
            shells: Optional[Mapping[str, str]] = None, **options: Any) -> "subprocess.CompletedProcess[Any]":
        """Runs the command; ``options`` are those of subprocess.run."""
        command = self.command(host=host, cwd=cwd, env=env, shells=shells)
        return subprocess.run(command.argv, cwd=command.cwd, env=command.env, shell=False, **options)

    def _shell(self, shells: Optional[Mapping[str, str]]) -> List[str]:
        name = (self._call.get("environment") or {}).get("shell") or "bash"
        found = [name] if os.path.isabs(name) else [shells[name]] if shells is not None and name in shells else []
        if shells is None and not found:
            found = [path for path in (f"/bin/{name}", f"/usr/bin/{name}") if os.path.isfile(path)]
        if not found or not os.path.isabs(found[0]):
            _fail(f"the shell {name!r} is not known")
        return [found[0], *_NO_STARTUP.get(os.path.basename(found[0]), ())]

    def _directory(self, given: Optional[str]) -> str:
        start = (self._call.get("environment") or {}).get("cwd") or given
        workdir = (self._call["tool"].get("params") or {}).get("workdir")
        if isinstance(workdir, str) and workdir:
            start = workdir if os.path.isabs(workdir) else os.path.join(start, workdir) if start else None
        if not start or not os.path.isabs(start):
            _fail("no directory is known: state environment.cwd in the call, or pass cwd")
        return start

    def _environment(self, do: Any, given: Optional[Mapping[str, str]]) -> Dict[str, str]:
        start = os.environ if given is None else given
        env = {name: value for name, value in start.items() if name not in _STARTS_CODE and not name.startswith("BASH_FUNC_")}
        path = (self._call.get("environment") or {}).get("path")
        if path is not None:
            env["PATH"] = os.pathsep.join(path)
        env.update(do.get("env") or {})
        if do.get("pathPrepend"):
            env["PATH"] = os.pathsep.join([*do["pathPrepend"], env.get("PATH", "")])
        return env


def _fail(why: str) -> NoReturn:
    raise GavelError(f"gavel: run a command: {why}")


def _plain(do: Any) -> Optional[List[str]]:
    """The words of a command that is one program with fixed words, and nothing else."""
    segments = do.get("segments") or []
    if len(segments) != 1 or segments[0].get("wrappers") or segments[0].get("dynamic"):
        return None
    argv = segments[0].get("argv") or []
    if not argv or not os.path.isabs(argv[0]):
        return None
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in argv)
    return list(argv) if quoted == do["command"] else None
