/** The typed port between the main thread and a worker thread or template process. */

import type { CheckNote } from "../api/jobs/checks.ts";
import type { LiveEvent } from "../api/jobs/live-event.ts";
import type { ErrorData } from "../base/errors.ts";
import type { FolderLimits } from "../base/files/folder-usage.ts";
import type { PluginSettings } from "../base/plugin-settings.ts";
import type { HostKey } from "../plugin/kit/ssh.ts";
import type { PluginModule } from "./plugin-module.ts";
import type { Task, TaskResult } from "./task.ts";

/** A step of a task, in milliseconds since 1970. */
export interface TimedStep {
  readonly name: "session" | "command";
  readonly startMs: number;
  readonly endMs: number;
  /** Kind of its error. */
  readonly error?: string | undefined;
  /** Whether a kept session was reused. */
  readonly reused?: boolean;
  /** The command without secrets. */
  readonly command?: string;
}

/** What a task reports while it runs. Reports need no answer, unlike a {@link TaskQuestion}. */
export type TaskEvent =
  | LiveEvent
  /** The device's own comparison of what a push changes, with secrets masked. */
  | { readonly kind: "difference"; readonly text: string }
  /** A step of a traced task has ended. */
  | { readonly kind: "step"; readonly step: TimedStep };

/** Messages from the main thread. */
export type ToWorker =
  | { type: "start"; settings: WorkerSettings }
  | { type: "run"; id: number; task: Task; deadlineMs: number }
  | { type: "abort"; id: number; reason: ErrorData }
  /** The outcome of an operation is stored: nobody needs it any more. */
  | { type: "settled"; id: number }
  | { type: "answer"; ask: number; value: unknown }
  | { type: "refusal"; ask: number; error: ErrorData }
  /** Asks whether the worker still runs; answered at once. */
  | { type: "ping" }
  /** New plugins, used by later tasks. */
  | { type: "plugins"; plugins: WorkerSettings["plugins"] }
  | { type: "drain" };

/** Messages to the main thread. */
export type FromWorker =
  /** Bun drops messages posted before the thread listens, so the settings wait for this. */
  | { type: "listening" }
  | { type: "failed"; error: ErrorData }
  | { type: "pong" }
  /** Something was thrown outside of all tasks; secrets are masked. */
  | { type: "broken"; reason: string }
  /** `cpuMs`: CPU time of a template process since its start. */
  | { type: "ready"; cpuMs?: number }
  /** A template process has received its task, which may be the cause if it dies now. */
  | { type: "begun"; id: number }
  | { type: "event"; id: number; event: TaskEvent }
  | { type: "result"; id: number; result: TaskResult; cpuMs?: number }
  | { type: "ask"; id: number; ask: number; question: TaskQuestion }
  | { type: "askThread"; ask: number; question: ThreadQuestion }
  | { type: "session"; session: KeptSession; opened: boolean }
  | { type: "log"; level: "debug" | "info" | "warn" | "error"; event: string; fields: object };

/** Questions of a running task to the main thread, which it waits for. */
export type TaskQuestion =
  /** The first command byte is about to be sent: the answer confirms that the intent is on disk. */
  | { about: "sending"; lines: string[] }
  /** Jump hosts, the nearest first, that are about to be logged in to: the answer means that they may be tried. */
  | { about: "hops"; logins: readonly { readonly host: string; readonly user: string }[] }
  /** Progress of a push with checks, stored with the next intent or on its own. */
  | { about: "checks"; note: CheckNote }
  /** Which of these jobs run no more; the answer is their ids. */
  | { about: "ended"; jobs: readonly string[] }
  /** Computes the value of a check from an output; the answer is JSON text. */
  | { about: "value"; phase: "before" | "after"; at: number; output: unknown; platform?: string };

/** Questions of a thread. */
export type ThreadQuestion =
  | { about: "knownHostKeys"; host: string; port: number; route: readonly string[] }
  | { about: "keptCredential"; source: string; ref: string }
  | {
      about: "learnHostKey" | "offerHostKey";
      host: string;
      port: number;
      route: readonly string[];
      key: HostKey;
    };

/** A live session of a pinned host. */
export interface KeptSession {
  /** Unique within its thread. */
  id: number;
  /** Canonical host. */
  host: string;
  driver: string;
}

/** Settings of a worker thread or template process, as plain data. */
export interface WorkerSettings {
  role: "device" | "template";
  plugins: readonly PluginModule[];
  /** Raw plugin settings; a template process gets those of engines and formats. */
  pluginSettings?: PluginSettings;
  templateRoots: string[];
  transferRoots: string[];
  /** Total size limits; undefined: unlimited. */
  transferRoom?: FolderLimits;
  keyRoots: string[];
  /** Files in OpenSSH format. */
  knownHosts: string[];
  agentSocket?: string;
  libraryRoot: string;
  urlAllow: string[];
  urlDeny: string[];
  sessionIdleMs: number;
  sessionAgeMs: number;
  maxSessions: number;
  /** What the outputs of one key may hold in memory on this thread; undefined: any. */
  outputBytes?: number;
  /** Lease validity in monotonic milliseconds (process.hrtime): one Float64. */
  leaseValidUntil?: SharedArrayBuffer;
  /** What a process for searches keeps of texts; undefined: nothing. */
  keptTextBytes?: number;
  logLevel: string;
}

/** One end of a channel: a Worker, a MessagePort, or child IPC. */
export interface Port<In, Out> {
  post(message: Out): void;
  onMessage(listener: (message: In) => void): void;
}

/** Argument that starts a template process. */
export const templateProcessFlag = "--worker=template";
