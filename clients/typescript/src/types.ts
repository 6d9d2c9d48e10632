// Generated from docs/openapi.json by make generate; do not edit.

export interface CallAgentParent {
  id?: string;
}

export interface CallAgent {
  /** Depth counts spawns: 0 is an orchestrator. Nil means "not stated"; then the parents and the session key tell. */
  depth?: number | null;
  id: string;
  /** MaxDepth is the depth at which an agent is a leaf. Nil means "not stated". */
  maxDepth?: number | null;
  /** Parents is the chain that spawned this agent, nearest first. The agent never has more rights than any of them. */
  parents?: Array<CallAgentParent>;
  /** Sandboxed says whether the agent runs in a sandbox. Nil means "not stated"; the configuration may require a sandbox anyway. */
  sandboxed?: boolean | null;
}

/** Process is the running session that a call of the tool process is about. */
export interface CallEnvironmentProcess {
  agent?: string;
  cwd?: string;
  host?: string;
  node?: string;
  /** Program is the program that reads the input now, by its absolute, real path. */
  program?: string;
  session?: string;
  /** Waiting is true if Program waits for a new line, and nothing has been typed into it. */
  waiting?: boolean;
}

export interface CallEnvironmentSkillsValue {
  program?: string;
  /** SHA256 is the hash of the program as it was when the skill was installed, in lower-case hex. */
  sha256?: string;
  skill?: string;
}

export interface CallEnvironment {
  cwd?: string;
  /** Executables, when not nil, replaces lookups on this machine: a name that it does not list does not exist. */
  executables?: Record<string, string>;
  home?: string;
  path?: Array<string>;
  platform?: string;
  /** Plugins maps a loaded plugin to the tools that it provides. */
  plugins?: Record<string, Array<string>>;
  /** Process is the running session that a call of the tool process is about. */
  process?: CallEnvironmentProcess | null;
  /** SandboxRoot is the absolute directory of the agent's sandbox, by its real path. Without it, that is ~/.openclaw/sandboxes/ID, with the id of the agent. */
  sandboxRoot?: string;
  /** Shell is what will run the text of exec; the default is bash. */
  shell?: string;
  /** Skills are the programs that installed skills have registered, by the names under which they are called. They count only from a gateway. */
  skills?: Record<string, CallEnvironmentSkillsValue>;
  /** Workspace is the absolute directory that the agent may treat as its own. Without it, the configured workspace applies, or else Cwd. */
  workspace?: string;
}

export interface CallGroup {
  account?: string;
  channel?: string;
  id?: string;
}

export interface CallHost {
  event?: string;
  /** Mode is the host's permission mode, as it spells it, such as bypassPermissions. */
  mode?: string;
  name?: string;
  /** Probe is true if nobody makes the call: it is to show that the hook works, and is denied. */
  probe?: boolean;
  /** Unsandboxed is true if the call asks to run outside the host's own sandbox. */
  unsandboxed?: boolean;
}

export interface CallMessageInline {
  elevated?: string;
}

export interface CallMessage {
  inline?: CallMessageInline;
}

export interface CallModel {
  id?: string;
  provider?: string;
}

export interface CallSender {
  channel?: string;
  e164?: string;
  from?: string;
  id?: string;
  name?: string;
  owner?: boolean;
  tag?: string;
  username?: string;
}

export interface CallSessionExec {
  ask?: string;
  host?: string;
  node?: string;
  security?: string;
}

export interface CallSession {
  elevated?: string;
  exec?: CallSessionExec;
  key?: string;
}

export interface CallTool {
  name: string;
  params?: Record<string, unknown>;
  plugin?: string;
  /** Unread says why the parameters could not be read, for a tool whose parameters a host sent in an unknown shape; "" if they could. */
  unread?: string;
}

