// Generated from docs/openapi.json by make generate; do not edit.

/** One ancestor of an agent. */
export interface CallAgentParent {
  id?: string;
}

/** The agent that wants to make the call. */
export interface CallAgent {
  /** How many agents spawned this one, one after another; 0 means none. Missing or null means "not stated": the depth then follows from the parents and the session key. */
  depth?: number | null;
  /** by which the configuration names the agent */
  id: string;
  /** The depth at which an agent may spawn no others. Missing or null means "not stated". */
  maxDepth?: number | null;
  /** The chain that spawned this agent, nearest first. The agent never has more rights than any of them. */
  parents?: Array<CallAgentParent>;
  /** True if the agent runs in a sandbox. Missing or null means "not stated". The configuration may require a sandbox anyway. */
  sandboxed?: boolean | null;
}

/** The running session that a call of the tool process refers to. */
export interface CallEnvironmentProcess {
  /** the agent that started it */
  agent?: string;
  /** the absolute working directory of the program */
  cwd?: string;
  /** where it runs: sandbox, gateway or node */
  host?: string;
  node?: string;
  /** The absolute, real path of the program that reads the input now. */
  program?: string;
  /** its id, as in the parameter sessionId */
  session?: string;
  /** True if the program waits for a new line and nothing has been typed yet. */
  waiting?: boolean;
}

/** The program that a skill has registered under a name. */
export interface CallEnvironmentSkillsValue {
  /** the absolute, real path of the program */
  program?: string;
  /** The hash of the program as it was when the skill was installed, in lower-case hex. */
  sha256?: string;
  /** the skill's own name */
  skill?: string;
}

/** Where the call would run. It is a claim: only a gateway, or a token with this claim, may send it. */
export interface CallEnvironment {
  /** the absolute working directory */
  cwd?: string;
  /** The programs that exist: absolute paths by name. If it is present, nothing is looked up on this machine. */
  executables?: Record<string, string>;
  /** the absolute home directory */
  home?: string;
  /** the search path, without tools.exec.pathPrepend */
  path?: Array<string>;
  /** such as linux or darwin */
  platform?: string;
  /** The tools that each loaded plugin provides, by its id. */
  plugins?: Record<string, Array<string>>;
  /** The running session that a call of the tool process refers to. */
  process?: CallEnvironmentProcess | null;
  /** The absolute directory of the agent's sandbox, by its real path. The default is ~/.openclaw/sandboxes/ and the id of the agent. */
  sandboxRoot?: string;
  /** The shell that will run the command of exec; the default is bash. */
  shell?: string;
  /** The programs that installed skills have registered, by the names by which they are called. They count only if a gateway states them. */
  skills?: Record<string, CallEnvironmentSkillsValue>;
  /** The absolute directory that the agent may treat as its own. Without it, the workspace is the configured one, or else cwd. */
  workspace?: string;
}

/** The conversation that the message came from. */
export interface CallGroup {
  account?: string;
  channel?: string;
  id?: string;
}

/** What the program that runs the agent states about the call. */
export interface CallHost {
  /** the name of the hook event, as the host spells it */
  event?: string;
  /** The host's permission mode, as the host spells it, such as bypassPermissions. */
  mode?: string;
  /** such as claude-code */
  name?: string;
  /** True if the call only tests whether the hook works. It is denied. */
  probe?: boolean;
  /** True if the call asks to run outside the host's own sandbox. */
  unsandboxed?: boolean;
}

/** What directives in the message set, for this message only. */
export interface CallMessageInline {
  elevated?: string;
}

/** The message that the agent is answering. */
export interface CallMessage {
  /** What directives in the message set, for this message only. */
  inline?: CallMessageInline;
}

/** The language model behind the agent. */
export interface CallModel {
  id?: string;
  provider?: string;
}

/** The person whose message the agent is answering. */
export interface CallSender {
  channel?: string;
  /** a telephone number: + and digits */
  e164?: string;
  from?: string;
  id?: string;
  name?: string;
  /** the agent belongs to the sender */
  owner?: boolean;
  tag?: string;
  username?: string;
}

/** What /exec set for the session. */
export interface CallSessionExec {
  ask?: string;
  host?: string;
  node?: string;
  security?: string;
}

