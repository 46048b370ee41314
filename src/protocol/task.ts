/** Tasks for worker threads and template processes, and their results: plain data only. */

import type { ConfigurationPart, VersionState } from "../api/history/history.ts";
import type { CheckReport, StoredCheck, StoredChecks } from "../api/jobs/checks.ts";
import type { OpenEnd } from "../api/jobs/request.ts";
import type { ErrorData } from "../base/errors.ts";
import { stopTimes } from "../base/time/stop-times.ts";
import type { FoundDrift, WantedDrift } from "../configtext/intent/work.ts";
import type { SearchQuery, TextMatches } from "../configtext/search.ts";
import type { Comparison, WantedComparison } from "../configtext/work.ts";
import type { Command } from "../plugin/command.ts";
import type { DetachedStatus } from "../plugin/detached.ts";

interface DeviceTask {
  driver: string;
  /** `connection_args` as submitted; the driver's schema wraps secrets in `Secret` on the thread. */
  connection: Record<string, unknown>;
  /** As given by the caller; the driver's schema adds defaults. */
  args: Record<string, unknown>;
  /** Further secrets to mask: those of the template context. */
  secrets?: string[];
  /** Host patterns of the key; empty: all. */
  reach: string[];
  /** Id of the key: what devices send is taken in by turns. */
  whose?: string;
  /** Id of the job. */
  job?: string;
  /** Whether to report steps. */
  traced?: boolean;
}

export interface QueryTask extends DeviceTask {
  kind: "query";
  /** Id of detached work. */
  detachAs?: string;
  /** Whether to keep the session for the next job of the device. */
  keep: boolean;
  commands: Command[];
  /** Judged in place of the commands. */
  checks?: StoredCheck[];
  /** The outputs are a configuration: it is read from them, and replaces them. */
  shows?: ShownConfiguration;
}

/** As for `DriverPlugin.shows`. */
export interface ShownConfiguration {
  platform: string | null;
  parts: ConfigurationPart[];
  files?: string[];
  /** Key of the marks of secrets. */
  markKey: string;
  /** Bytes of the newest good text per part. */
  previous: Partial<Record<ConfigurationPart, number>>;
}

/** A configuration as it is stored. */
export interface ReadPart {
  part: ConfigurationPart;
  state: VersionState;
  /** Why it is suspect. */
  reason?: string;
  /** Modules of the device that answered. */
  modules?: string[];
  /** SHA-256 without what changes by itself. */
  compare: string;
  /** The same of what running and startup configuration both show. */
  compareSaved?: string;
  lines: number;
  bytes: number;
  /** The masked text, packed. */
  body: Uint8Array;
  /** JSON: offset and length of each mark in the text, and what it stands for. */
  secrets?: string;
  /** Who changed it, as the device says. */
  changedBy?: string;
  /** Nothing is known of the platform. */
  general: boolean;
}

export interface ConfigureTask extends DeviceTask {
  kind: "configure";
  /** As for a query. */
  detachAs?: string;
  keep: boolean;
  lines: string[];
  /** The lines restore a configuration: its secrets are masked in the answer by place, too, and it is not shown live. */
  restores?: RestoredView;
  /** Checks before and after the lines. */
  checks?: StoredChecks;
  /** In place of a push: the end of one that was left open. */
  ends?: OpenEnd;
  /** Key of the marks of what an open push runs; with `ends` or a hold. */
  markKey?: string;
}

/** By what rules secrets in a configuration are found and marked. */
export interface RestoredView {
  platform: string | null;
  /** Key of the marks of secrets. */
  markKey: string;
}

/** Queries detached work. */
export interface DetachedTask extends DeviceTask {
  kind: "detached";
  id: string;
  operation: "query" | "configure";
  /** `look` reads output from a byte offset; `remove` deletes its files from the server. */
  action: { do: "look"; offset: number; maxBytes: number } | { do: "stop" } | { do: "remove" };
}

/** The connection test. */
export interface ProbeTask extends DeviceTask {
  kind: "probe";
}

