/**
 * A bare repository that the service owns: versions are appended as packs by `git fast-import`. Where it stands is read
 * from its newest commit, so it may be removed at any time: made again, its ids are equal.
 */
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import { endEarlierRuns } from "../../base/git/earlier-runs.ts";
import { type GitOptions, type GitProcess, gitSettings, runGit, startGit } from "../../base/git/git.ts";
import {
  branch,
  commitOf,
  concerns,
  type ExportedVersion,
  type KeptRecord,
  type Place,
  positionIn,
  recordCommitOf,
} from "./commit.ts";

interface RepositoryOptions extends Place {
  /** Created if it is missing. Nothing else may write there. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Commits after which what was written is kept, whatever happens then. */
  readonly checkpointCommits?: number;
  /** Default: `git`. */
  readonly program?: string;
}

export type HistoryRepositoryOptions = RepositoryOptions;
export type HistoryRepository = GrowingRepository<ExportedVersion>;
/** Of records that are never changed. */
export type RecordRepository = GrowingRepository<KeptRecord>;

interface Commits<T> {
  /** Undefined: it does not concern the repository. */
  commitOf(item: T, continues: boolean): Buffer | undefined;
}

export interface GrowingRepository<T> {
  /** The newest commit; undefined: there is none. Removes first what a killed run left: nothing may write meanwhile. */
  head(): Promise<Head | undefined>;
  /**
   * Writes what comes after its newest commit.
   * @param after versions or records in the order of their positions, from the first one above the given position
   * @throws ServiceError StorageFull, CommandError: what was written before stays
   */
  append(after: (position: number) => AsyncIterable<T>): Promise<Head | undefined>;
  /** Removes it: the next use makes it again. */
  reset(): Promise<void>;
  /**
   * Continues what was fetched from a remote, in place of what it has: the store may have deleted its first versions.
   * @returns undefined if another program or installation made it: then nothing is changed
   */
  adopt(): Promise<Head | undefined>;
  /**
   * Continues what was fetched from a remote, if that is what it has and more. Nothing is ever left behind.
   * @returns false: the remote has other commits; nothing is changed
   */
  follow(): Promise<boolean>;
  /** The text of a file of its newest commit; empty: there is none. */
  textAt(path: string): Promise<string>;
  /** A Git bundle as a stream. @throws ServiceError NotFound: it holds no version */
  bundle(signal: AbortSignal): Promise<Pick<GitProcess, "stdout" | "ended" | "stop">>;
}

export interface Head {
  readonly id: string;
  /** Of its version. */
  readonly position: number;
  /** When that was taken, in seconds since 1970. */
  readonly takenAt: number;
}

/** Where a task of the device threads puts what it has fetched. */
const fetchedBranch = "refs/fetched/main";
/** The same by size. */
const checkpointBytes = 256 * 1024 * 1024;
/** Packs that are combined: each export adds one. */
const maxPacks = 24;
/** Of reading and small writes. */
const shortMs = 120_000;
/** Of writing all versions there are, or a bundle. */
const longMs = 6 * 3_600_000;
const maxPrinted = 1024 * 1024;

export function createHistoryRepository(options: HistoryRepositoryOptions): HistoryRepository {
  return createRepository(options, {
    commitOf: (version, continues) =>
      concerns(version, options.folder) ? commitOf(version, options, continues) : undefined,
  });
}

export function createRecordRepository(options: Omit<RepositoryOptions, "folder">): RecordRepository {
  const { installation } = options;
  return createRepository(options, {
    commitOf: (record, continues) => recordCommitOf(record, installation, continues),
  });
}