/** The session of the call, with the settings that are stored for it. */
export interface CallSession {
  elevated?: string;
  /** What /exec set for the session. */
  exec?: CallSessionExec;
  /** such as agent:main:main */
  key?: string;
}

/** The tool and its parameters. */
export interface CallTool {
  name: string;
  /** as the agent wrote them */
  params?: Record<string, unknown>;
  /** the id of the plugin that provides it */
  plugin?: string;
  /** Says why the parameters could not be read, if a host sent them in an unknown shape; "" if they could. */
  unread?: string;
}

/** One tool invocation that an agent wants to make: the body of POST /v1/decisions, and a line for gavel decide. */
export interface Call {
  /** The agent that wants to make the call. */
  agent: CallAgent;
  /** Where the call would run. It is a claim: only a gateway, or a token with this claim, may send it. */
  environment?: CallEnvironment | null;
  /** The conversation that the message came from. */
  group?: CallGroup;
  /** What the program that runs the agent states about the call. */
  host?: CallHost;
  /** The caller's own id for this call. The decision repeats it; no rule reads it. */
  id?: string;
  /** The message that the agent is answering. */
  message?: CallMessage;
  /** The language model behind the agent. */
  model?: CallModel;
  /** The person whose message the agent is answering. */
  sender?: CallSender | null;
  /** The session of the call, with the settings that are stored for it. */
  session?: CallSession;
  /** The tool and its parameters. */
  tool: CallTool;
}

export interface DecisionApprovalGrant {
  expiresAt: string;
  token: string;
}

export interface DecisionApproval {
  comment?: string;
  expiresAt: string;
  grant?: DecisionApprovalGrant;
  id: string;
}

/** For a refused call, if it was requested with change=true: the smallest edit of the configuration that would permit the call, or why there is none. The call was decided again with the edit. */
export interface DecisionChange {
  /** What the edit permits, in one line. */
  admits?: string;
  /** The decision with the edit: allow, or ask if the policy asks on purpose. */
  decision?: "allow" | "ask";
  file?: string;
  /** The first line that the edit adds or replaces, as a line number of the edited file. */
  line?: number;
  /** Why there is no edit. */
  none?: string;
  /** The edit, as a unified diff of the file. */
  patch?: string;
  /** The verifiers that must then agree to the call. */
  verify?: Array<string>;
}

export interface DecisionExecLifecycle {
  approvalRunningNoticeMs?: number;
  backgroundMs?: number;
  cleanupMs?: number;
  notifyOnExit?: boolean;
  notifyOnExitEmptySuccess?: boolean;
  timeoutSec?: number;
}

export interface DecisionExecOfferPatternOnly {
  argv?: Array<string>;
  command?: string;
  cwd?: string;
  form: string;
  options?: Array<string>;
  secrets?: Record<string, string>;
  sha256?: string;
  subCommand?: string;
  targets?: Array<string>;
  words?: Array<string>;
}

export interface DecisionExecOfferPattern {
  args: Array<string>;
  only?: DecisionExecOfferPatternOnly;
  pattern: string;
}

export interface DecisionExecOfferRefusedSource {
  file?: string;
  from?: "agent" | "global" | "default";
  line?: number;
  path?: string;
}

export interface DecisionExecOfferRefusedSpan {
  end: number;
  start: number;
}

export interface DecisionExecOfferRefused {
  code: string;
  fix?: string;
  layer: string;
  message: string;
  source?: DecisionExecOfferRefusedSource;
  span?: DecisionExecOfferRefusedSpan;
}

export interface DecisionExecOfferTemplate {
  admits: string;
  args: Array<string>;
  argv: Array<string>;
  flags: Array<string>;
  pattern: string;
}

export interface DecisionExecOffer {
  exact: boolean;
  patterns: Array<DecisionExecOfferPattern>;
  refused: Array<DecisionExecOfferRefused>;
  templates: Array<DecisionExecOfferTemplate>;
}

export interface DecisionExecPinsFile {
  device: string;
  inode: string;
  named: string;
  path: string;
  role: string;
  segment: number;
  sha256?: string;
}