/** Fetches a template by URI from an allowed source. */
export interface FetchTask {
  kind: "fetch";
  uri: string;
  /** As for a device. */
  reach: string[];
}

export interface RenderTask {
  kind: "render";
  engine: string;
  source: string;
  /** Whether the source is from a template root. */
  trusted: boolean;
  args: Record<string, unknown>;
  contextJson: string;
}

export interface ParseTask {
  kind: "parse";
  engine: string;
  source: string;
  trusted: boolean;
  args: Record<string, unknown>;
  /** Each is parsed separately. */
  texts: string[];
}

/** Parses devices and groups from a text of another tool. */
export interface InventoryTask {
  kind: "inventory";
  /** The name of a format; absent: entries that a source has fetched. */
  format?: string;
  text: string;
  /** For text in columns. */
  delimiter?: string;
  map?: string;
}

/** Evaluates an expression over records. */
export interface EvaluateTask {
  kind: "evaluate";
  expression: string;
  json: string;
}

/** Compares configurations. */
export interface CompareTask {
  kind: "compare";
  wanted: WantedComparison;
}

/** Compares configurations with what they should be, in one of the processes for searches, which run no templates. */
export interface DriftTask {
  kind: "drift";
  wanted: WantedDrift;
  shard: number;
}

/** Searches stored configurations in one of some processes that keep texts for later searches. */
export interface SearchTask {
  kind: "search";
  query: SearchQuery;
  /** Which of the processes: texts are looked for where they were kept. */
  shard: number;
  texts: PackedText[];
  /** Whole texts, packed, as base64. */
  bases: string[];
  /** Hits that are returned of all texts together; the others are counted. */
  maxHits: number;
  /** The search ends when so many groups have matches. */
  maxFound: number;
  /** Of one text, unpacked. */
  maxBytes: number;
}

/** A text that is searched. */
export interface PackedText {
  /** It is kept under this name, and what is kept under it is searched if there is no body. */
  key?: string;
  /** As base64. */
  body?: string;
  /** Index of the whole text that the body is a delta against. */
  base?: number;
  /** Texts next to each other that share a number are versions of one: what was found in one is not returned again. */
  group: number;
}

/** What a search found in a text. */
export interface FoundInText extends TextMatches {
  /** Index of the text. */
  readonly at: number;
}

/** Reads configurations that another program kept. */
export interface ReadTextsTask {
  kind: "readTexts";
  texts: { part: ConfigurationPart; text: string }[];
  /** Of all texts; absent: unknown. */
  platform?: string;
  /** Key of the marks of secrets, in hexadecimal. */
  markKey: string;
}

/** Fetches an inventory source from an allowed address. */
export interface SourceTask {
  kind: "source";
  /** The kind of the source: a plugin. */
  from: string;
  url: string;
  /** As in `connection_args.credential`. */
  credential?: Record<string, unknown>;
  /** Fields of this kind. */
  options: Record<string, unknown>;
  /** The format, which combines the files of a folder. */
  format: string;
  /** Its files are asked for one by one. */
  asFiles?: boolean;
  verify: boolean;
  /** As for a device. */
  reach: string[];
}

/** Pushes a Git repository of this node, or fetches the branch of its remote. */
export interface RepositoryTask {
  kind: "repository";
  does: "push" | "fetch";
  /** Of the repository. */
  path: string;
  /** Of the commit that is pushed. */
  head: string;
  url: string;
  /** Of the remote. */
  branch: string;
  /** As in `connection_args.credential`. */
  credential?: Record<string, unknown>;
  verify: boolean;
  /** Certificates of the remote's authority, in PEM. */
  authorities?: string;
  /** Fingerprint of the SSH server; absent: the known ones of the host. */
  hostKey?: string;
  /** As for a device. */
  reach: string[];
}

/** Asks an HTTP server at an allowed address. */
export interface QuestionTask {
  kind: "question";
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  maxBytes: number;
  /** As for a device. */
  reach: string[];
}