function createRepository<T>(options: RepositoryOptions, form: Commits<T>): GrowingRepository<T> {
  const { path, signal, checkpointCommits = 5_000, program = "git" } = options;
  const env = {
    GIT_DIR: path,
    ...gitSettings([
      ["safe.directory", path],
      ["pack.threads", "1"],
      ["pack.windowMemory", "64m"],
      ["core.bigFileThreshold", "64m"],
    ]),
  };
  const how = (limitMs: number): GitOptions => ({ folder: path, signal, limitMs, env, program });
  const git = (args: readonly string[], alsoEnds: readonly number[] = [], limitMs = shortMs) =>
    runGit(args, { ...how(limitMs), alsoEnds, maxOutput: maxPrinted });
  let opened: Promise<void> | undefined;

  async function open(): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await endEarlierRuns(path);
    await removeLeftovers(path);
    if (await isIntact()) return;
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: 0o700 });
    await git(["init", "--quiet", "--bare", "--template=", "--initial-branch=main", "."]);
  }

  /** Whether its newest commit and all files of it can be read; a power cut may have emptied a pack. */
  async function isIntact(): Promise<boolean> {
    if ((await stat(join(path, "HEAD")).catch(() => undefined)) === undefined) return false;
    try {
      const id = await headId();
      if (id !== undefined) await git(["rev-list", "--objects", "--quiet", "--max-count=1", id]);
      return true;
    } catch (error) {
      if (signal.aborted || toErrorData(error).kind !== "CommandError") throw error;
      return false;
    }
  }

  async function headId(): Promise<string | undefined> {
    const id = (await git(["rev-parse", "--verify", "--quiet", branch], [1])).trim();
    return id === "" ? undefined : id;
  }

  async function head(): Promise<Head | undefined> {
    await ready();
    const id = await headId();
    if (id === undefined) return undefined;
    const found = await headAt(id);
    if (found === undefined)
      throw new ServiceError("CommandError", `The newest commit of ${path} was not made by this service.`);
    return found;
  }

  async function headAt(id: string): Promise<Head | undefined> {
    const commit = await git(["cat-file", "commit", id]);
    const position = positionIn(commit, options.installation);
    const takenAt = Number(/^committer .* (\d+) \+0000$/m.exec(commit)?.[1]);
    return position === undefined ? undefined : { id, position, takenAt };
  }

  async function ready(): Promise<void> {
    opened ??= open();
    try {
      await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  }

  async function adopt(): Promise<Head | undefined> {
    await ready();
    const id = (await git(["rev-parse", "--verify", "--quiet", fetchedBranch], [1])).trim();
    if (id === "") return undefined;
    const found = await headAt(id);
    if (found !== undefined) await git(["update-ref", branch, id]);
    await git(["update-ref", "-d", fetchedBranch]);
    return found;
  }

  async function follow(): Promise<boolean> {
    await ready();
    const theirs = (await git(["rev-parse", "--verify", "--quiet", fetchedBranch], [1])).trim();
    if (theirs === "") return true;
    const own = await headId();
    const follows = async (later: string, earlier: string) =>
      (await git(["rev-list", "--count", earlier, "--not", later])).trim() === "0";
    const isMore = own === undefined || (await follows(theirs, own));
    const isKnown = isMore && (await headAt(theirs)) !== undefined;
    if (isKnown) await git(["update-ref", branch, theirs]);
    const isOurs = isKnown || (own !== undefined && (await follows(own, theirs)));
    await git(["update-ref", "-d", fetchedBranch]);
    return isOurs;
  }

  async function append(after: (position: number) => AsyncIterable<T>): Promise<Head | undefined> {
    const before = await head();
    await write(after(before?.position ?? 0), before !== undefined);
    await combinePacks();
    return head();
  }

  async function write(versions: AsyncIterable<T>, hasBranch: boolean): Promise<void> {
    // Nothing is started, and no pack is made, if there is nothing to write.
    const source = versions[Symbol.asyncIterator]();
    let running: ReturnType<typeof startGit> | undefined;
    let continues = hasBranch;
    let commits = 0;
    let bytes = 0;
    try {
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        const commit = form.commitOf(next.value, continues);
        if (commit === undefined) continue;
        running ??= startGit(["fast-import", "--quiet", "--done"], how(longMs));
        running.stdout.resume();
        continues = false;
        commits += 1;
        bytes += commit.length;
        await send(running, commit);
        if (commits < checkpointCommits && bytes < checkpointBytes) continue;
        await send(running, Buffer.from("checkpoint\n\n"));
        commits = 0;
        bytes = 0;
      }
      running?.stdin.end("done\n");
      await running?.ended;
    } catch (error) {
      running?.stop(error);
      // What git says about it comes before what became of the pipe.
      await running?.ended;
      throw error;
    } finally {
      await source.return?.();
      await running?.gone;
      // Its unfinished pack would take the space that the next attempt needs.
      await removeLeftovers(path).catch(() => {});
    }
  }

  async function combinePacks(): Promise<void> {
    const files = await readdir(join(path, packs)).catch(() => []);
    if (files.filter((name) => name.endsWith(".pack")).length <= maxPacks) return;
    await git(["repack", "-d", "-n", "--geometric=2", "--quiet"], [], longMs);
  }

  return {
    async head() {
      await ready();
      await removeLeftovers(path);
      return head();
    },
    append,
    adopt,
    follow,
    async textAt(file) {
      await ready();
      return git(["cat-file", "blob", `${branch}:${file}`], [128]);
    },
    async reset() {
      opened = undefined;
      await rm(path, { recursive: true, force: true });
    },
    async bundle(listener) {
      if ((await head()) === undefined)
        throw new ServiceError("NotFound", "There is no version to export yet: take one first.");
      const both = AbortSignal.any([signal, listener]);
      const { stdin, stdout, ended, stop } = startGit(["bundle", "create", "--quiet", "-", "HEAD", branch], {
        ...how(longMs),
        signal: both,
      });
      stdin.end();
      return { stdout, ended, stop };
    },
  };
}

/** Waits while git does not read. @throws ServiceError why it ended */
async function send({ stdin, ended }: ReturnType<typeof startGit>, piece: Buffer): Promise<void> {
  if (stdin.write(piece)) return;
  const drained = Promise.withResolvers<void>();
  stdin.once("drain", drained.resolve);
  const early = ended.then(() => {
    throw new ServiceError("CommandError", "git fast-import ended before the last version.");
  });
  // Not its broken pipe, which comes before what git says about it.
  await Promise.race([drained.promise, early]);
}

/**
 * Of a run that was killed: unfinished packs, marks that keep a pack, locks, reports. A mark or a lock would refuse each
 * later run that makes the same pack or writes the same branch.
 */
async function removeLeftovers(path: string): Promise<void> {
  for (const folder of [".", "refs", "refs/heads", "refs/fetched", "objects", packs]) {
    const names = await readdir(join(path, folder)).catch(() => []);
    for (const name of names)
      if (isLeftover(name) || (folder === packs && isUnfinished(name, names)))
        await rm(join(path, folder, name), { recursive: true, force: true });
  }
}

const packs = "objects/pack";

const isLeftover = (name: string) => /^(?:\.?tmp[_-]|fast_import_crash_)|\.(?:lock|keep)$/.test(name);

/** The index of a pack comes last, and goes first. */
function isUnfinished(name: string, all: readonly string[]): boolean {
  const stem = /^(pack-[0-9a-f]+)\./.exec(name)?.[1];
  return stem !== undefined && !all.includes(`${stem}.idx`);
}