export interface DecisionExecPinsMatche {
  /** The directory in which the pattern is expanded. */
  directory?: string;
  pattern: string;
  segment: number;
  sha256: string;
  /** The pattern as it is written. Missing if a command produces the names. */
  word?: string;
}

/** The files and the directory that the command was judged by. Present only if it was requested with pins=true. */
export interface DecisionExecPins {
  directory: string;
  files: Array<DecisionExecPinsFile>;
  /** Patterns of file names whose matches were all found, with the hash of the matching names and their real paths. */
  matches?: Array<DecisionExecPinsMatche>;
  parsed: boolean;
  shell: string;
  /** For each segment, the kind and the words of each wrapper, as in a binding. */
  wrappers?: Array<Array<Array<string>>>;
}

export interface DecisionExecSandbox {
  backend?: string;
  root?: string;
  scope?: string;
  workspaceAccess?: string;
}

export interface DecisionExecSegment {
  argv: Array<string>;
  by?: "allowlist" | "safeBins" | "skills" | "full" | "approval";
  dynamic?: Array<number>;
  wrappers?: Array<Array<string>>;
}

export interface DecisionExecWrites {
  inexact: Array<string>;
  under: Array<string>;
}

export interface DecisionExec {
  command?: string;
  env?: Record<string, string>;
  host: string;
  ignored?: Array<string>;
  lifecycle?: DecisionExecLifecycle;
  node?: string;
  offer?: DecisionExecOffer;
  pathPrepend?: Array<string>;
  /** The files and the directory that the command was judged by. Present only if it was requested with pins=true. */
  pins?: DecisionExecPins;
  sandbox?: DecisionExecSandbox;
  segments?: Array<DecisionExecSegment>;
  synchronous?: boolean;
  writes?: DecisionExecWrites;
}

export interface DecisionLayerReasonSource {
  file?: string;
  from?: "agent" | "global" | "default";
  line?: number;
  path?: string;
}

export interface DecisionLayerReasonSpan {
  end: number;
  start: number;
}

export interface DecisionLayerReason {
  code: string;
  fix?: string;
  layer: string;
  message: string;
  source?: DecisionLayerReasonSource;
  span?: DecisionLayerReasonSpan;
}

export interface DecisionLayer {
  durationNs: number;
  layer: string;
  permit: boolean;
  reasons: Array<DecisionLayerReason>;
  required: boolean;
  title: string;
  verdict: "permit" | "deny" | "ask" | "silent" | "not required";
}

export interface DecisionReasonSource {
  file?: string;
  from?: "agent" | "global" | "default";
  line?: number;
  path?: string;
}

export interface DecisionReasonSpan {
  end: number;
  start: number;
}

export interface DecisionReason {
  code: string;
  fix?: string;
  layer: string;
  message: string;
  source?: DecisionReasonSource;
  span?: DecisionReasonSpan;
}

export interface DecisionTermsEntryOnly {
  argv?: Array<string>;
  command?: string;
  cwd?: string;
  form: string;
  options?: Array<string>;
  secrets?: Record<string, string>;
  sha256?: string;
  subCommand?: string;
  targets?: Array<string>;
  words?: Array<string>;
}

export interface DecisionTermsEntry {
  args: Array<string>;
  only?: DecisionTermsEntryOnly;
  pattern: string;
}

/** For an ask: how a person may answer it. */
export interface DecisionTerms {
  approvers?: Array<string>;
  args?: Record<string, Array<string>>;
  decisions: Array<"allow-once" | "allow-always" | "deny">;
  entries?: Array<DecisionTermsEntry>;
  exact?: boolean;
  offer: Array<string>;
  once?: Array<string>;
  quorum: number;
  timeoutMs: number;
}

export interface DecisionWebDial {
  allow: boolean;
  network: string;
}

/** For web tools: the limits that the enforcement point must observe when it opens the URL. */
export interface DecisionWeb {
  /** The networks that the tool may connect to. The first network that contains an address decides; an address in none of them is refused. */
  dial: Array<DecisionWebDial>;
  /** The largest response that may be read, in bytes. */
  maxResponseBytes: number;
  /** decide: each target of a redirect is a new call. none: redirects are not followed. */
  redirects: "decide" | "none";
}

