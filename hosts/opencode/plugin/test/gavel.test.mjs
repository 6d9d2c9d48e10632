import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { GavelPlugin } from "../dist/opencode/plugin/src/gavel.js";
import * as all from "../dist/opencode/plugin/src/gavel.js";
import { json, serve, wrong } from "../../../plugin/server.mjs";

const sessions = { main: {}, child: { parentID: "main" }, grandchild: { parentID: "child" } };
const client = {
  session: { get: async ({ path }) => ({ data: sessions[path.id] }) },
  mcp: { status: async () => ({ data: { fs: { status: "connected" } } }) },
};
const given = { client, directory: "/w/sub", worktree: "/w" };
const input = (over = {}) => ({ tool: "bash", sessionID: "main", callID: "c1", ...over });

async function hook(answer, { settings = {}, over = {}, args = { command: "touch a" }, from = given } = {}) {
  const server = await serve(answer);
  const output = { args };
  try {
    const plugin = await GavelPlugin(from, { url: server.url, timeoutMs: 300, ...settings });
    await plugin["tool.execute.before"](input(over), output);
    return { output, seen: server.seen };
  } finally {
    server.close();
  }
}

const allow = (args = {}) => json(200, { decision: "allow", reason: "exec.allowlisted", args });

test("the file exports one plugin, because opencode calls every export", () => {
  assert.deepEqual(Object.keys(all), ["GavelPlugin"]);
});

test("an allowed call runs, and Gavel saw the event as it was", async () => {
  const { output, seen } = await hook(allow());
  assert.deepEqual(output.args, { command: "touch a" });
  assert.equal(seen[0].path, "/hooks/opencode");
  assert.deepEqual(seen[0].event, {
    input: { tool: "bash", sessionID: "main", callID: "c1" }, output: { args: { command: "touch a" } },
    ctx: { directory: "/w/sub", worktree: "/w", parents: [], mcp: ["fs"] },
  });
});

test("a rewrite changes the object that opencode holds", async () => {
  const args = { command: "touch a" };
  await hook(allow({ command: "'/usr/bin/touch' 'a'" }), { args });
  assert.equal(args.command, "'/usr/bin/touch' 'a'");
});

test("a sub-agent's call names its parents, nearest first", async () => {
  const { seen } = await hook(allow(), { over: { sessionID: "grandchild" } });
  assert.deepEqual(seen[0].event.ctx.parents, ["child", "main"]);
});

test("the parameters cannot be changed after they were judged", async () => {
  const { output } = await hook(allow(), { args: { command: "ls", env: { A: "1" } } });
  assert.throws(() => (output.args.command = "rm"), TypeError);
  assert.throws(() => (output.args.env.A = "2"), TypeError);
});

for (const [name, answer] of Object.entries(wrong)) {
  test(`${name} throws`, async () => {
    await assert.rejects(hook(answer), /./);
  });
}

test("an ask throws with its reason, because a plugin cannot ask", async () => {
  await assert.rejects(hook(json(200, { decision: "ask", reason: "approval needed", args: {} })), /approval needed/);
});

test("the reason of a deny is the message, because the model reads it", async () => {
  await assert.rejects(hook(wrong["a deny"]), { message: "exec.denied: not allowed" });
});

test("a rewrite of a parameter that the call does not have throws", async () => {
  await assert.rejects(hook(allow({ other: "x" })), /no parameter other/);
});

test("a server that is down throws", async () => {
  const plugin = await GavelPlugin(given, { url: "http://127.0.0.1:1" });
  await assert.rejects(plugin["tool.execute.before"](input(), { args: {} }), /not decided, so denied/);
});

test("a socket that is not there throws", async () => {
  const plugin = await GavelPlugin(given, { socket: "/nonexistent/gavel.sock", tokenFile: "/dev/null" });
  await assert.rejects(plugin["tool.execute.before"](input(), { args: {} }), /not decided, so denied/);
});

test("a session that opencode does not know throws", async () => {
  await assert.rejects(hook(allow(), { over: { sessionID: "unknown" } }), /does not know the session/);
});

test("a client that fails throws", async () => {
  const broken = { ...given, client: { ...client, mcp: { status: async () => ({}) } } };
  await assert.rejects(hook(allow(), { from: broken }), /MCP servers/);
});

