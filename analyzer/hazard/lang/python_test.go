package lang_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer/hazard/lang"
)

func TestPythonThatReadsAndPrintsIsPlain(t *testing.T) {
	t.Parallel()
	for program, files := range map[string][]string{
		`import sys; print(sys.version)`:                                                                        nil,
		`import json,sys; print(json.load(open('a.json'))['version'])`:                                          {"a.json"},
		`import json; print(json.load(open("package.json"))["scripts"].keys())`:                                 {"package.json"},
		`import sys, json; d = json.load(sys.stdin); print(d['a'][0]['b'])`:                                     nil,
		"import json\nwith open('a.json') as f:\n    d = json.load(f)\nfor k, v in d.items():\n    print(k, v)": {"a.json"},
		`import json; [print(x["name"]) for x in json.load(open("a")) if x.get("ok") and not x["b"]]`:           {"a"},
		`print(open("VERSION").read().strip())`:                                                                 {"VERSION"},
		`print(open("a", "rb").read()[:10], open('b', encoding="utf-8").read())`:                                {"a", "b"},
		`import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["project"]["name"])`:                  {"pyproject.toml"},
		`import json; d={"a": 1, 'b': [1, 2.5, -3]}; print(json.dumps(d, indent=2, sort_keys=True))`:            nil,
		`import re; print(re.findall(r"\d+", "a1b22"))`:                                                         nil,
		`from collections import Counter; print(Counter(open("a").read().split()).most_common(5))`:              {"a"},
		`import sys; print(sum(int(l) for l in sys.stdin if l.strip()))`:                                        nil,
		`x = sorted([3, 1, 2], key=lambda v: -v); print(x, len(x), max(x), x[::-1], "=" * 20)`:                  nil,
		`n = 3; print(f"{n} of {len([1,2]):>5} {n!r} {{}}", "%s %d" % ("a", n))`:                                nil,
		"try:\n  print(int('x'))\nexcept ValueError as e:\n  print('no', e)":                                    nil,
		`print("a" if 1 < 2 else 'b', 3 in [1, 2, 3], None is not None, not True)`:                              nil,
		`import sys; print("x", flush=True); sys.exit(1)`:                                                       nil,
		`print(  'a',)  # a comment`:                                                                            nil,
		`d = {}; d["a"] = 1; d.setdefault("b", []).append(2); print(d)`:                                         nil,
		`import os; print(os.getcwd(), os.path.basename("/a/b"))`:                                               nil,
		`import datetime; print(datetime.datetime.now().isoformat())`:                                           nil,
		`print(type({}).__name__, isinstance([], list), [str(x) for x in range(3)])`:                            nil,
		`import hashlib; print(hashlib.sha256(open("a","rb").read()).hexdigest())`:                              {"a"},
	} {
		got := lang.Python(program)
		assert.True(t, got.Plain, program)
		assert.Equal(t, files, got.Files, program)
		assert.False(t, got.Loads, program)
	}
}

func TestPythonThatImportsSomethingElseLoadsIt(t *testing.T) {
	t.Parallel()
	for _, program := range []string{
		`import numpy; print(numpy.__version__)`, `import app.main`, `import numpy as np, torch; print(np.__version__, torch.__version__)`,
		`import yaml,sys; print(yaml.safe_load(open("a.yaml")))`, `import webbrowser`,
	} {
		got := lang.Python(program)
		assert.True(t, got.Plain, program)
		assert.True(t, got.Loads, program)
	}
}

