"""Runs clients/cases.json against the servers that tools/clientcheck starts."""

import json
import os
import pathlib
import tempfile
import unittest

from gavel_pdp import Client, GavelError, Permit, Refused

_CASES = json.loads((pathlib.Path(__file__).parents[2] / "cases.json").read_text(encoding="utf-8"))
_URL, _SOCKET = os.environ["GAVEL_CASES_URL"], os.environ["GAVEL_CASES_SOCKET"]
_SCRIPTED, _TOKENS = os.environ["GAVEL_CASES_SCRIPTED"], os.environ["GAVEL_CASES_TOKENS"]


def _client(one, index):
    via = {"url": {"url": _URL}, "socket": {"socket": _SOCKET}, "scripted": {"url": f"{_SCRIPTED}{index}"},
           "nowhere": {"url": "http://127.0.0.1:1"}, "nosocket": {"socket": os.path.join(_TOKENS, "none.sock")}}[one["via"]]
    if one.get("token") != "none":
        via["token_file"] = os.path.join(_TOKENS, f"{one.get('token', 'gateway')}.token")
    return Client(timeout=one.get("timeoutMs", 60000) / 1000, **via)


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertTrue(_CASES)
        for index, one in enumerate(_CASES):
            with self.subTest(one["name"]), tempfile.TemporaryDirectory() as place:
                self._check(one, index, place)

    def _check(self, one, index, place):
        expect = one["expect"]
        call = json.loads(json.dumps(one["call"]).replace("$DIR", place))
        client = _client(one, index)
        if expect.get("error"):
            with self.assertRaises(GavelError) as failed:
                getattr(client, one["op"])(call)
            if expect.get("status"):
                self.assertEqual(expect["status"], failed.exception.status)
                self.assertTrue(failed.exception.code)
        elif one["op"] == "decide":
            self.assertEqual(expect["decision"], client.decide(call)["decision"])
        elif expect.get("refused"):
            with self.assertRaises(Refused) as refused:
                client.authorize(call)
            self.assertEqual(expect["refused"], refused.exception.decision["decision"])
            self.assertEqual(expect.get("comment", ""), refused.exception.comment)
            if expect.get("code"):
                self.assertIn(expect["code"], [reason["code"] for reason in refused.exception.decision["reasons"]])
        else:
            self._run(client.authorize(call), place, expect)

    def _run(self, permit, place, expect):
        env = {"PATH": "/usr/bin:/bin", "BASH_ENV": os.path.join(place, "first"), "BASH_FUNC_touch%%": "() { :; }"}
        where = {"host": "gateway", "shells": {"bash": "/bin/bash"}, "env": env}
        if expect.get("noCommand"):
            with self.assertRaises(GavelError):
                permit.command(**where)
            return
        command = permit.command(**where)
        self.assertEqual(expect["words"], command.argv)
        for name, value in expect.get("env", {}).items():
            self.assertEqual(value, command.env[name])
        self.assertFalse([name for name in command.env if name.startswith("BASH_")])
        self.assertEqual(place, command.cwd)
        self.assertEqual(0, permit.run(**where).returncode)
        if "file" in expect:
            self.assertTrue(os.path.exists(os.path.join(place, expect["file"])))

    def test_nobody_but_authorize_makes_a_permit(self):
        with self.assertRaises(GavelError):
            Permit(object(), {"decision": "allow"}, {})

    def test_a_configuration_that_could_leak_or_mix_up_is_refused(self):
        for config in ({}, {"url": _URL, "socket": _SOCKET}, {"url": "http://example.com"}, {"url": _URL, "token": "a", "token_file": "b"},
                       {"url": _URL, "timeout": 0}, {"url": "ftp://127.0.0.1"},
                       {"url": "127.0.0.1:8181"}, {"url": "http://127.0.0.1:x"}, {"url": "http://127.0.0.1/?a=b"}, {"url": "http://me@127.0.0.1"}):
            with self.subTest(config), self.assertRaises(GavelError):
                Client(**config)
