/** Git remotes: good versions are written to repositories of this node, which are pushed; bundles of them. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as v from "valibot";
import {
  groupPlace,
  type RemoteRecord,
  type RemoteRequest,
  remoteLimits,
  remoteName,
  remoteRequest,
  storedRemote,
} from "../../api/history/history-remote.ts";
import { writerIn } from "../../api/jobs/job.ts";
import { requireScope, submitterNamed } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { reachOf } from "../../auth/reach.ts";
import { requireRight } from "../../auth/rights.ts";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import { refuse } from "../../base/issues.ts";
import { withoutNulls } from "../../base/json/members.ts";
import type { Log } from "../../base/log.ts";
import { pause } from "../../base/time/deadline.ts";
import { checkShape } from "../../jobs/request/validate.ts";
import type { ListedRemote, Store, StoredRemote } from "../../store/port.ts";
import { concerns, type KeptRecord } from "../git/commit.ts";
import { exportedFacts, exportedVersions } from "../git/exported.ts";
import { folderOf } from "../git/layout.ts";
import {
  createHistoryRepository,
  createRecordRepository,
  type Head,
  type HistoryRepository,
  type RecordRepository,
} from "../git/repository.ts";
import type { ReachRemote, Remotes, RemoteWork } from "./port.ts";

export interface RemotesOptions {
  readonly store: Pick<Store, "history" | "remotes" | "clock">;
  /** Where the repositories are kept: of this node alone, and made again if they are removed. */
  readonly folder: string;
  readonly log: Log;
  readonly iso: (ms: number) => string;
  readonly reach: ReachRemote;
  /** @throws ServiceError Forbidden, Validation: the key may not use the credential */
  readonly checkCredential: (reference: Record<string, unknown>, caller: Caller) => Promise<void>;
  /** The caller of a key; undefined: it was revoked or has expired. */
  ownerOf(keyId: string): Promise<Caller | undefined>;
}

/** A push takes no longer; another node may begin one then. */
const claimMs = 15 * 60_000;
/** Least time between pushes, so that the versions of a round go together. */
const restMs = 30_000;
const retryMs = { first: 60_000, most: 3_600_000 } as const;
const maxGroups = 1_000;
/** Exports that are sent at once. */
const maxBundles = 2;
const maxError = 1_000;
const stopMs = 3_000;

