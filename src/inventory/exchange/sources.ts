/** Manages inventory sources, and syncs them atomically. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { entryKey } from "../../api/inventory/inventory.ts";
import {
  optionsOf,
  readRun,
  type SourceRecord,
  type SourceRun,
  sourceLimits,
  sourceName,
  storedSource,
  type WrittenSource,
} from "../../api/inventory/inventory-source.ts";
import { writerIn } from "../../api/jobs/job.ts";
import { submitterNamed } from "../../auth/caller.ts";
import type { Holders } from "../../auth/holders.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import { type Issue, refuse } from "../../base/issues.ts";
import { withoutNulls } from "../../base/json/members.ts";
import type { Log } from "../../base/log.ts";
import { neverAborted } from "../../base/time/deadline.ts";
import type { ExpectedSource, Store, StoredSource } from "../../store/port.ts";
import type { Inventory, Precondition } from "../port.ts";
import { requireWriter } from "../rights.ts";
import type { TextReader } from "./port.ts";
import { type Outcome, syncOnce } from "./source-sync.ts";
import type { BringFiles, ReadSource, SourceFetcher, SourceKinds, Sources, Synced } from "./sources-port.ts";

export interface SourcesOptions {
  readonly store: Pick<Store, "sources" | "clock">;
  readonly holders: Pick<Holders, "byId">;
  readonly inventory: Pick<Inventory, "snapshot" | "apply">;
  readonly log: Log;
  readonly iso: (ms: number) => string;
  readonly fetch: SourceFetcher;
  readonly bring: BringFiles;
  readonly read: TextReader;
  readonly kinds: SourceKinds;
  /** @throws ServiceError Forbidden, Validation: the key may not use the credential */
  readonly checkCredential: (reference: Record<string, unknown>, caller: Caller) => Promise<void>;
  /** Called after each sync, not for dry runs. */
  readonly onSynced: (status: SourceRun["status"]) => void;
}

/** Concurrent syncs per node; each holds a text and a worker thread. */
const maxSyncs = 4;
/** Retries after concurrent writes. */
const maxTries = 8;

export function createSources(options: SourcesOptions): Sources {
  const { store, iso, log, checkCredential, kinds } = options;
  const running = new Set<string>();

  async function stored(name: string): Promise<StoredSource> {
    const source = isName(name) ? await store.sources.get(entryKey(name)) : undefined;
    if (source) return source;
    throw new ServiceError("NotFound", "There is no source with that name.");
  }

  function readOf(source: StoredSource): ReadSource {
    return { record: shownSource(source, iso), version: versionOf(source) };
  }

  /** The stored state that a write requires. @throws ServiceError PreconditionFailed */
  async function expectedOf(name: string, when: Precondition): Promise<ExpectedSource> {
    if (when === undefined) return undefined;
    const existing = await store.sources.get(entryKey(name));
    requireState(when, existing && versionOf(existing), name);
    return existing?.own ?? null;
  }

  async function recordRun(
    source: StoredSource,
    outcome: Outcome,
    startedAt: number,
    by: Caller,
  ): Promise<SourceRun> {
    const run = runOf(outcome, { startedAt: iso(startedAt), endedAt: iso(store.clock.wall()), by: by.name });
    const counts = `${run.added ?? "?"} added, ${run.changed ?? "?"} changed, ${run.removed ?? "?"} removed`;
    const entry = {
      caller: by,
      action: "inventory.source.sync" as const,
      outcome: run.status,
      detail: `${source.key}: ${run.dry_run ? "dry run: " : ""}${counts}${run.error === null ? "" : `: ${run.error}`}`,
    };
    await store.sources.addRun(source.key, JSON.stringify(run), entry);
    return run;
  }

  const sync: Sources["sync"] = async (name, { dryRun = false, signal = neverAborted }, caller) => {
    requireWriter(caller);
    const source = await stored(name);
    if (running.has(source.key))
      throw new ServiceError("InProgress", `The source ${name} is being synced.`, { retryAfter: 5 });
    if (running.size >= maxSyncs)
      throw new ServiceError("TooManyRequests", `${maxSyncs} sources are being synced.`, { retryAfter: 5 });
    running.add(source.key);
    const startedAt = store.clock.wall();
    try {
      const outcome = await syncOnce(
        { name: nameOf(source), source: readOwn(source), dryRun, caller, signal },
        options,
      );
      if (!dryRun) options.onSynced(outcome.failure ? "failed" : "succeeded");
      const run = await recordRun(source, outcome, startedAt, caller);
      log.info("inventory.synced", { source: name, status: run.status, by: caller.name });
      if (outcome.failure) throw failureOf(outcome.failure);
      const { diff = [], diff_truncated = false } = outcome.answer ?? {};
      return { run, diff, diff_truncated, warnings: outcome.warnings };
    } finally {
      running.delete(source.key);
    }
  };

  return {
    async list(caller, { submitted_by } = {}) {
      requireWriter(caller);
      return (await store.sources.list(submitterNamed(submitted_by, caller))).map((source) =>
        shownSource(source, iso),
      );
    },
    async read(name, caller) {
      requireWriter(caller);
      return readOf(await stored(name));
    },
    async put(name, body, caller, when) {
      requireWriter(caller);
      const source = await checked(name, body, kinds);
      if (source.credential) await checkCredential(source.credential, caller);
      const own = JSON.stringify({ name, ...withoutNulls<WrittenSource>(source) });
      for (let tries = 0; tries < maxTries; tries++) {
        const expected = await expectedOf(name, when);
        const result = await store.sources.put({ key: entryKey(name), own }, caller, expected);
        if (result === "full")
          throw new ServiceError(
            "TooManyRequests",
            `There are ${sourceLimits.most} sources already: remove one.`,
          );
        if (result !== "moved") return { ...readOf(await stored(name)), added: result === "added" };
      }
      throw changedAllTheTime(name);
    },
    async remove(name, caller, when) {
      requireWriter(caller);
      for (let tries = 0; tries < maxTries; tries++) {
        const { key } = await stored(name);
        if (await store.sources.remove(key, caller, await expectedOf(name, when))) return;
      }
      throw changedAllTheTime(name);
    },
    sync,
    syncSource: (name, by, signal): Promise<Synced> => sync(name, signal === undefined ? {} : { signal }, by),
  };
}