/** One tool invocation that an agent wants to make: the body of POST /v1/decisions, and a line for gavel decide. */
export interface Call {
  agent: CallAgent;
  environment?: CallEnvironment | null;
  group?: CallGroup;
  host?: CallHost;
  /** ID is the caller's own id for this call; it is echoed and never judged. */
  id?: string;
  message?: CallMessage;
  model?: CallModel;
  sender?: CallSender | null;
  session?: CallSession;
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

/** Of a refused call, if it was requested: the smallest edit of the configuration that would permit it, decided again with the call, or why there is none. */
export interface DecisionChange {
  /** What the edit permits, in one line. */
  admits?: string;
  /** What the call gets with the edit: allow, or ask where the policy asks on purpose. */
  decision?: "allow" | "ask";
  file?: string;
  /** The first line that the edit adds or replaces, counted in the edited file. */
  line?: number;
  /** Why there is no edit. */
  none?: string;
  /** The edit, as a unified diff of file. */
  patch?: string;
  /** Verifiers that must then agree to the call. */
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
  /** Where the pattern is looked up. */
  directory?: string;
  pattern: string;
  segment: number;
  sha256: string;
  /** The pattern as the text has it. Missing if a command gives the names. */
  word?: string;
}

/** What the command was judged by, if it was requested. */
export interface DecisionExecPins {
  directory: string;
  files: Array<DecisionExecPinsFile>;
  /** Patterns of file names whose matches were all found, with the hash of the names and the real paths that they lead to. */
  matches?: Array<DecisionExecPinsMatche>;
  parsed: boolean;
  shell: string;
  /** For each segment, kind and words of each wrapper, as a binding has them. */
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
  /** What the command was judged by, if it was requested. */
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

/** Of an ask: how a person may answer it. */
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

/** For web tools: what the enforcement point must keep to when it opens the URL. */
export interface DecisionWeb {
  /** The networks that the tool may connect to. The first that contains an address counts; an address in none of them is refused. */
  dial: Array<DecisionWebDial>;
  /** The largest response to read. */
  maxResponseBytes: number;
  /** decide: each target of a redirect is a new call. none: redirects are not followed. */
  redirects: "decide" | "none";
}

/** Gavel's answer to one call. */
export interface Decision {
  approval?: DecisionApproval;
  call?: string;
  /** Of a refused call, if it was requested: the smallest edit of the configuration that would permit it, decided again with the call, or why there is none. */
  change?: DecisionChange;
  decision: "allow" | "ask" | "deny";
  exec?: DecisionExec;
  facts?: Record<string, unknown>;
  id: string;
  layers?: Array<DecisionLayer>;
  /** Of an explanation: the flags and variables of gavel that win over the configuration, whether or not one decided. */
  overrides?: Array<string>;
  reasons: Array<DecisionReason>;
  revision: string;
  /** Of an ask: how a person may answer it. */
  terms?: DecisionTerms;
  verify?: Array<string>;
  /** For web tools: what the enforcement point must keep to when it opens the URL. */
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

export interface ApprovalOutcomeReason {
  code?: string;
  fix?: string;
  layer?: string;
  message?: string;
  source?: ApprovalOutcomeReasonSource;
  span?: ApprovalOutcomeReasonSpan | null;
}

/** Outcome is the result for the waiting call, once the approval is no longer pending. */
export interface ApprovalOutcome {
  effect: "allow" | "ask" | "deny";
  reasons?: Array<ApprovalOutcomeReason>;
  revision?: string;
}

export interface ApprovalRequestFile {
  path?: string;
  role?: string;
  sha256?: string;
  /** Warning says that users other than root can change it. */
  warning?: string;
}

export interface ApprovalRequestReason {
  code?: string;
  message?: string;
}

export interface ApprovalRequestSegment {
  admitted?: string;
  command?: string;
  hazards?: Array<string>;
  /** Patterns describe which files its globs match. The answer covers those files. */
  patterns?: Array<string>;
  program?: string;
  through?: Array<string>;
}

export interface ApprovalRequest {
  agent?: string;
  command?: string;
  cwd?: string;
  env?: Array<string>;
  /** Files are the code files that the answer covers. It does not cover what they load in turn. */
  files?: Array<ApprovalRequestFile>;
  given?: string;
  host?: string;
  node?: string;
  params?: string;
  reasons?: Array<ApprovalRequestReason>;
  segments?: Array<ApprovalRequestSegment>;
  session?: string;
  tool?: string;
  /** Variables are the same with their values, NAME=value; values of secrets are masked. */
  variables?: Array<string>;
}

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
  askers?: Array<string>;
  binding?: string;
  comment?: string;
  createdAt: string;
  decision?: "allow-once" | "allow-always" | "deny";
  decisions: Array<string>;
  expired?: string;
  expiresAt: string;
  id: string;
  notes?: Array<string>;
  offer?: Array<string>;
  /** Once describes the code that cannot be identified. If it is not empty, the answer covers one execution only. */
  once?: Array<string>;
  /** Outcome is the result for the waiting call, once the approval is no longer pending. */
  outcome?: ApprovalOutcome | null;
  quorum?: number;
  request: ApprovalRequest;
  requesters?: Array<string>;
  resolvedAt?: string | null;
  resolvedBy?: string;
  state: "pending" | "resolved" | "expired" | "consumed";
  votes?: Array<ApprovalVote>;
  warning?: string;
}
