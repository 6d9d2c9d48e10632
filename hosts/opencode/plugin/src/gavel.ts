// Asks Gavel before each tool call of opencode, sub-agents and MCP tools included. Unless
// Gavel allows the call, it throws, and then opencode does not run the tool and shows the
// reason to the model. opencode treats every export of this file as a plugin: there is one.
import { ask, isObject, type Settings } from "../../../plugin/ask.ts";

/** The part of opencode's client that is used. */
interface Client {
  session: { get(options: { path: { id: string } }): Promise<{ data?: { parentID?: string } }> };
  mcp: { status(): Promise<{ data?: Record<string, unknown> }> };
}

interface Given {
  client: Client;
  directory: string;
  worktree: string;
}

/** Sub-agents that are nested deeper are refused. */
const deepest = 16;

export const GavelPlugin = async ({ client, directory, worktree }: Given, settings: Settings = {}) => {
  /** The sessions that spawned one, nearest first. A session's parent never changes. */
  const known = new Map<string, string[]>();
  const parentsOf = async (session: string): Promise<string[]> => {
    const found = known.get(session);
    if (found) return found;
    const parents: string[] = [];
    for (let id = session; ; ) {
      const { data } = await client.session.get({ path: { id } });
      if (!isObject(data)) throw new Error(`gavel: not decided, so denied: opencode does not know the session ${id}`);
      const parent = data["parentID"];
      if (parent === undefined || parent === null) break;
      if (typeof parent !== "string" || parents.length === deepest) throw new Error(`gavel: not decided, so denied: the parents of session ${session} are not known`);
      parents.push(parent);
      id = parent;
    }
    known.set(session, parents);
    return parents;
  };
  const servers = async (): Promise<string[]> => {
    const { data } = await client.mcp.status();
    if (!isObject(data)) throw new Error("gavel: not decided, so denied: opencode does not list its MCP servers");
    return Object.keys(data);
  };
  return {
    "tool.execute.before": async (input: { tool: string; sessionID: string; callID: string }, output: { args: Record<string, unknown> }) => {
      const [parents, mcp] = await Promise.all([parentsOf(input.sessionID), servers()]);
      const event = {
        input: { tool: input.tool, sessionID: input.sessionID, callID: input.callID },
        output: { args: output.args },
        ctx: { directory, worktree, parents, mcp },
      };
      const judged = JSON.stringify(output.args);
      const answer = await ask("opencode", event, settings);
      if (answer.decision !== "allow") throw new Error(answer.reason);
      if (!isObject(answer.args)) throw new Error("gavel: not decided, so denied: the answer does not say which parameters were judged");
      if (JSON.stringify(output.args) !== judged) throw new Error("gavel: denied: another plugin changed the parameters while they were judged");
      // opencode ignores another object in output.args: the one that it holds is changed.
      for (const [name, value] of Object.entries(answer.args)) {
        if (!Object.hasOwn(output.args, name)) throw new Error(`gavel: denied: the call has no parameter ${name} to replace`);
        output.args[name] = value;
      }
      freeze(output.args); // a plugin that changes them from here on throws
    },
  };
};

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}