func TestPythonThatMayDoMoreIsNotPlain(t *testing.T) {
	t.Parallel()
	for _, program := range []string{
		"", " ", "\n", `import os; os.system("id")`, `__import__("os").system("id")`, `eval("1")`, `exec(open("a").read())`, `print(open("a", "w"))`, `open("a", mode="w")`,
		`open("a").write("x")`, `open(x)`, `open("a" + "b")`, `open(f"{x}")`, `open("a\x62")`, `open(0)`, `open("a", opener=print)`, `open("a", "r+")`, `open("a", "r", "w")`,
		`print(1, file=open("a"))`, `print(1, file=x)`, `import sys; print(1, file=sys.stderr)`, `import json`, `import sys`, `import os, sys`, `print(().__class__)`, `"{0.__class__}".format(1)`, `"{}".format_map({})`, `getattr(1, "x")`, `x = eval; x("1")`, `sorted(["1"], key=eval)`,
		`for eval in []: pass`, `eval = 1`, `[eval for eval in []]`, `lambda eval: 1`, `"for eval in x"; sorted(["1"], key=eval)`, `map(eval, ["1"])`, `f = lambda x: x; f(1)`, `(lambda: 1)()`,
		`x(1)`, `x (1)`, `x[0](1)`, `x.run()`, `import json; json.dump(1, open("a"))`, `import json; json.loads("{}", object_hook=print)`, `import json as j; j.codecs.open("a")`,
		`import os; print(os.environ)`, `import os; os.remove("a")`, `import os; for os in []: pass`, "import os\nfor os in []: pass\nos.replace('a', 'b')", "for os in [1]: pass\nimport os\nos.replace('a', 'b')",
		"os.replace('a', 'b'); import os", `import os as replace; replace.system("id")`, `import os as print`, `from os import system; system("id")`, `from os import *`, `from os import path as p; p.expanduser("~")`,
		`import shutil; shutil.rmtree("a")`, `import subprocess; subprocess.run(["id"])`, `import sys; sys.modules["os"].system("id")`, `import sys; sys.path.insert(0, "/tmp"); import x`,
		`import sys; p = sys.path; p += ["/tmp"]; import x`, `import sys; list.append(sys.path, "/tmp")`, `import sys; sys.stdout = 1`, `import sys; sys.settrace(print)`, `import sys; sys.argv`,
		`import antigravity`, `import idlelib.idle`, `import venv.__main__`, `import a.__main__`, `import json; json.__loader__`, `import json; json.decoder.scanner`, `def f(): pass`, `class A: pass`,
		`while True: pass`, `with x as y: pass`, `raise x`, `del x`, `global x`, `return 1`, `yield 1`, `await x`, `x := 1`, `(x := 1)`, `@x`, `print(1)) `, `print((1)`, `print('a`, `print("""a""")`, `print('''a''')`,
		"print('a\nb')", `print(1 ** 9)`, `x **= 1`, `f(**x)`, `print(**x)`, "`id`", `print(1);; print(2)`, `import`, `import json;;`, "print(1)\x00", `print(0x10)`, `print(1_0)`, `print(1e5)`, `print(1234567890123456)`,
		`print(f"{open('a', 'w')}")`, `print(f"{x!z}")`, `print(f"{x:{y}}")`, `print(f"{eval('1')}")`, `print(f"{")`, `print(f"}")`, `print(f'{x['a']}')`, `print(f"{x\n}")`, `print(f"{x#}")`,
		`import yaml; yaml.load(open("a"))`, `import pickle; pickle.load(open("a","rb"))`, `breakpoint()`, `input()`, `help()`, `compile("1","a","exec")`, `vars()`, `print(print)`, `import sys; print(sys)`, `x = print`, `type("A", (), {})`,
		`type(x)`, `import re; re.sub("a", eval, "a")`, `import collections; collections.defaultdict(eval)`, `sum(x for x in [1] if eval("1"))`, `é = 1`, `print(é)`, `from __future__ import annotations`,
		`if 1: import os; os.system("id")`, `print(1) if 1 else eval("1")`, `assert eval("1")`, `x = 1; x.real`, `1 .real`, `print(1).x`, `import sys; sys.stdout.buffer.write(b"a")`, `import sys; sys.stdin.buffer`,
		`except OSError: pass; eval("1")`, `import platform; platform.popen("id")`, `import os.path; os.path.os.system("id")`, `import csv; csv.writer(open("a"))`, `import string; string.Formatter()`,
	} {
		assert.False(t, lang.Python(program).Plain, "%q", program)
	}
}
