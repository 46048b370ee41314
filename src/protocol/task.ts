/** What crosses to a thread or a template process, and what comes back: plain data only. */
import type { ErrorData } from "../base/errors.ts";
import type { CheckReport, StoredChecks } from "../model/checks.ts";
import type { Command } from "../plugin/command.ts";
import type { DetachedStatus } from "../plugin/detached.ts";

interface DeviceTask {
  driver: string;
  /** `connection_args` as submitted; the driver's schema turns secrets into `Secret` on the thread. */
  connection: Record<string, unknown>;
  /** What the caller gave; the driver's schema fills in defaults. */
  args: Record<string, unknown>;
  /** Further texts that must not show: those of the context from which the lines were rendered. */
  secrets?: string[];
  /** Hosts that the key of the caller may reach; empty: all. */
  reach: string[];
  /** Its steps are told. */
  traced?: boolean;
}

export interface QueryTask extends DeviceTask {
  kind: "query";
  /** The work is to outlive its session, under this id. */
  detachAs?: string;
  /** True: the session is kept for the next job of this device. */
  keep: boolean;
  commands: Command[];
}

export interface ConfigureTask extends DeviceTask {
  kind: "configure";
  /** As for a query. */
  detachAs?: string;
  keep: boolean;
  lines: string[];
  /** What is looked at before and after the lines. */
  checks?: StoredChecks;
}

/** So much longer than its time a task with checks may take: its change is taken back. */
export const undoGraceMs = 60_000;

/** Looks for work that outlived its session. */
export interface DetachedTask extends DeviceTask {
  kind: "detached";
  id: string;
  operation: "query" | "configure";
  /** `look` reads its output from a byte on; `remove` takes what is kept of it off the server. */
  action: { do: "look"; offset: number; maxBytes: number } | { do: "stop" } | { do: "remove" };
}

/** The connection test. */
export interface ProbeTask extends DeviceTask {
  kind: "probe";
}

/** Text of a template by URI, behind the guard of the operator. */
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
  /** Whether the source came from below the template roots. */
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
  /** Each is parsed on its own. */
  texts: string[];
}

/** Devices and groups from a text of another tool. */
export interface InventoryTask {
  kind: "inventory";
  /** A name of model/inventory-text. */
  format: string;
  text: string;
  /** Of a text in columns. */
  delimiter?: string;
  map?: string;
}

/** An expression of a caller over records. */
export interface EvaluateTask {
  kind: "evaluate";
  expression: string;
  json: string;
}

/** The text of a source of the inventory, behind the guard of the operator. */
export interface SourceTask {
  kind: "source";
  from: "netbox" | "url" | "git";
  url: string;
  /** As in `connection_args.credential`. */
  credential?: Record<string, unknown>;
  /** Of NetBox: which devices. */
  filter?: string;
  /** Of NetBox: devices where it is absent. */
  object?: "device" | "virtual-machine";
  /** Of git: a file or folder, and the branch or tag. */
  path?: string;
  ref?: string;
  /** The format of what lies there: of git it says which files of a folder belong to it. */
  format: string;
  verify: boolean;
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
  /** Canonical host; absent: all. */
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
  | SourceTask
  | DeliverTask
  | EvictTask;
export type TaskKind = Task["kind"];
/** What strangers may have written, and a process reads that can be killed. */
export type TemplateTask = RenderTask | ParseTask | InventoryTask | EvaluateTask;

/** What each kind of task gives. */
export interface TaskValues {
  query: OutputsValue;
  configure: OutputsValue;
  detached: DetachedValue;
  probe: Record<string, string>;
  fetch: { text: string };
  render: { text: string; warnings?: string[] };
  /** One entry a text; JSON text, so that key order and number kinds survive and cloning stays cheap. */
  parse: { json: string[]; warnings?: string[] };
  /** Lists of entries as JSON text, a thousand in each. */
  inventory: { devices: string[]; groups: string[]; warnings: string[] };
  evaluate: { json: string };
  source: { text: string; warnings: string[] };
  deliver: { ok: boolean; status: number; message?: string };
  evict: { closed: number };
}

/** What was found; null: it was removed. */
export type DetachedValue = { found: (DetachedStatus & DetachedPiece) | null };

export interface DetachedPiece {
  /** Without secrets. */
  output: string;
  /** Where the next look goes on: no character and no secret is cut there. */
  nextOffset: number;
}

/** Outputs in order of the commands, as JSON text: strings cross threads without being cloned. */
export interface OutputsValue {
  outputs: { command: string; output: unknown; failed?: true }[];
  /** Whether a kept session served it. */
  reused: boolean;
  /** What the caller should know though nothing failed. */
  warnings?: string[];
  /** Where the driver found it out by itself. */
  platform?: string;
  /** Of a configuration with checks. */
  checks?: CheckReport;
}

export type TaskResult<K extends TaskKind = TaskKind> =
  | { ok: true; value: TaskValues[K] }
  | { ok: false; error: ErrorData };
