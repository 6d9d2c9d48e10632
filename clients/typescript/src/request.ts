import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** Says why there is no decision. The call must not run. */
export class GavelError extends Error {
  override name = "GavelError";
  constructor(
    message: string,
    /** The status of the HTTP answer; 0 without one. */
    readonly status = 0,
    /** The code of Gavel's error, if it gave one. */
    readonly code = "",
    options?: ErrorOptions,
    /** What to do, if Gavel said so. The message has it, too. */
    readonly fix = "",
  ) {
    super(message, options);
  }
}

/**
 * Says where Gavel is, and with which credential to ask. Exactly one of socket and url must
 * be set.
 */
export interface Config {
  /** The path of Gavel's unix socket. */
  socket?: string;
  /** The address of Gavel, such as http://127.0.0.1:8181. Another machine needs https. */
  url?: string;
  /** The credential. It may be left out on the socket, for a process of Gavel's user. */
  token?: string;
  /** A file with the credential, read for every request. At most one of token and tokenFile. */
  tokenFile?: string;
  /** Limits one decision, in milliseconds; 5000 if it is left out. */
  timeoutMs?: number;
}

/** The number of bytes of the largest answer that is read. */
const largest = 8 << 20;

/** Checks a configuration, and returns the base of all URLs. */
export function base(config: Config): URL {
  if (!config.socket === !config.url) {
    throw new GavelError("gavel client: set exactly one of socket and url");
  }
  if (config.token !== undefined && config.tokenFile !== undefined) {
    throw new GavelError("gavel client: set at most one of token and tokenFile");
  }
  if (config.timeoutMs !== undefined && !(config.timeoutMs > 0)) {
    throw new GavelError(`gavel client: timeoutMs ${config.timeoutMs} is not a time limit`);
  }
  if (config.socket) {
    return new URL("http://gavel/");
  }
  const at = URL.canParse(config.url as string) ? new URL(config.url as string) : undefined;
  if (!at?.hostname || at.search || at.hash || at.username || at.password) {
    throw new GavelError(`gavel client: url ${config.url} is not an address such as http://127.0.0.1:8181`);
  }
  const here = ["127.0.0.1", "[::1]", "localhost"].includes(at.hostname);
  if (at.protocol !== "https:" && !(at.protocol === "http:" && here)) {
    throw new GavelError(`gavel client: url ${config.url} must be https, or http on this machine`);
  }
  return at;
}

/** Sends one request, and returns the parsed body of a 200 in JSON. Anything else throws. */
export async function send(config: Config, doing: string, method: string, path: string, body: unknown, timeoutMs: number, stop?: AbortSignal): Promise<unknown> {
  const at = base(config);
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers: Record<string, string> = {};
  const token = credential(config);
  if (token) headers["authorization"] = `Bearer ${token}`;
  if (text) {
    headers["content-type"] = "application/json";
    headers["content-length"] = String(Buffer.byteLength(text));
  }
  const make = at.protocol === "https:" ? httpsRequest : httpRequest;
  const late = AbortSignal.timeout(timeoutMs);
  const signal = stop ? AbortSignal.any([late, stop]) : late;
  const answer = await new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const fail = (cause: unknown) => reject(new GavelError(`gavel: ${doing}: ${stop?.aborted ? String(stop.reason) : late.aborted ? `no answer within ${timeoutMs} ms` : String(cause)}`, 0, "", { cause }));
    const asked = make(
      {
        method, headers, signal, agent: false, path: at.pathname.replace(/\/$/, "") + path,
        ...(config.socket ? { socketPath: config.socket } : { hostname: at.hostname.replace(/^\[|\]$/g, ""), port: at.port }),
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
        got.on("close", () => (got.complete ? undefined : fail(new Error("the answer ended early"))));
        got.on("end", () => resolve({ status: got.statusCode ?? 0, type: got.headers["content-type"] ?? "", text: Buffer.concat(parts).toString("utf8") }));
      },
    );
    asked.on("error", fail);
    asked.end(text);
  });
  return parse(doing, answer);
}

function parse(doing: string, answer: { status: number; type: string; text: string }): unknown {
  let value: unknown;
  let broken: unknown;
  try {
    value = JSON.parse(answer.text);
  } catch (cause) {
    broken = cause;
  }
  if (answer.status !== 200) {
    const said = (value as { error?: { code?: unknown; message?: unknown; fix?: unknown } } | undefined)?.error;
    const message = said?.message ? `${said.message}${said.fix ? `; ${said.fix}` : ""}` : `the answer is HTTP status ${answer.status}`;
    throw new GavelError(`gavel: ${doing}: ${message}`, answer.status, String(said?.code ?? ""), undefined, String(said?.fix ?? ""));
  }
  if (answer.type.split(";")[0]?.trim() !== "application/json") {
    throw new GavelError(`gavel: ${doing}: the answer is ${JSON.stringify(answer.type)} and not JSON`, 200);
  }
  if (broken !== undefined) {
    throw new GavelError(`gavel: ${doing}: the answer is not JSON`, 200, "", { cause: broken });
  }
  return value;
}

function credential(config: Config): string {
  if (config.tokenFile === undefined) return config.token ?? "";
  let text: string;
  try {
    text = readFileSync(config.tokenFile, "utf8").trim();
  } catch (cause) {
    throw new GavelError(`gavel: read the token: ${String(cause)}`, 0, "", { cause });
  }
  if (!text) throw new GavelError(`gavel: the token file ${config.tokenFile} is empty`);
  return text;
}
