/**
 * Structured log: one JSON line per event. `Secret` values print as `[secret]` by their type; known field names are
 * masked as a safety net.
 */
import pino from "pino";
import { boundRepeats } from "./log-repeats.ts";

export interface Log {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
}

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Safety net only: secrets have a type of their own and never reach the log as strings. */
const maskedPaths = [
  "password",
  "secret",
  "passphrase",
  "pkey",
  "sudo_password",
  "token",
  "authorization",
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

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
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: maskedPaths, censor: "[secret]" },
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
