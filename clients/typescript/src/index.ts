/**
 * Asks a running Gavel whether an agent's tool call may run. The package fails closed: a call
 * may run only if authorize returns a permit. An answer that is undefined, late, malformed or
 * about another call throws.
 */
import { randomUUID } from "node:crypto";
import { base, GavelError, send, type Config } from "./request.js";
import { makePermit, type Permit } from "./run.js";
import type { Approval, Call, Decision } from "./types.js";

export { GavelError, type Config } from "./request.js";
export { Permit, type Command, type Where } from "./run.js";
export type * from "./types.js";

/** Says that a call was decided, and must not run. */
export class Refused extends Error {
  override name = "Refused";
  constructor(
    readonly decision: Decision,
    /** What a person said with their answer, if one answered. */
    readonly comment = "",
  ) {
    const reasons = decision.reasons.map((r) => `${r.message} (${r.code})${r.fix ? `; ${r.fix}` : ""}`).join("; ");
    super(`gavel: ${decision.decision}: ${reasons}${comment ? `; a person said: ${comment}` : ""}`);
  }
}

const defaultTimeoutMs = 5000;
/** How long one request waits for a person. */
const pollMs = 25_000;

/** Asks one Gavel. */
export class Client {
  readonly #config: Config;
  readonly #timeoutMs: number;

  constructor(config: Config) {
    base(config); // throws if it is not a configuration
    this.#config = { ...config };
    this.#timeoutMs = config.timeoutMs ?? defaultTimeoutMs;
  }

  /** Asks for one decision. A decision that is not an allow does not throw: use authorize, or look at it. */
  async decide(call: Call, options: { signal?: AbortSignal } = {}): Promise<Decision> {
    const doing = "ask for a decision";
    const asked = { ...call, id: call.id ?? randomUUID() };
    return decisionOf(doing, await send(this.#config, doing, "POST", "/v1/decisions", asked, this.#timeoutMs, options.signal), asked.id);
  }

  /** Waits until the question that a decision opened is no longer pending, or the signal aborts. An answer permits nothing yet: decide again. */
  async wait(decision: Decision, options: { signal?: AbortSignal } = {}): Promise<Approval> {
    const doing = "wait for an approval";
    const id = decision.approval?.id;
    if (!id) throw new GavelError(`gavel: ${doing}: the decision opened no question`);
    for (;;) {
      const path = `/v1/approvals/${encodeURIComponent(id)}/wait?timeoutMs=${pollMs}`;
      const answer = (await send(this.#config, doing, "GET", path, undefined, pollMs + this.#timeoutMs, options.signal)) as Approval | null;
      if (typeof answer !== "object" || answer === null || answer.id !== id) {
        throw new GavelError(`gavel: ${doing}: the answer is not about approval ${id}`, 200);
      }
      if (answer.state === "resolved" || answer.state === "expired" || answer.state === "consumed") return answer;
      if (answer.state !== "pending") throw new GavelError(`gavel: ${doing}: the answer has the unknown state ${JSON.stringify(answer.state)}`, 200);
    }
  }

  /**
   * Decides a call and, if a person must agree, waits for the answer and asks again. Returns a
   * permit if the call may run; throws Refused if it must not, and GavelError if there is no
   * decision.
   */
  async authorize(call: Call, options: { signal?: AbortSignal } = {}): Promise<Permit> {
    let decision = await this.decide(call, options);
    let comment = "";
    if (decision.decision === "ask" && decision.approval?.id) {
      const answer = await this.wait(decision, options);
      comment = answer.comment ?? "";
      if (answer.outcome?.effect !== "allow") throw new Refused(decision, comment);
      decision = await this.decide(call, options);
    }
    if (decision.decision !== "allow") throw new Refused(decision, comment);
    return makePermit(decision, call);
  }
}

/** Reads a decision about the call with the given id; throws if it is not one. */
function decisionOf(doing: string, value: unknown, call: string): Decision {
  const fail = (why: string): never => {
    throw new GavelError(`gavel: ${doing}: the answer is not a decision: ${why}`, 200);
  };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail("it is not an object");
  const got = value as Partial<Decision>;
  if (got.decision !== "allow" && got.decision !== "ask" && got.decision !== "deny") return fail(`${JSON.stringify(got.decision)} is not an effect`);
  if (got.call !== call) return fail(`it is about call ${JSON.stringify(got.call)}, and ${JSON.stringify(call)} was asked about`);
  if (typeof got.id !== "string" || !got.id || typeof got.revision !== "string" || !got.revision) return fail("it has no id, or no revision");
  if (!Array.isArray(got.reasons) || got.reasons.length === 0) return fail("it has no reason");
  for (const reason of got.reasons) {
    if (typeof reason?.code !== "string" || typeof reason.message !== "string") return fail("a reason has no code, or no message");
  }
  if (got.approval !== undefined && typeof got.approval?.id !== "string") return fail("its approval has no id");
  if (got.exec !== undefined && !isExec(got.exec)) return fail("its exec is not a command");
  return got as Decision;
}

function isExec(exec: unknown): boolean {
  const texts = (list: unknown) => list === undefined || (Array.isArray(list) && list.every((one) => typeof one === "string"));
  const got = exec as NonNullable<Decision["exec"]> | null;
  if (typeof got !== "object" || got === null || typeof got.host !== "string") return false;
  if (got.command !== undefined && typeof got.command !== "string") return false;
  if (got.env !== undefined && !(typeof got.env === "object" && got.env !== null && texts(Object.values(got.env)))) return false;
  if (got.segments !== undefined && !(Array.isArray(got.segments) && got.segments.every((one) => Array.isArray(one?.argv) && texts(one.argv)))) return false;
  return texts(got.pathPrepend);
}
