import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import plugin from "../dist/openclaw/plugin/src/gavel.js";
import { json, serve, wrong } from "../../../plugin/server.mjs";

function registered(pluginConfig) {
  let found;
  plugin.register({
    config: { agents: {} }, pluginConfig,
    runtime: { agent: { resolveAgentWorkspaceDir: (_, agent) => `/workspaces/${agent}` } },
    on: (name, handler, options) => (found = { name, handler, options }),
  });
  return found;
}

const event = { toolName: "exec", params: { command: "touch a" }, runId: "r1", toolCallId: "c1" };
const context = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s1", requester: { senderId: "123" }, abortSignal: new AbortController().signal };

async function hook(answer, { settings = {}, over = {}, ctx = context } = {}) {
  const server = await serve(answer);
  try {
    const { handler } = registered({ url: server.url, timeoutMs: 300, ...settings });
    return { result: await handler({ ...event, ...over }, ctx), seen: server.seen };
  } finally {
    server.close();
  }
}

const allow = (params) => json(200, { decision: "allow", reason: "exec.allowlisted", params });

test("the handler runs last, and before OpenClaw stops waiting", () => {
  const { name, options } = registered({});
  assert.equal(name, "before_tool_call");
  assert.ok(options.priority < -1e9);
  assert.equal(options.matcher, undefined, "it sees every tool");
  assert.ok(options.timeoutMs > 5000);
});

test("an allowed call is pinned to the parameters that were judged", async () => {
  const { result, seen } = await hook(allow({ command: "'/usr/bin/touch' 'a'" }));
  assert.deepEqual(result, { params: { command: "'/usr/bin/touch' 'a'" } });
  assert.equal(seen[0].path, "/hooks/openclaw");
  assert.deepEqual(seen[0].event, {
    event, ctx: { agentId: "main", sessionKey: "agent:main:main", sessionId: "s1", requester: { senderId: "123" }, cwd: "/workspaces/main" },
  });
});

test("code mode is passed on as what it is", async () => {
  const { seen } = await hook(allow({ code: "1" }), { over: { params: { code: "1" }, toolKind: "code_mode_exec", toolInputKind: "javascript" } });
  assert.equal(seen[0].event.event.toolKind, "code_mode_exec");
  assert.equal(seen[0].event.event.toolInputKind, "javascript");
});

test("a deny blocks with its reason", async () => {
  const { result } = await hook(wrong["a deny"]);
  assert.deepEqual(result, { block: true, blockReason: "exec.denied: not allowed" });
});

test("an ask shows the person the command that would run, and offers no permanent answer", async () => {
  const { result } = await hook(json(200, { decision: "ask", reason: "why ".repeat(300), params: { command: "'/usr/bin/touch' 'a'" } }));
  assert.deepEqual(result.params, { command: "'/usr/bin/touch' 'a'" });
  const { title, description, allowedDecisions } = result.requireApproval;
  assert.ok(title.length <= 80 && description.length <= 512);
  assert.ok(description.startsWith("'/usr/bin/touch' 'a'\nwhy"));
  assert.deepEqual(allowedDecisions, ["allow-once", "deny"]);
});

for (const [name, answer] of Object.entries(wrong)) {
  test(`${name} never lets the call run`, async () => {
    let result;
    try {
      ({ result } = await hook(answer));
    } catch {
      return; // OpenClaw blocks a call whose handler throws
    }
    assert.equal(result.block, true);
    assert.equal(result.params, undefined);
  });
}

test("a call without an agent is blocked", async () => {
  const { result } = await hook(allow({}), { ctx: {} });
  assert.equal(result.block, true);
});

test("a server that is down throws", async () => {
  await assert.rejects(registered({ url: "http://127.0.0.1:1" }).handler(event, context), /not decided, so denied/);
});

test("nonsense in the settings throws in the handler, and not while the plugin loads", async () => {
  for (const settings of [{ timeoutMs: -1 }, { url: "http://example.com" }]) {
    await assert.rejects(hook(allow({}), { settings }), Error);
  }
});

// The golden files hold what OpenClaw says, what the plugin posts of it, and what Gavel answers;
// the translator in Go is held against the same files.
const golden = new URL("../../testdata/golden/", import.meta.url);
const files = readdirSync(golden);
assert.ok(files.length > 1);
for (const file of files) {
  const recorded = JSON.parse(readFileSync(new URL(file, golden)));
  const posted = JSON.parse(recorded.stdin_raw);
  const called = (answer) => hook(json(200, recorded.answers[answer].stdout), { over: posted.event, ctx: { ...posted.ctx, abortSignal: new AbortController().signal } });
  test(`${recorded.case}: what was documented is posted, and the answers have their effects`, async () => {
    const allowed = await called("allow");
    assert.deepEqual(allowed.seen[0].event, posted);
    assert.deepEqual(allowed.result, { params: posted.event.params }, "what was judged is pinned");
    assert.deepEqual((await called("deny")).result, recorded.effects.deny);
    assert.equal((await called("pdp_unreachable")).result.block, true);
    const { params, requireApproval } = (await called("ask")).result;
    assert.deepEqual(params, posted.event.params);
    const { severity, timeoutMs, allowedDecisions } = recorded.effects.ask.requireApproval;
    assert.deepEqual({ severity, timeoutMs, allowedDecisions }, { severity: requireApproval.severity, timeoutMs: requireApproval.timeoutMs, allowedDecisions: requireApproval.allowedDecisions });
    assert.ok(requireApproval.description.includes(recorded.effects.ask.requireApproval.description));
    if (recorded.answers.allow_rewritten) {
      assert.deepEqual((await called("allow_rewritten")).result.params, { ...posted.event.params, command: "'/usr/bin/touch' 'ran'" });
    }
  });
}