/** Gavel's answer to one call. */
export interface Decision {
  approval?: DecisionApproval;
  call?: string;
  /** For a refused call, if it was requested with change=true: the smallest edit of the configuration that would permit the call, or why there is none. The call was decided again with the edit. */
  change?: DecisionChange;
  decision: "allow" | "ask" | "deny";
  exec?: DecisionExec;
  facts?: Record<string, unknown>;
  id: string;
  layers?: Array<DecisionLayer>;
  /** In an explanation: the flags and environment variables of gavel that override the configuration, whether or not one of them affected the decision. */
  overrides?: Array<string>;
  reasons: Array<DecisionReason>;
  revision: string;
  /** For an ask: how a person may answer it. */
  terms?: DecisionTerms;
  verify?: Array<string>;
  /** For web tools: the limits that the enforcement point must observe when it opens the URL. */
  web?: DecisionWeb;
}

export interface ApprovalOutcomeReasonSource {
  file?: string;
  from?: string;
  line?: number;
  path?: string;
}

export interface ApprovalOutcomeReasonSpan {
  end?: number;
  start?: number;
}

/** A reason of the decision. */
export interface ApprovalOutcomeReason {
  code?: string;
  fix?: string;
  layer?: string;
  message?: string;
  source?: ApprovalOutcomeReasonSource;
  span?: ApprovalOutcomeReasonSpan | null;
}

/** The result for the waiting call, once the approval is no longer pending. */
export interface ApprovalOutcome {
  effect: "allow" | "ask" | "deny";
  reasons?: Array<ApprovalOutcomeReason>;
  revision?: string;
}

/** A code file, as it was when the question was opened. */
export interface ApprovalRequestFile {
  path?: string;
  role?: string;
  sha256?: string;
  /** Says that users other than root can change it. */
  warning?: string;
}

/** A reason of the decision. */
export interface ApprovalRequestReason {
  code?: string;
  message?: string;
}

/** One program that would run. */
export interface ApprovalRequestSegment {
  /** the pattern that allow-always would add for it */
  admitted?: string;
  command?: string;
  /** marked arguments, in words */
  hazards?: Array<string>;
  /** patterns describe which files its globs match. The answer covers those files. */
  patterns?: Array<string>;
  program?: string;
  /** wrappers, outermost first */
  through?: Array<string>;
}

/** What a person is asked about. */
export interface ApprovalRequest {
  agent?: string;
  /** what would run */
  command?: string;
  cwd?: string;
  /** the names of the variables that the command would set */
  env?: Array<string>;
  /** The code files that the answer covers. It does not cover what they load in turn. */
  files?: Array<ApprovalRequestFile>;
  /** what the agent wrote */
  given?: string;
  host?: string;
  node?: string;
  params?: string;
  reasons?: Array<ApprovalRequestReason>;
  segments?: Array<ApprovalRequestSegment>;
  session?: string;
  tool?: string;
  /** The same with their values, NAME=value; values of secrets are masked. */
  variables?: Array<string>;
}

/** One person's answer. */
export interface ApprovalVote {
  at?: string;
  by?: string;
  comment?: string;
  decision?: string;
  person?: string;
}

/** A question to people, and its answer. */
export interface Approval {
  approvers?: Array<string>;
  /** the people among them */
  askers?: Array<string>;
  binding?: string;
  comment?: string;
  createdAt: string;
  decision?: "allow-once" | "allow-always" | "deny";
  /** the possible answers */
  decisions: Array<string>;
  expired?: string;
  expiresAt: string;
  id: string;
  notes?: Array<string>;
  /** what allow-always would add to the allowlist */
  offer?: Array<string>;
  /** Describes the code that cannot be identified. If it is not empty, the answer covers one execution only. */
  once?: Array<string>;
  /** The result for the waiting call, once the approval is no longer pending. */
  outcome?: ApprovalOutcome | null;
  quorum?: number;
  /** What a person is asked about. */
  request: ApprovalRequest;
  requesters?: Array<string>;
  resolvedAt?: string | null;
  resolvedBy?: string;
  state: "pending" | "resolved" | "expired" | "consumed";
  votes?: Array<ApprovalVote>;
  warning?: string;
}
