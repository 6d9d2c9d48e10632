// Runs clients/cases.json against the servers that tools/clientcheck starts.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, GavelError, Permit, Refused } from "../dist/index.js";

const { GAVEL_CASES_URL: url, GAVEL_CASES_SOCKET: socket, GAVEL_CASES_SCRIPTED: scripted, GAVEL_CASES_TOKENS: tokens } = process.env;
assert.ok(url && socket && scripted && tokens, "run make test-clients: it starts the servers");
const cases = JSON.parse(readFileSync(fileURLToPath(new URL("../../cases.json", import.meta.url)), "utf8"));
assert.ok(cases.length > 0);

const configOf = (one, index) => ({
  ...{ url: { url }, socket: { socket }, scripted: { url: `${scripted}${index}` }, nowhere: { url: "http://127.0.0.1:1" }, nosocket: { socket: join(tokens, "none.sock") } }[one.via],
  ...(one.token === "none" ? {} : { tokenFile: join(tokens, `${one.token ?? "gateway"}.token`) }),
  timeoutMs: one.timeoutMs ?? 60_000,
});

const failed = (status) => (error) => {
  assert.ok(error instanceof GavelError, String(error));
  if (status) {
    assert.equal(error.status, status);
    assert.ok(error.code);
  }
  return true;
};

cases.forEach((one, index) => {
  test(one.name, async () => {
    const dir = mkdtempSync(join(tmpdir(), "gavel-"));
    try {
      await check(one, index, dir);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

async function check(one, index, dir) {
  const { expect } = one;
  const call = JSON.parse(JSON.stringify(one.call).replaceAll("$DIR", dir));
  const client = new Client(configOf(one, index));
  if (expect.error) {
    await assert.rejects(client[one.op](call), failed(expect.status));
    return;
  }
  if (one.op === "decide") {
    assert.equal((await client.decide(call)).decision, expect.decision);
    return;
  }
  if (expect.refused) {
    await assert.rejects(client.authorize(call), (error) => {
      assert.ok(error instanceof Refused, String(error));
      assert.equal(error.decision.decision, expect.refused);
      assert.equal(error.comment, expect.comment ?? "");
      assert.ok(!expect.code || error.decision.reasons.some((reason) => reason.code === expect.code));
      return true;
    });
    return;
  }
  const permit = await client.authorize(call);
  const where = { host: "gateway", shells: { bash: "/bin/bash" }, env: { PATH: "/usr/bin:/bin", BASH_ENV: join(dir, "first"), "BASH_FUNC_touch%%": "() { :; }" } };
  if (expect.noCommand) {
    assert.throws(() => permit.command(where), failed());
    return;
  }
  const command = permit.command(where);
  assert.deepEqual([command.file, ...command.args], expect.words);
  for (const [name, value] of Object.entries(expect.env ?? {})) assert.equal(command.env[name], value);
  assert.ok(!Object.keys(command.env).some((name) => name.startsWith("BASH_")));
  assert.equal(command.cwd, dir);
  const code = await new Promise((resolve, reject) => permit.run(where, { stdio: "inherit" }).on("error", reject).on("close", resolve));
  assert.equal(code, 0);
  if (expect.file) assert.ok(existsSync(join(dir, expect.file)));
}

test("nobody but authorize makes a permit", () => {
  assert.throws(() => new Permit(Symbol("mine"), { decision: "allow" }, {}), failed());
});

test("a configuration that could leak or mix up is refused", () => {
  for (const config of [{}, { url, socket }, { url: "http://example.com" }, { url, token: "a", tokenFile: "b" }, { url, timeoutMs: 0 }, { url: "ftp://127.0.0.1" },
    { url: "127.0.0.1:8181" }, { url: "http://127.0.0.1:x" }, { url: "http://127.0.0.1/?a=b" }, { url: "http://me@127.0.0.1" }]) {
    assert.throws(() => new Client(config), failed(), JSON.stringify(config));
  }
});

test("a request that is no longer wanted ends at once", async () => {
  const index = cases.findIndex((one) => one.respond?.delayMs);
  const client = new Client(configOf({ ...cases[index], timeoutMs: 60_000 }, index));
  const stop = new AbortController();
  const asked = client.authorize(cases[index].call, { signal: stop.signal });
  stop.abort(new Error("the agent has gone"));
  await assert.rejects(asked, (error) => failed()(error) && error.message.includes("the agent has gone"));
});