export function createRemotes(options: RemotesOptions): Remotes {
  const { store, folder, log, iso, reach, checkCredential, ownerOf } = options;
  const { remotes } = store;
  const stopping = new AbortController();
  const repositories = new Map<string, { readonly repository: HistoryRepository; readonly path: string }>();
  const records = new Map<string, RecordRepository>();
  /** Remotes that this node is pushing. */
  const pushing = new Map<string, Promise<void>>();
  let bundles = 0;
  /** The last use of a repository; the next one waits for it. */
  let writing: Promise<unknown> = Promise.resolve();
  let installation: Promise<string> | undefined;

  function requireReader(caller: Caller): void {
    requireScope(caller, "read");
    requireRight(caller, "history");
    if (reachOf(caller.hosts).limited)
      throw new ServiceError(
        "Forbidden",
        "A key that may reach some hosts only cannot export the history of all.",
      );
  }

  function requireWriter(caller: Caller): void {
    requireScope(caller, "admin");
    requireReader(caller);
  }

  async function stored(name: string): Promise<ListedRemote> {
    const found = v.is(remoteName, name) ? await remotes.get(name) : undefined;
    if (found) return found;
    throw new ServiceError("NotFound", "There is no remote with that name.");
  }

  async function recordOf(remote: ListedRemote): Promise<RemoteRecord> {
    const spec = specOf(remote);
    const waiting = await remotes.countAfter(remote.pushedN);
    const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));
    return {
      name: remote.name,
      ...spec,
      changed_at: iso(remote.changedAt),
      submitted_by: writerIn(remote),
      state: remote.error !== null ? "failing" : waiting === 0 ? "current" : spec.enabled ? "behind" : "off",
      waiting,
      pushed_at: isoOrNull(remote.pushedAt),
      head: remote.head,
      error: remote.error,
      failing_since: isoOrNull(remote.failingSince),
    };
  }

  function installationWord(): Promise<string> {
    // The same for all nodes and for the life of the installation; the key of its marks cannot be found from it.
    installation ??= store.history.markKey().then((key) => digestOf(`git ${key}`));
    installation.catch(() => {
      installation = undefined;
    });
    return installation;
  }

  async function repositoryOf(group: string | undefined) {
    const word = await installationWord();
    const key = group ?? "";
    let known = repositories.get(key);
    if (known === undefined) {
      const path = group === undefined ? join(folder, "all.git") : join(folder, "groups", `${group}.git`);
      const repository = createHistoryRepository({
        ...{ path, installation: word, folder: group, signal: stopping.signal },
      });
      known = { repository, path };
      repositories.set(key, known);
    }
    return known;
  }

  /** One at a time: a repository has one writer, and the disk and the store are for others, too. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const done = writing.then(work, work);
    writing = done.catch(() => {});
    return done;
  }

  function append(repository: HistoryRepository, group: string | undefined): Promise<Head | undefined> {
    return repository.append((position) =>
      exportedVersions(store, position, (facts) => concerns(facts, group)),
    );
  }

  /** Whether a commit is of a version that the store has, or has deleted: a restored store is behind. */
  async function isOfStore({ position, takenAt }: Head): Promise<boolean> {
    if (position > (await remotes.newestN())) return false;
    const [version] = await remotes.exported(position - 1, 1);
    return version?.n !== position || Math.floor(version.takenAt / 1000) === takenAt;
  }

  async function upToDate(
    repository: HistoryRepository,
    group: string | undefined,
  ): Promise<Head | undefined> {
    const head = await repository.head();
    if (head !== undefined && !(await isOfStore(head))) await repository.reset();
    return append(repository, group);
  }

  async function groupsToPush({ url }: RemoteRequest, after: number): Promise<(string | undefined)[]> {
    if (!url.includes(groupPlace)) return [undefined];
    const folders = new Set<string>();
    for await (const { group, formerly } of exportedFacts(store, after)) {
      folders.add(folderOf(group));
      if (formerly !== undefined) folders.add(folderOf(formerly.group));
      if (folders.size > maxGroups)
        throw new ServiceError(
          "TooManyRequests",
          `There are more than ${maxGroups} groups: use one repository.`,
        );
    }
    return [...folders].sort();
  }

  async function pushGroup(
    spec: RemoteRequest,
    group: string | undefined,
    owner: Caller,
    signal: AbortSignal,
  ) {
    const { repository, path } = await repositoryOf(group);
    const run = (does: RemoteWork["does"], head: string) =>
      reach({ ...workOf(spec, group), does, path, head }, owner, signal);
    const head = await upToDate(repository, group);
    if (head === undefined) return null;
    try {
      return (await run("push", head.id)).head;
    } catch (error) {
      if (toErrorData(error).kind !== "Conflict") throw error;
      // What this installation pushed before the repository of this node was lost, or another node did.
      await run("fetch", head.id);
      const theirs = await repository.adopt();
      if (theirs === undefined) throw error;
      if (!(await isOfStore(theirs))) throw restored();
      const next = await append(repository, group);
      return next === undefined ? null : (await run("push", next.id)).head;
    }
  }

  async function writerOf(remote: StoredRemote): Promise<Caller> {
    const owner = await ownerOf(remote.owner);
    if (owner === undefined)
      throw new ServiceError(
        "Forbidden",
        "The API key that wrote this remote was revoked or has expired: write it again.",
      );
    requireWriter(owner);
    return owner;
  }

  async function keepRecord(name: string, branch: string, record: KeptRecord): Promise<void> {
    const remote = await stored(name);
    const spec = specOf(remote);
    if (spec.url.includes(groupPlace))
      throw new ServiceError(
        "Validation",
        `The remote ${name} has a repository for each group: name another.`,
      );
    const owner = await writerOf(remote);
    const path = join(folder, "records", `${name}.git`);
    let repository = records.get(name);
    if (repository === undefined) {
      const word = await installationWord();
      repository = createRecordRepository({ path, installation: word, signal: stopping.signal });
      records.set(name, repository);
    }
    const run = (does: RemoteWork["does"], head: string) =>
      reach({ ...workOf(spec, undefined), branch, does, path, head }, owner, stopping.signal);
    const before = await repository.head();
    await run("fetch", before?.id ?? "");
    if (!(await repository.follow())) throw otherCommits(name, branch);
    const head = await repository.append(async function* (position) {
      if (record.position > position) yield record;
    });
    // Somebody else may have added commits that say that they are later.
    if (head === undefined || (await repository.textAt(record.path)) !== record.text)
      throw otherCommits(name, branch);
    await run("push", head.id);
  }

  async function pushAll(remote: StoredRemote, signal: AbortSignal) {
    const spec = specOf(remote);
    const owner = await writerOf(remote);
    const pushedN = await remotes.newestN();
    const groups = await groupsToPush(spec, remote.pushedN);
    let head: string | null = groups.length === 0 ? remote.head : null;
    for (const group of groups) {
      signal.throwIfAborted();
      const pushed = await alone(() => pushGroup(spec, group, owner, signal)).catch((error) => {
        throw group === undefined ? error : named(error, group);
      });
      head = group === undefined ? pushed : null;
    }
    return { pushedN, head };
  }

  async function pushClaimed(remote: StoredRemote, signal: AbortSignal): Promise<void> {
    const { name, own } = remote;
    try {
      const pushed = await pushAll(remote, signal);
      await remotes.settle({ name, own, ...pushed, againMs: restMs });
      log.info("history.pushed", { remote: name, head: pushed.head });
    } catch (error) {
      if (stopping.signal.aborted)
        return await remotes.settle({ name, own, error: remote.error ?? stoppedText, againMs: 0 });
      const { kind, message } = toErrorData(error);
      const againMs = Math.min(retryMs.most, retryMs.first * 2 ** Math.min(10, remote.failures));
      await remotes.settle({ name, own, error: `${kind}: ${message}`.slice(0, maxError), againMs });
      log.warn("history.not_pushed", { remote: name, reason: `${kind}: ${message}` });
    }
  }

  /** @returns when it has ended */
  function begin(remote: StoredRemote, signal: AbortSignal): Promise<void> {
    const done = pushClaimed(remote, signal).finally(() => pushing.delete(remote.name));
    pushing.set(remote.name, done);
    return done;
  }

  return {
    async list(caller, { submitted_by } = {}) {
      requireReader(caller);
      const records: RemoteRecord[] = [];
      for (const remote of await remotes.list(submitterNamed(submitted_by, caller)))
        records.push(await recordOf(remote));
      return records;
    },

    async read(name, caller) {
      requireReader(caller);
      return recordOf(await stored(name));
    },

    async put(name, body, caller) {
      requireWriter(caller);
      if (!v.is(remoteName, name))
        refuse([{ path: "name", message: "must be up to 64 letters, digits, `.`, `_` and `-`" }]);
      const spec = checkShape(remoteRequest, withoutReadOnly(body));
      if (spec.credential) await checkCredential(spec.credential, caller);
      const own = JSON.stringify(withoutNulls<RemoteRequest>(spec));
      const outcome = await remotes.put({ name, own, owner: caller.keyId }, caller);
      if (outcome === "full")
        throw new ServiceError(
          "TooManyRequests",
          `There are ${remoteLimits.most} remotes already: remove one.`,
        );
      return { record: await recordOf(await stored(name)), added: outcome === "added" };
    },

    async remove(name, caller) {
      requireWriter(caller);
      if (!(await remotes.remove((await stored(name)).name, caller))) await stored(name);
    },

    async push(name, caller, signal) {
      requireWriter(caller);
      await stored(name);
      if (pushing.has(name))
        throw new ServiceError("InProgress", `The remote ${name} is being pushed.`, { retryAfter: 5 });
      const claimed = await remotes.claim(claimMs, name);
      if (claimed !== undefined) await begin(claimed, AbortSignal.any([signal, stopping.signal]));
      const record = await recordOf(await stored(name));
      if (record.error !== null)
        throw new ServiceError("BusinessFailure", `The push failed. ${record.error}`);
      return record;
    },

    async bundle(group, caller, signal) {
      requireReader(caller);
      if (bundles >= maxBundles)
        throw new ServiceError("TooManyRequests", `${maxBundles} exports are being sent.`, {
          retryAfter: 10,
        });
      bundles++;
      const ended = () => void bundles--;
      try {
        const named = group === undefined ? undefined : folderOf(group);
        const { repository } = await repositoryOf(named);
        await alone(() => upToDate(repository, named));
        return pieces(await repository.bundle(signal), ended);
      } catch (error) {
        ended();
        throw error;
      }
    },

    keep: (name, branch, record) => alone(() => keepRecord(name, branch, record)),

    async pushDue() {
      const remote = await remotes.claim(claimMs);
      if (remote === undefined || stopping.signal.aborted) return false;
      if (pushing.has(remote.name)) return true;
      if (!specOf(remote).enabled) return true;
      await begin(remote, stopping.signal);
      return true;
    },

    async stop() {
      stopping.abort(new ServiceError("Cancelled", stoppedText));
      await Promise.race([Promise.allSettled(pushing.values()), pause(stopMs)]);
    },
  };
}

