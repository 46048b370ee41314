/**
 * Structured log: one JSON line per event. `Secret` values print as `[secret]` by their type; known field names are
 * masked as a safety net.
 */
import pino from "pino";
import { isSecretName } from "./secrets/secret-name.ts";

export interface Log {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
}

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields that lie deeper are not looked at. */
const maskedDepth = 4;

/** Safety net only: secrets have a type of their own and never reach the log as strings. */
function masked(fields: Record<string, unknown>, depth = 1): Record<string, unknown> {
  if (depth > maskedDepth) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" && isSecretName(name)
        ? "[secret]"
        : isPlain(value)
          ? masked(value, depth + 1)
          : value,
    ]),
  );
}

/** Others print themselves, as errors and secrets do. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export interface LogOptions {
  level: LogLevel;
  format: "json" | "pretty";
  /** Sink for lines; default standard output. */
  write?: (line: string) => void;
  /** Monotonic clock in milliseconds. */
  now?: () => number;
}

export function createLog(options: LogOptions, bindings: Record<string, unknown> = {}): Log {
  const write = options.write ?? ((line: string) => void process.stdout.write(line));
  const root = pino(
    {
      level: options.level,
      base: null,
      messageKey: "event",
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: masked },
    },
    { write: options.format === "pretty" ? (line: string) => write(pretty(line)) : write },
  ).child(bindings);
  const log: Log = {
    debug: (event, fields) => root.debug(fields ?? {}, event),
    info: (event, fields) => root.info(fields ?? {}, event),
    warn: (event, fields) => root.warn(fields ?? {}, event),
    error: (event, fields) => root.error(fields ?? {}, event),
  };
  return boundRepeats(log, options.now ?? (() => performance.now()));
}

/** Human-readable line: time, level, event, then `key=value`. */
function pretty(line: string): string {
  const { level, time, event, ...fields }: Record<string, unknown> = JSON.parse(line);
  const rest = Object.entries(fields)
    .map(([key, value]) => `${key}=${printable(typeof value === "string" ? value : JSON.stringify(value))}`)
    .join(" ");
  return (
    `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${String(event)} ${rest}`.trimEnd() +
    "\n"
  );
}

/**
 * Reasons quote devices and receivers: escapes control characters, so that they can neither control the terminal nor
 * begin a new line.
 */
function printable(text: string): string {
  return text
    .replace(/\r?\n/g, "\n    ")
    .replace(
      /[\0-\x09\x0b-\x1f\x7f-\x9f]/g,
      (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

// Rate limit of the log: a repeated failure, such as an unreachable device or a refused caller, is logged a number of
// times a minute; the rest are counted, and the count is logged once the minute is over.

/** Lines per minute for one event about the same device, caller or plugin. */
const maxOfKind = 30;
/** Lines per minute for one event in total. */
const maxOfEvent = 1_000;
const minuteMs = 60_000;
/** Fields that identify what a line is about; others, such as ids, are ignored. */
const about = [
  "host",
  "type",
  "status",
  "key",
  "from",
  "plugin",
  "driver",
  "platform",
  "what",
  "node",
] as const;
const troubles = /\.(failed|expired|refused)$/;

type Write = (event: string, fields?: object) => void;
type Levels = Record<"debug" | "info" | "warn" | "error", Write>;

interface Kind {
  readonly event: string;
  readonly about: Record<string, unknown>;
  logged: number;
  more: number;
}

/** Debug lines and reports of success are not limited. */
function boundRepeats(log: Levels, now: () => number): Levels {
  const kinds = new Map<string, Kind>();
  const loggedByEvent = new Map<string, number>();
  let minuteEnds = now() + minuteMs;

  /** Logged together with the first line after the minute, so no timer is needed. */
  function endMinute(): void {
    minuteEnds = now() + minuteMs;
    const repeated = [...kinds.values()].filter(({ more }) => more > 0);
    kinds.clear();
    loggedByEvent.clear();
    for (const { event, about: fields, more } of repeated)
      log.warn("log.repeated", { of: event, times: more, ...fields });
  }

  function mayTell(event: string, fields: object): boolean {
    const ofEvent = loggedByEvent.get(event) ?? 0;
    // Above its limit an event is counted as a whole, so that callers cannot grow the list of kinds.
    const shared = ofEvent < maxOfEvent ? sharedOf(fields) : {};
    const name = JSON.stringify([event, shared]);
    const kind = kinds.get(name) ?? { event, about: shared, logged: 0, more: 0 };
    kinds.set(name, kind);
    if (ofEvent >= maxOfEvent || kind.logged >= maxOfKind) {
      kind.more++;
      return false;
    }
    kind.logged++;
    loggedByEvent.set(event, ofEvent + 1);
    return true;
  }

  function bounded(level: "info" | "warn" | "error") {
    return (event: string, fields: object = {}) => {
      if (now() >= minuteEnds) endMinute();
      if (level === "info" && !isTrouble(event, fields)) return log.info(event, fields);
      if (mayTell(event, fields)) log[level](event, fields);
    };
  }

  return { debug: log.debug, info: bounded("info"), warn: bounded("warn"), error: bounded("error") };
}

function isTrouble(event: string, fields: object): boolean {
  return troubles.test(event) || ("status" in fields && Number(fields.status) >= 400);
}

function sharedOf(fields: object): Record<string, unknown> {
  const values = Object.entries(fields).filter(([name]) => about.some((field) => field === name));
  return Object.fromEntries(values);
}
