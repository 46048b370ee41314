/** JSON lines, one per event. `Secret` values print as `[secret]` by their type; known field names are masked as a net below it. */
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

/** The last net only: secrets are a type, and nothing that is one reaches a log as a string. */
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
  /** Where lines go; default standard output. */
  write?: (line: string) => void;
  /** Milliseconds of a clock that is not set back. */
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

/** A line for people: time, level, event, then `key=value`. */
function pretty(line: string): string {
  const { level, time, event, ...fields }: Record<string, unknown> = JSON.parse(line);
  const rest = Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === "string" ? shown(value) : JSON.stringify(value)}`)
    .join(" ");
  return (
    `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${String(event)} ${rest}`.trimEnd() +
    "\n"
  );
}

/** What devices and receivers say is quoted in reasons: it neither steers a terminal nor begins a line of its own. */
function shown(text: string): string {
  return text
    .replace(/\r?\n/g, "\n    ")
    .replace(
      /[\0-\x09\x0b-\x1f\x7f-\x9f]/g,
      (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
