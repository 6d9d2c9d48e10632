// Puts the event on standard input to the plugin in file, as opencode does, and prints what
// became of the call.
const { readFileSync } = await import("node:fs");
const event = JSON.parse(readFileSync(0, "utf8"));
const client = { session: { get: async () => ({ data: {} }) }, mcp: { status: async () => ({ data: {} }) } };
const { GavelPlugin } = await import(file);
const plugin = await GavelPlugin({ client, directory: "/", worktree: "/" });
let said = { decision: "allow" };
try {
  await plugin["tool.execute.before"](event.input ?? {}, event.output ?? { args: {} });
} catch (error) {
  said = { decision: "deny", reason: error.message };
}
console.log(JSON.stringify(said));