function restored(): ServiceError {
  const text =
    "The remote has versions that this store does not have: it was restored from a backup. Nothing was pushed. Name another branch or repository, which then holds what the store has.";
  return new ServiceError("Conflict", text);
}

function otherCommits(name: string, branch: string): ServiceError {
  const text = `The branch ${branch} of the remote ${name} does not have the commits that this service pushed, or has others after a rewrite. Nothing was pushed, and nothing is ever forced. Find out who rewrote it, then name another remote.`;
  return new ServiceError("Conflict", text);
}

const stoppedText = "The service was stopped during the push: it is repeated.";

async function* pieces(
  { stdout, ended, stop }: Awaited<ReturnType<HistoryRepository["bundle"]>>,
  onEnd: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of stdout) yield piece;
    await ended;
  } finally {
    stop(new ServiceError("Cancelled", "The export is no longer read."));
    onEnd();
  }
}

function specOf({ own }: StoredRemote): RemoteRequest {
  return v.parse(storedRemote, JSON.parse(own));
}

function workOf({ url, branch, verify, credential, ca, host_key }: RemoteRequest, group: string | undefined) {
  return {
    url: group === undefined ? url : url.replaceAll(groupPlace, encodeURIComponent(group)),
    ...{ branch, verify },
    ...(credential ? { credential } : {}),
    ...(ca ? { authorities: ca } : {}),
    ...(host_key ? { hostKey: host_key } : {}),
  };
}

function named(error: unknown, group: string): ServiceError {
  const { kind, message, detail } = toErrorData(error);
  return new ServiceError(kind, `Repository ${group}: ${message}`, detail, { cause: error });
}

const readOnly = [
  "name",
  "changed_at",
  "submitted_by",
  "state",
  "waiting",
  "pushed_at",
  "head",
  "error",
  "failing_since",
];

/** So that a record can be sent back. */
function withoutReadOnly(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([field]) => !readOnly.includes(field)));
}

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);
