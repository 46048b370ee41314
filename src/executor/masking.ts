/** Masks everything that leaves a thread: the secrets of each task and, for the log, those of recent tasks. */
import { LRUCache } from "lru-cache";
import { ServiceError, toErrorData } from "../base/errors.ts";
import { eachMember } from "../base/json/walk.ts";
import type { Log } from "../base/log.ts";
import { maskUrls } from "../base/net/url.ts";
import {
  createMasker,
  createOrdinarySearch,
  createOutputMasker,
  createSentenceMasker,
  type Masker,
  masked,
} from "../base/secrets/mask.ts";
import { Secret } from "../base/secrets/secret.ts";
import { isSecretName } from "../base/secrets/secret-name.ts";
import { thousands } from "../base/text/thousands.ts";

/** The secrets of one task; its results, errors and logs are masked with them. */
export interface TaskMask {
  /** Collects the secrets in a value: by their type, by their name, or all of it. */
  add(value: unknown, scope?: "marked" | "all"): void;
  /** A login name, or another text that the request shows: never masked, even if one equals the password. */
  show(value: unknown): void;
  /** Masks a text of the device or the caller. */
  text(text: string): string;
  /** Whether an ordinary secret was left in a result, where no password stands. */
  leftOne(): boolean;
  /** Number of characters at the end of a text that may begin a secret which continues in the next chunk. */
  unfinished(text: string): number;
  /**
   * A plain copy of a value without secrets.
   * @throws ServiceError DriverError: it is not plain data
   */
  plain(value: unknown): unknown;
  error(error: unknown): ServiceError;
}

export interface Masking {
  task(): TaskMask;
  /** Masks secrets of current and recent tasks of this thread. */
  text(text: string): string;
  /** A log that masks secrets of current and recent tasks of this thread, as a driver may log late. */
  log(log: Log): Log;
}

/** Number of recent tasks whose secrets are kept for the log. */
const maxRecent = 500;
const deepest = 100;
/** Values in the output of one command: each costs some 200 bytes until it is stored. */
const maxMembers = 500_000;
/** Characters of an error's message; the longest are those that quote a device. */
const maxMessage = 1024 * 1024;

export function createMasking(): Masking {
  const recent = new LRUCache<string, true>({ max: maxRecent });
  let logMasker: Masker | undefined;

  function forLog(text: string): string {
    logMasker ??= createMasker(recent.keys());
    return logMasker.text(text);
  }

  function task(): TaskMask {
    const secrets = new Set<string>();
    const shown = new Set<string>();
    let masker: Masker | undefined;
    let outputMasker: Masker | undefined;
    let sentenceMasker: Masker | undefined;
    let search: ReturnType<typeof createOrdinarySearch> | undefined;
    let left = false;
    const logins = () => [...shown];
    /** For members whose name says that they are secrets, and for errors of unknown origin. */
    const everything = () => (masker ??= createMasker(secrets));
    const ofDevice = () => (outputMasker ??= createOutputMasker(secrets, logins()));
    const text = (value: string) => ofDevice().text(value);
    const ofService = () => (sentenceMasker ??= createSentenceMasker([...secrets], logins()));

    function forget(): void {
      masker = undefined;
      outputMasker = undefined;
      sentenceMasker = undefined;
      search = undefined;
    }

    function ofResult(value: string): string {
      const clean = text(value);
      search ??= createOrdinarySearch([...secrets], logins());
      left ||= search(clean);
      return clean;
    }

    function take(secret: string): void {
      if (secrets.has(secret)) return;
      secrets.add(secret);
      forget();
      if (recent.has(secret)) return void recent.get(secret);
      recent.set(secret, true);
      logMasker = undefined;
    }

    function add(value: unknown, scope: "marked" | "all" = "marked", depth = 0): void {
      if (value instanceof Secret) take(value.reveal());
      else if (typeof value === "string" && scope === "all") take(value);
      if (typeof value !== "object" || value === null || depth > deepest) return;
      eachMember(value, (member, name) => {
        const isSecret = scope === "all" || (name !== undefined && isSecretName(name));
        add(member, isSecret ? "all" : "marked", depth + 1);
      });
    }

    return {
      add: (value, scope) => add(value, scope),
      show(value) {
        if (typeof value !== "string") return;
        shown.add(value);
        forget();
      },
      text,
      leftOne: () => left,
      unfinished: (value) => ofDevice().unfinished(value),
      plain: (value) =>
        plain(value, (value, name) => (isSecretName(name) ? everything().text(value) : ofResult(value)), 0),
      error(error) {
        const { kind, message, detail } = toErrorData(error, "DriverError");
        // An error that is not a ServiceError may contain anything anywhere.
        const isServiceError = error instanceof ServiceError;
        const brief = message.length <= maxMessage ? message : `${message.slice(0, maxMessage)}… (cut)`;
        const words = maskUrls(isServiceError ? ofService().text(brief) : everything().text(brief));
        if (detail === undefined) return new ServiceError(kind, words);
        return new ServiceError(kind, words, plainDetail(detail, isServiceError ? text : everything().text));
      },
    };
  }

  return {
    task,
    text: forLog,
    log: (log) => {
      const line =
        (level: keyof Log) =>
        (event: string, fields: object = {}) => {
          if (recent.size === 0) return log[level](event, fields);
          log[level](forLog(event), plainDetail({ ...fields }, forLog));
        };
      return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
    },
  };
}

function plainDetail(detail: object, text: (value: string) => string): Record<string, unknown> {
  try {
    const clean = plain(detail, text, 0);
    return typeof clean === "object" && clean !== null ? { ...clean } : {};
  } catch (error) {
    return { detail: error instanceof Error ? text(error.message) : "not plain data" };
  }
}

type MaskText = (text: string, name: string) => string;

/**
 * Converts as JSON does: a driver may return anything, but only plain data can be posted to another thread.
 * @param room members that may still come
 */
function plain(
  value: unknown,
  text: MaskText,
  depth: number,
  name = "",
  room = { members: maxMembers },
): unknown {
  if (--room.members < 0)
    throw new ServiceError(
      "OutputTooLarge",
      `The driver returned more than ${thousands(maxMembers)} values for one command.`,
    );
  if (typeof value === "string") return text(value, name);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object") return undefined;
  if (value instanceof Secret) return masked;
  if (value instanceof Error) return text(value.message, name);
  if (depth > deepest)
    throw new ServiceError("DriverError", `The driver returned a value with more than ${deepest} levels.`);
  if ("toJSON" in value && typeof value.toJSON === "function")
    return plain(value.toJSON(), text, depth + 1, name, room);
  if (Array.isArray(value)) return value.map((member) => plain(member, text, depth + 1, name, room) ?? null);
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const clean = plain(Reflect.get(value, key), text, depth + 1, key, room);
    if (clean !== undefined) entries.push([text(key, ""), clean]);
  }
  return Object.fromEntries(entries);
}
