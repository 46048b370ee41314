/** The typed port between the main thread and a worker thread or template process. */
import type { ErrorData } from "../base/errors.ts";
import type { RoomLimits } from "../base/folder-room.ts";
import type { PluginSettings } from "../base/plugin-settings.ts";
import type { CheckNote } from "../model/checks.ts";
import type { HostKey } from "../plugin/ssh.ts";
import type { Task, TaskResult } from "./task.ts";

/** A part of a task, in milliseconds since 1970. */
export interface TimedStep {
  readonly name: "session" | "command";
  readonly startMs: number;
  readonly endMs: number;
  /** Kind of the error it ended with. */
  readonly error?: string | undefined;
  /** A kept session was used. */
  readonly reused?: boolean;
  /** Text of the command, without secrets. */
  readonly command?: string;
}

/** From the main thread. */
export type ToWorker =
  | { type: "start"; settings: WorkerSettings }
  | { type: "run"; id: number; task: Task; deadlineMs: number }
  | { type: "abort"; id: number; reason: ErrorData }
  | { type: "answer"; ask: number; value: unknown }
  | { type: "refusal"; ask: number; error: ErrorData }
  /** Other plugins: tasks that come after it run with them. */
  | { type: "plugins"; plugins: WorkerSettings["plugins"] }
  | { type: "drain" };

/** To the main thread. */
export type FromWorker =
  /** Bun drops what is posted to a thread before it listens: the settings wait for this. */
  | { type: "listening" }
  | { type: "failed"; error: ErrorData }
  /** `cpuMs`: what a template process has computed since its birth. */
  | { type: "ready"; cpuMs?: number }
  /** A template process has its task: from here on the task may be why the process ends. */
  | { type: "begun"; id: number }
  /** What the device of a task has said since the last one: without secrets. */
  | { type: "output"; id: number; text: string }
  /** How far a file transfer is: bytes. */
  | { type: "progress"; id: number; done: number; total: number }
  /** A part of a traced task is over. */
  | { type: "step"; id: number; step: TimedStep }
  | { type: "result"; id: number; result: TaskResult; cpuMs?: number }
  | { type: "ask"; id: number; ask: number; question: TaskQuestion }
  | { type: "askThread"; ask: number; question: ThreadQuestion }
  | { type: "session"; session: KeptSession; opened: boolean }
  | { type: "log"; level: "debug" | "info" | "warn" | "error"; event: string; fields: object };

/** What a running task asks the main thread; it goes on when it is answered. */
export type TaskQuestion =
  /** The first command byte is about to leave: the answer means that this is on disk. */
  | { about: "sending"; lines: string[] }
  /** Jump hosts, the nearest first, that are about to be logged in to: the answer means that they may be tried. */
  | { about: "hops"; logins: readonly { readonly host: string; readonly user: string }[] }
  /** A push with checks has come so far: stands in the next record of what is sent, or is one of its own. */
  | { about: "checks"; note: CheckNote }
  /** What an output is for a check that parses it, or has an expression: the answer is its value as JSON text. */
  | { about: "value"; phase: "before" | "after"; at: number; output: unknown; platform?: string };

/** What a thread asks whatever task it is about. */
export type ThreadQuestion =
  | { about: "knownHostKeys"; host: string; port: number; route: readonly string[] }
  | { about: "keptCredential"; source: string; ref: string }
  | { about: "learnHostKey"; host: string; port: number; route: readonly string[]; key: HostKey };

/** A live session that serves a pinned host. */
export interface KeptSession {
  /** Unique within its thread. */
  id: number;
  /** Canonical host. */
  host: string;
  driver: string;
}

/** Settings of a worker thread or template process, plain data made by main from the configuration. */
export interface WorkerSettings {
  role: "device" | "template";
  plugins: { name: string; path: string }[];
  /** Settings of plugins, as they were given; a template process gets those of engines. */
  pluginSettings?: PluginSettings;
  templateRoots: string[];
  transferRoots: string[];
  /** What they may hold together; absent: no limit. */
  transferRoom?: RoomLimits;
  keyRoots: string[];
  /** Files in OpenSSH's form. */
  knownHosts: string[];
  agentSocket?: string;
  libraryRoot: string;
  urlAllow: string[];
  urlDeny: string[];
  sessionIdleMs: number;
  sessionAgeMs: number;
  maxSessions: number;
  /** Monotonic milliseconds (process.hrtime) until which this node may send: one Float64. */
  leaseValidUntil?: SharedArrayBuffer;
  logLevel: string;
}

/** Either end of a connection: a Worker, a MessagePort, a child's IPC. */
export interface Port<In, Out> {
  post(message: Out): void;
  onMessage(listener: (message: In) => void): void;
}

/** Argument that makes the program a template process. */
export const templateProcessFlag = "--worker=template";
