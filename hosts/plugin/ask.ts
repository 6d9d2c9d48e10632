// Posts one event to Gavel, and reads the answer. Everything that is not an answer throws.
import { readFileSync, statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";

/** Where Gavel is. Without socket and url, it is the socket in Gavel's state directory. */
export interface Settings {
  /** The path of Gavel's unix socket; GAVEL_SOCKET. */
  socket?: string;
  /** The address of Gavel, http on this machine or https; GAVEL_URL. */
  url?: string;
  /** A file with a token of the scope gateway; GAVEL_TOKEN_FILE, or tokens/gateway.token beside the socket. */
  tokenFile?: string;
  /** Limits one decision; GAVEL_TIMEOUT_MS, 5000 if neither is set. */
  timeoutMs?: number;
}

/** What Gavel answers: deny has a reason, the others also what was judged. */
export interface Answer {
  decision: "allow" | "ask" | "deny";
  reason: string;
  args?: Record<string, unknown>;
  params?: Record<string, unknown>;
}

/** The number of bytes of the largest answer that is read. */
const largest = 8 << 20;

/** Asks Gavel about one event of a host. */
export async function ask(host: string, event: unknown, settings: Settings): Promise<Answer> {
  const env = process.env;
  const url = settings.url ?? (settings.socket ? undefined : env["GAVEL_URL"]);
  const socket = url ? undefined : (settings.socket ?? (env["GAVEL_SOCKET"] || join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "gavel", "gavel.sock")));
  // The token of a gateway is beside the socket: the plugin states where a call runs, and for whom.
  const tokenFile = settings.tokenFile ?? (env["GAVEL_TOKEN_FILE"] || (socket ? join(dirname(socket), "tokens", "gateway.token") : undefined));
  if (!(settings.url || settings.socket)) notSetByProject(env);
  if (socket) ownSocket(socket);
  const timeoutMs = Number(settings.timeoutMs ?? env["GAVEL_TIMEOUT_MS"] ?? 5000);
  if (!(timeoutMs > 0 && timeoutMs <= 60_000)) throw new Error(`gavel: the time limit ${timeoutMs} ms is not between 1 and 60000`);
  const { status, type, text } = await post(socket, url, `/hooks/${host}${env["GAVEL_PROBE"] ? "?probe=true" : ""}`, event, tokenFile, timeoutMs);
  if (status !== 200) throw new Error(`gavel: not decided, so denied: HTTP status ${status}: ${text.slice(0, 300)}`);
  if (type.split(";")[0]?.trim() !== "application/json") throw new Error("gavel: not decided, so denied: the answer is not JSON");
  return answerOf(text);
}

/** Files of a project from which some hosts set variables. */
const settingsFiles = [".env", ".env.local", ".env.development", ".env.development.local", ".env.production", ".env.production.local", ".env.test", ".env.test.local"];

/** Throws if a file of the project says where Gavel is: whoever writes the project would decide. */
function notSetByProject(env: NodeJS.ProcessEnv): void {
  if (!["GAVEL_URL", "GAVEL_SOCKET", "GAVEL_TOKEN_FILE", "XDG_STATE_HOME"].some((name) => env[name])) return;
  const start = process.cwd();
  const home = userInfo().homedir;
  for (let dir = start, above = ""; dir !== above; above = dir, dir = dirname(dir)) {
    if (dir === home && dir !== start) continue; // it is not the project's
    for (const name of settingsFiles) {
      const file = join(dir, name);
      const found = /(?:^|[^A-Za-z0-9_])(GAVEL_[A-Z_]+|XDG_STATE_HOME)\s*[=:]/.exec(textOf(file));
      if (found) throw new Error(`gavel: not decided, so denied: ${file} sets ${found[1]}, and whoever writes the project would decide; remove it there`);
    }
  }
}

/** The text of a file, and "" if there is none. */
function textOf(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false });
  if (!info || info.isDirectory()) return "";
  if (!info.isFile() || info.size > 1 << 20) throw new Error(`gavel: not decided, so denied: ${file} may say where Gavel is, and cannot be read`);
  return readFileSync(file, "utf8");
}

/** Throws if another user's program may be listening, who would decide. */
function ownSocket(socket: string): void {
  const info = statSync(socket, { throwIfNoEntry: false });
  const me = process.getuid?.();
  if (info && me !== undefined && info.uid !== me && info.uid !== 0) throw new Error(`gavel: not decided, so denied: ${socket} belongs to another user, who would decide`);
}

function answerOf(text: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error("gavel: not decided, so denied: the answer is not JSON", { cause });
  }
  const got = value as Partial<Answer> | null;
  if (typeof got !== "object" || got === null || (got.decision !== "allow" && got.decision !== "ask" && got.decision !== "deny")) {
    throw new Error("gavel: not decided, so denied: the answer has no decision");
  }
  if (typeof got.reason !== "string" || got.reason === "") throw new Error("gavel: not decided, so denied: the answer has no reason");
  return got as Answer;
}

/** True for a value that is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new Error(`gavel: not decided, so denied: read the token for gavel serve: ${String(cause)}; start gavel serve, or name a token with GAVEL_TOKEN_FILE`, { cause });
  }
}

async function post(socket: string | undefined, url: string | undefined, path: string, event: unknown, tokenFile: string | undefined, timeoutMs: number) {
  const at = new URL(url ?? "http://localhost");
  if (at.protocol !== "https:" && !(at.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(at.hostname))) {
    throw new Error(`gavel: ${url} must be https, or http on this machine`);
  }
  const text = JSON.stringify(event);
  const headers: Record<string, string> = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
  if (tokenFile) headers["authorization"] = `Bearer ${tokenIn(tokenFile)}`;
  const signal = AbortSignal.timeout(timeoutMs);
  return await new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const fail = (cause: unknown) => reject(new Error(`gavel: not decided, so denied: ${signal.aborted ? `no answer within ${timeoutMs} ms` : String(cause)}`, { cause }));
    signal.addEventListener("abort", fail); // whatever the runtime does with the request
    const make = at.protocol === "https:" ? httpsRequest : httpRequest;
    const asked = make(
      {
        method: "POST", headers, signal, agent: false, path: at.pathname.replace(/\/$/, "") + path,
        ...(socket ? { socketPath: socket } : { hostname: at.hostname.replace(/^\[|\]$/g, ""), port: at.port }),
      },
      (got) => {
        const parts: Buffer[] = [];
        let size = 0;
        got.on("data", (part: Buffer) => {
          size += part.length;
          if (size > largest) asked.destroy(new Error(`the answer is larger than ${largest} bytes`));
          else parts.push(part);
        });
        got.on("error", fail);
        got.on("aborted", () => fail(new Error("the answer ended early")));
        got.on("end", () => resolve({ status: got.statusCode ?? 0, type: got.headers["content-type"] ?? "", text: Buffer.concat(parts).toString("utf8") }));
      },
    );
    asked.on("error", fail);
    asked.end(text);
  });
}
