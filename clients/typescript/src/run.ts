import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { GavelError } from "./request.js";
import type { Call, Decision } from "./types.js";

/** Says where a permitted command runs. */
export interface Where {
  /** What this machine is for Gavel: gateway, sandbox or node. A command for another host is refused. */
  host: string;
  /** The directory if the call does not state one. */
  dir?: string;
  /** The environment to start from; that of this process if it is left out. */
  env?: Record<string, string | undefined>;
  /** The paths of shells by name; /bin and /usr/bin are looked in if it is left out. */
  shells?: Record<string, string>;
}

/** What was judged, ready to run. */
export interface Command {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

const made = Symbol("made by authorize");

/** Says that one call may run, once. Only Client.authorize makes one. */
export class Permit {
  constructor(
    key: symbol,
    readonly decision: Decision,
    readonly call: Call,
  ) {
    if (key !== made || decision.decision !== "allow") throw new GavelError("gavel: only authorize makes permits");
    Object.freeze(this);
  }

  /** Returns the program and its words, or exec.command in the shell that the call stated. */
  command(where: Where): Command {
    const fail = (why: string): never => {
      throw new GavelError(`gavel: run a command: ${why}`);
    };
    const exec = this.decision.exec;
    if (!exec?.command) return fail("the decision has no exec.command; the call is not about a command");
    if (!where.host || exec.host !== where.host) return fail(`it was permitted on host ${exec.host}, and this is ${where.host}`);
    const cwd = this.#directory(where) ?? fail("no directory is known: state environment.cwd in the call, or set dir");
    const words = plain(exec) ?? [...(shell(this.call, where) ?? fail(`the shell ${this.call.environment?.shell ?? "bash"} is not known`)), "-c", exec.command];
    return { file: words[0] as string, args: words.slice(1), cwd, env: environment(exec, this.call, where) };
  }

  /** Runs the command. */
  run(where: Where, options: SpawnOptions = {}): ChildProcess {
    const { file, args, cwd, env } = this.command(where);
    return spawn(file, args, { ...options, cwd, env, shell: false });
  }

  #directory(where: Where): string | undefined {
    const workdir = this.call.tool.params?.["workdir"];
    const from = this.call.environment?.cwd || where.dir;
    if (typeof workdir === "string" && workdir) {
      if (isAbsolute(workdir)) return workdir;
      return from && isAbsolute(from) ? join(from, workdir) : undefined;
    }
    return from && isAbsolute(from) ? from : undefined;
  }
}

/** Makes a permit; for Client.authorize alone. */
export function makePermit(decision: Decision, call: Call): Permit {
  return new Permit(made, decision, call);
}

type Exec = NonNullable<Decision["exec"]>;

/** The words of a command that is one program with fixed words, and nothing else. */
function plain(exec: Exec): string[] | undefined {
  const one = exec.segments?.length === 1 ? exec.segments[0] : undefined;
  const program = one?.argv[0];
  if (!one || !program || !isAbsolute(program) || one.wrappers?.length || one.dynamic?.length) return undefined;
  const quoted = one.argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  return quoted === exec.command ? one.argv : undefined;
}

/** Without these, bash reads files of its user before a command if its input is a socket, and zsh always does. */
const noStartup = new Map([["bash", ["--norc"]], ["zsh", ["-f"]]]);

/** The shell that the call stated, with its options. */
function shell(call: Call, where: Where): string[] | undefined {
  const name = call.environment?.shell || "bash";
  let path: string | undefined = name;
  if (!isAbsolute(name) && where.shells) path = Object.hasOwn(where.shells, name) ? where.shells[name] : undefined;
  else if (!isAbsolute(name)) path = ["/bin", "/usr/bin"].map((dir) => join(dir, name)).find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
  return path && isAbsolute(path) ? [path, ...(noStartup.get(basename(path)) ?? [])] : undefined;
}

/** Variables with which a shell runs other code before the command. */
const startsCode = new Set(["BASH_ENV", "ENV", "ZDOTDIR", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "GLOBIGNORE"]);

function environment(exec: Exec, call: Call, where: Where): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(where.env ?? process.env)) {
    if (value !== undefined && !startsCode.has(name) && !name.startsWith("BASH_FUNC_")) env[name] = value;
  }
  if (call.environment?.path) env["PATH"] = call.environment.path.join(delimiter);
  Object.assign(env, exec.env);
  if (exec.pathPrepend?.length) env["PATH"] = [...exec.pathPrepend, env["PATH"] ?? ""].join(delimiter);
  return env;
}
