// Asks Gavel before each tool call of OpenClaw, sub-agents and MCP tools included. It blocks
// the call unless Gavel allows it, and returns the parameters that were judged: of several
// plugins, those of the last one run. OpenClaw blocks a call whose handler throws or is late.
import { ask, isObject, type Settings } from "../../../plugin/ask.ts";

interface Event {
  toolName: string;
  params: Record<string, unknown>;
  toolKind?: string;
  toolInputKind?: string;
  [more: string]: unknown;
}

interface Context {
  agentId?: string;
  sessionKey?: string;
  sessionId?: string;
  requester?: Record<string, unknown>;
}

interface Result {
  params?: Record<string, unknown>;
  block?: true;
  blockReason?: string;
  requireApproval?: { title: string; description: string; severity: "warning"; timeoutMs: number; allowedDecisions: ["allow-once", "deny"] };
}

/** The part of OpenClaw's plugin API that is used. */
interface Api {
  config: unknown;
  pluginConfig?: Settings;
  runtime: { agent: { resolveAgentWorkspaceDir(config: unknown, agentId: string): string } };
  on(name: "before_tool_call", handler: (event: Event, context: Context) => Promise<Result>, options: { priority: number; timeoutMs: number }): void;
}

/** OpenClaw waits this long for the handler, and then blocks the call. */
const handlerTimeoutMs = 15_000;
/** How long a person has to answer. */
const approvalTimeoutMs = 120_000;
/** OpenClaw shows this many characters of the description of an approval. */
const longestDescription = 512;

export default {
  id: "gavel",
  name: "Gavel",
  description: "Asks Gavel before each tool call",
  register(api: Api): void {
    const settings = api.pluginConfig ?? {};
    const handler = async (event: Event, context: Context): Promise<Result> => {
      const { agentId, sessionKey, sessionId, requester } = context;
      if (!agentId) return { block: true, blockReason: "gavel: not decided, so denied: OpenClaw names no agent" };
      const cwd = api.runtime.agent.resolveAgentWorkspaceDir(api.config, agentId);
      const answer = await ask("openclaw", { event, ctx: { agentId, sessionKey, sessionId, requester, cwd } }, settings);
      if (answer.decision === "deny") return { block: true, blockReason: answer.reason };
      if (!isObject(answer.params)) return { block: true, blockReason: "gavel: not decided, so denied: the answer does not say which parameters were judged" };
      if (answer.decision === "allow") return { params: answer.params };
      return {
        params: answer.params,
        requireApproval: {
          title: `Gavel: may ${agentId} use ${event.toolName}?`.slice(0, 80),
          description: shortened(answer),
          severity: "warning",
          timeoutMs: approvalTimeoutMs,
          allowedDecisions: ["allow-once", "deny"],
        },
      };
    };
    // The lowest priority runs last.
    api.on("before_tool_call", handler, { priority: -Number.MAX_SAFE_INTEGER, timeoutMs: handlerTimeoutMs });
  },
};

/** What the person reads: the command that would run, then why they are asked. */
function shortened(answer: { reason: string; params?: Record<string, unknown> }): string {
  const command = answer.params?.["command"];
  const text = (typeof command === "string" ? `${command}\n` : "") + answer.reason;
  return text.length <= longestDescription ? text : `${text.slice(0, longestDescription - 1)}…`;
}
