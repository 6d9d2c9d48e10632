"""One request to Gavel, over TCP or its unix socket."""

import http.client
import json
import socket as sockets
import ssl
import threading
import time
import urllib.parse
from typing import Any, Dict, Optional

# The number of bytes of the largest answer that is read.
_LARGEST = 8 << 20


class GavelError(Exception):
    """Says why there is no decision. The call must not run."""

    def __init__(self, message: str, status: int = 0, code: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.status = status  # of the HTTP answer; 0 without one
        self.code = code  # of Gavel's error, if it gave one
        self.fix = fix  # what to do, if Gavel said so; the message has it, too


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("gavel", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Place:
    """Where Gavel is, and with which credential to ask."""

    def __init__(self, socket: Optional[str], url: Optional[str], token: Optional[str], token_file: Optional[str],
                 context: Optional[ssl.SSLContext]) -> None:
        if bool(socket) == bool(url):
            raise GavelError("gavel client: set exactly one of socket and url")
        if token is not None and token_file is not None:
            raise GavelError("gavel client: set at most one of token and token_file")
        self._socket, self._token, self._token_file, self._context = socket, token, token_file, context
        self._url = _address(url or "http://localhost")
        here = self._url.hostname in ("127.0.0.1", "::1", "localhost")
        if self._url.scheme != "https" and not (self._url.scheme == "http" and here):
            raise GavelError(f"gavel client: url {url} must be https, or http on this machine")

    def send(self, doing: str, method: str, path: str, body: Any, timeout: float) -> Any:
        """Sends one request, and returns the parsed body of a 200 in JSON. Anything else raises."""
        headers: Dict[str, str] = {}
        token = self._credential()
        if token:
            headers["Authorization"] = "Bearer " + token
        text = None
        if body is not None:
            text = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        connection = self._connection(timeout)
        # A timeout of a socket limits one read. This limits all of them.
        late = threading.Timer(timeout, lambda: _cut(connection))
        late.daemon = True
        late.start()
        begun = time.monotonic()
        try:
            connection.request(method, self._url.path.rstrip("/") + path, body=text, headers=headers)
            answer = connection.getresponse()
            got = answer.read(_LARGEST + 1)
            if len(got) > _LARGEST:
                raise GavelError(f"gavel: {doing}: the answer is larger than {_LARGEST} bytes", answer.status)
            # With a length given, read(n) returns what came before the end without an error.
            length = answer.headers.get("Content-Length")
            if length is not None and length != str(len(got)):
                raise GavelError(f"gavel: {doing}: the answer ended early", answer.status)
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as cause:
            if time.monotonic() - begun >= timeout:
                raise GavelError(f"gavel: {doing}: no answer within {timeout} s") from cause
            raise GavelError(f"gavel: {doing}: {cause}") from cause
        finally:
            late.cancel()
            connection.close()
        return _parse(doing, answer.status, answer.headers.get("Content-Type", ""), got)

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        if self._socket:
            return _UnixConnection(self._socket, timeout)
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._context)
        return http.client.HTTPConnection(host, port, timeout=timeout)

    def _credential(self) -> str:
        if self._token_file is None:
            return self._token or ""
        try:
            with open(self._token_file, encoding="utf-8") as file:
                token = file.read().strip()
        except (OSError, ValueError) as cause:
            raise GavelError(f"gavel: read the token: {cause}") from cause
        if not token:
            raise GavelError(f"gavel: the token file {self._token_file} is empty")
        return token


def _address(url: str) -> urllib.parse.SplitResult:
    wrong = GavelError(f"gavel client: url {url} is not an address such as http://127.0.0.1:8181")
    try:
        at = urllib.parse.urlsplit(url)
        port = at.port  # raises if it is not a number
    except ValueError as cause:
        raise wrong from cause
    if not at.hostname or port == 0 or at.query or at.fragment or at.username or at.password:
        raise wrong
    return at


def _cut(connection: http.client.HTTPConnection) -> None:
    sock = connection.sock
    if sock is not None:
        try:
            sock.shutdown(sockets.SHUT_RDWR)
        except OSError:
            pass  # it has ended by itself


def _parse(doing: str, status: int, media: str, text: bytes) -> Any:
    try:
        value, broken = json.loads(text.decode("utf-8")), None
    except ValueError as cause:
        value, broken = None, cause
    if status != 200:
        said = value.get("error") if isinstance(value, dict) else None
        if isinstance(said, dict) and said.get("message"):
            fix = f"; {said['fix']}" if said.get("fix") else ""
            raise GavelError(f"gavel: {doing}: {said['message']}{fix}", status, str(said.get("code", "")), str(said.get("fix", "") or ""))
        raise GavelError(f"gavel: {doing}: the answer is HTTP status {status}", status)
    if media.split(";")[0].strip() != "application/json":
        raise GavelError(f"gavel: {doing}: the answer is {media!r} and not JSON", status)
    if broken is not None:
        raise GavelError(f"gavel: {doing}: the answer is not JSON: {broken}", status) from broken
    return value