/** The first 48 bits of the hash of the definition. */
function versionOf({ own }: StoredSource): number {
  return createHash("sha256").update(own).digest().readUIntBE(0, 6);
}

/** @throws ServiceError PreconditionFailed */
function requireState(when: Precondition, version: number | undefined, name: string): void {
  if (when === "none" ? version === undefined : when === "*" ? version !== undefined : when === version)
    return;
  const now = version === undefined ? "is not there" : when === "none" ? "is there" : "was changed since";
  throw new ServiceError("PreconditionFailed", `The source ${name} ${now}: read it again and retry.`);
}

function changedAllTheTime(name: string): ServiceError {
  return new ServiceError("Unavailable", `The source ${name} keeps changing: try again.`, {
    retryAfter: 1,
  });
}

/** @throws ServiceError Validation */
async function checked(name: string, body: unknown, kinds: SourceKinds): Promise<WrittenSource> {
  const named = v.safeParse(sourceName, name);
  if (!named.success) refuse([{ path: "name", message: named.issues[0].message }]);
  const fields = typeof body === "object" && body !== null ? withoutReadOnly(body, name) : body;
  const read = v.safeParse(kinds.written(), fields);
  const issues: Issue[] = (read.issues ?? []).slice(0, 100).map((issue) => ({
    path: v.getDotPath(issue)?.slice(0, 64) ?? "",
    message:
      issue.type === "strict_object" && issue.expected === "never"
        ? "is not a field of a source"
        : issue.message,
  }));
  if (!read.typed) return refuse(issues);
  // As they are written: the plugin's schema is asked again when the source is synced.
  const options = optionsOf(withoutNulls<object>(Object(fields)));
  const found = await kinds.issues(read.output.kind, options);
  issues.push(...found.filter(({ path }) => !issues.some((issue) => issue.path === path)));
  if (issues.length > 0) return refuse(issues);
  return { ...v.parse(storedSource, read.output), ...options };
}

/** Drops read-only fields, so that a record can be sent back. @throws ServiceError Validation: another name */
function withoutReadOnly(body: object, name: string): object {
  const {
    name: nameInBody,
    changed_at: _at,
    submitted_by: _by,
    runs: _runs,
    ...fields
  }: Record<string, unknown> = { ...body };
  if (nameInBody !== undefined && nameInBody !== name)
    refuse([{ path: "name", message: "differs from the one in the path" }]);
  return fields;
}

const isName = (name: string) => v.is(sourceName, name);

function readOwn({ own }: StoredSource): WrittenSource {
  const { name: _name, ...fields } = v.parse(v.record(v.string(), v.unknown()), JSON.parse(own));
  return v.parse(storedSource, fields);
}

function nameOf(source: StoredSource): string {
  return v.parse(v.object({ name: v.string() }), JSON.parse(source.own)).name;
}

function runOf(
  { answer, failure, dryRun }: Outcome,
  { startedAt, endedAt, by }: { startedAt: string; endedAt: string; by: string },
): SourceRun {
  return readRun({
    status: failure ? "failed" : "succeeded",
    started_at: startedAt,
    ended_at: endedAt,
    by,
    dry_run: dryRun,
    added: answer?.added ?? null,
    changed: answer?.changed ?? null,
    removed: answer?.removed ?? null,
    unchanged: answer?.unchanged ?? null,
    error: failure ? textOf(failure) : null,
  });
}

const maxChars = 1_000;

/** The error in one line, with its first issues. */
function textOf(failure: ServiceError): string {
  const { kind, message, detail } = toErrorData(failure);
  const issues = v.safeParse(v.array(v.object({ path: v.string(), message: v.string() })), detail?.issues);
  const words = issues.success
    ? issues.output.slice(0, 3).map((issue) => `${issue.path}: ${issue.message}`.replace(/^: /, ""))
    : [message];
  return `${kind}: ${words.join("; ")}`.slice(0, maxChars);
}

const ownWords = [
  "Validation",
  "PayloadTooLarge",
  "TooManyRequests",
  "Unavailable",
  "Cancelled",
  "Forbidden",
  "StorageFull",
];

/** Converts errors of the source so that they are not reported as faults of the request. */
function failureOf(failure: ServiceError): ServiceError {
  if (ownWords.includes(failure.kind)) return failure;
  return new ServiceError("BusinessFailure", `The sync failed. ${textOf(failure)}`, undefined, {
    cause: failure,
  });
}

/** API records of a source and its runs. */
const ownShape = v.looseObject({ name: v.string() });

function shownSource(
  { own, changedAt, runs, ...stored }: StoredSource,
  iso: (ms: number) => string,
): SourceRecord {
  return {
    ...v.parse(ownShape, JSON.parse(own)),
    changed_at: iso(changedAt),
    submitted_by: writerIn(stored),
    runs: runs.map((run) => readRun(JSON.parse(run))),
  };
}