test("a token file is sent, and one that is missing throws", async () => {
  await assert.rejects(hook(allow(), { settings: { tokenFile: "/nonexistent" } }), /^Error: gavel: not decided.*ENOENT/);
});

test("on the socket, the token beside it is sent", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gavel-"));
  mkdirSync(join(dir, "tokens"));
  writeFileSync(join(dir, "tokens", "gateway.token"), "secret\n");
  const socket = join(dir, "gavel.sock");
  const server = await serve(allow(), socket);
  try {
    const plugin = await GavelPlugin(given, { socket });
    await plugin["tool.execute.before"](input(), { args: { command: "touch a" } });
    assert.equal(server.seen[0].authorization, "Bearer secret");
  } finally {
    server.close();
    rmSync(dir, { recursive: true });
  }
});

test("a plain address on another machine throws", async () => {
  await assert.rejects(hook(allow(), { settings: { url: "http://example.com" } }), /must be https/);
});

test("nonsense in the settings throws in the hook, and not while the plugin loads", async () => {
  for (const settings of [{ timeoutMs: "soon" }, { timeoutMs: 0 }, { url: "::" }]) {
    await assert.rejects(hook(allow(), { settings }), Error);
  }
});

test("variables that a file of the project sets do not say where Gavel is", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gavel-"));
  const before = process.cwd();
  const server = await serve(allow());
  process.env.GAVEL_URL = server.url;
  try {
    process.chdir(dir);
    const call = async () => (await GavelPlugin(given, { timeoutMs: 300 }))["tool.execute.before"](input(), { args: {} });
    await call();
    for (const text of ["GAVEL_URL=http://127.0.0.1:1", "A=1\nexport GAVEL_SOCKET = /tmp/x\n", "\ufeffXDG_STATE_HOME=/tmp/x"]) {
      writeFileSync(join(dir, ".env"), text);
      await assert.rejects(call(), /whoever writes the project would decide/);
    }
    writeFileSync(join(dir, ".env"), "MY_GAVEL_URL=1\n");
    await call();
  } finally {
    process.chdir(before);
    delete process.env.GAVEL_URL;
    server.close();
    rmSync(dir, { recursive: true });
  }
});

test("calls of gavel doctor are marked as probes", async () => {
  process.env.GAVEL_PROBE = "1";
  try {
    const { seen } = await hook(allow());
    assert.equal(seen[0].path, "/hooks/opencode?probe=true");
  } finally {
    delete process.env.GAVEL_PROBE;
  }
});

// The golden files hold what opencode was recorded to say, what the plugin posts of it, and what
// Gavel answers; the translator in Go is held against the same files.
const golden = new URL("../../testdata/golden/", import.meta.url);
const files = readdirSync(golden);
assert.ok(files.length > 3);
for (const file of files) {
  const recorded = JSON.parse(readFileSync(new URL(file, golden)));
  const posted = JSON.parse(recorded.stdin_raw);
  const parents = { [posted.input.sessionID]: posted.ctx.parents[0] };
  const from = {
    client: {
      session: { get: async ({ path }) => ({ data: { parentID: parents[path.id] } }) },
      mcp: { status: async () => ({ data: Object.fromEntries(posted.ctx.mcp.map((name) => [name, { status: "connected" }])) }) },
    },
    directory: posted.ctx.directory, worktree: posted.ctx.worktree,
  };
  const called = (answer) => {
    const args = structuredClone(posted.output.args);
    return hook(json(200, recorded.answers[answer].stdout), { over: posted.input, args, from }).then((done) => ({ ...done, args }));
  };
  test(`${recorded.case}: what was recorded is posted, and the answers have their effects`, async () => {
    const allowed = await called("allow");
    assert.deepEqual(allowed.seen[0].event, posted);
    assert.deepEqual(allowed.args, posted.output.args);
    await assert.rejects(called("deny"), { message: recorded.effects.deny.throws });
    await assert.rejects(called("ask"), { message: recorded.effects.ask.throws });
    await assert.rejects(called("pdp_unreachable"));
    if (recorded.answers.allow_rewritten) {
      const { args } = await called("allow_rewritten");
      assert.deepEqual(args, { ...posted.output.args, command: "'/usr/bin/touch' 'ran'" });
    }
  });
}