export interface DeliverTask {
  kind: "deliver";
  webhook: string;
  options: Record<string, unknown>;
  payload: string;
  /** As for a device. */
  reach: string[];
}

/** Closes the kept sessions of a host: `DELETE /worker`, a lost lease, drain. */
export interface EvictTask {
  kind: "evict";
  /** Canonical host; undefined: all. */
  host?: string;
}

export type Task =
  | QueryTask
  | ConfigureTask
  | DetachedTask
  | ProbeTask
  | FetchTask
  | RenderTask
  | ParseTask
  | InventoryTask
  | EvaluateTask
  | CompareTask
  | DriftTask
  | SearchTask
  | ReadTextsTask
  | SourceTask
  | RepositoryTask
  | QuestionTask
  | DeliverTask
  | EvictTask;
export type TaskKind = Task["kind"];
/** Tasks on untrusted input, run in a killable process. */
export type TemplateTask =
  | RenderTask
  | ParseTask
  | InventoryTask
  | EvaluateTask
  | CompareTask
  | DriftTask
  | SearchTask;

/** Whether its output is shown while it arrives: a configuration is masked when it has been read. */
export function showsOutput(task: Task): boolean {
  return task.kind !== "query" || task.shows === undefined;
}

/** A job's own work, whose outcome is stored. */
export function isOperation(task: Task): task is QueryTask | ConfigureTask {
  return task.kind === "query" || task.kind === "configure";
}

/** Result of each kind of task. */
export interface TaskValues {
  query: OutputsValue;
  configure: OutputsValue;
  detached: DetachedValue;
  probe: Record<string, string>;
  fetch: { text: string };
  render: { text: string; warnings?: string[] };
  /** One entry per text, as JSON text: keeps key order and number formats, and is cheap to clone. */
  parse: { json: string[]; warnings?: string[] };
  /** Lists of entries as JSON text, 1,000 per list. */
  inventory: { devices: string[]; groups: string[]; warnings: string[] };
  evaluate: { json: string };
  compare: Comparison;
  /** By device. */
  drift: { found: FoundDrift[][] };
  /** `missing`: indexes of texts without a body that are not kept. Damaged texts are left out. */
  search: { found: FoundInText[]; missing: number[] };
  /** In the order of the texts. */
  readTexts: { parts: ReadPart[] };
  /** `areEntries`: the text holds entries of the service's own making. */
  source: {
    text: string;
    areEntries?: true;
    files?: { name: string; text: string }[];
    revision?: string;
    warnings: string[];
  };
  /** The commit that the remote has now; null: none. `moved`: it had another before, or was fetched. */
  repository: { head: string | null; moved: boolean };
  /** `json`: `{status, body}`; the body is a text unless it is JSON. */
  question: { status: number; json: string };
  deliver: { ok: boolean; status: number; message?: string };
  evict: { closed: number };
}

/** The task; null if it was removed. */
export type DetachedValue = { found: (DetachedStatus & DetachedPiece) | null };

export interface DetachedPiece {
  /** Without secrets. */
  output: string;
  /** Offset of the next read, which splits no character and no secret. */
  nextOffset: number;
}

/** Outputs in command order as JSON text, which crosses threads without cloning. */
export interface OutputsValue {
  outputs: { command: string; output: unknown; failed?: true }[];
  /** Whether a kept session was reused. */
  reused: boolean;
  /** Warnings. */
  warnings?: string[];
  /** The detected platform, if any. */
  platform?: string;
  /** Of a dry run: whether the device compared it. */
  compared?: boolean;
  /** Report of checks. */
  checks?: CheckReport;
  /** Of a query that `shows` one. */
  configuration?: ReadPart[];
}

export type TaskResult<K extends TaskKind = TaskKind> =
  | { ok: true; value: TaskValues[K] }
  | { ok: false; error: ErrorData };

/** How long after its abort a task may take to end by itself; then it ends without its driver. */
export function abandonAfterMs(task: Task): number {
  const undoMs = task.kind === "configure" && task.checks !== undefined ? stopTimes.undoMs : 0;
  return stopTimes.abandonMs + undoMs;
}
