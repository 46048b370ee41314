/** The transfer folder behind the API: atomic uploads with size and disk limits, streamed downloads. */
import { createHash, randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, link, mkdir, rename, rmdir, unlink } from "node:fs/promises";
import type { AuditAction } from "../api/admin/audit.ts";
import type { FileRecord, StoredFile } from "../api/jobs/file.ts";
import { limitWord, requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { reachOf } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import type { DiskReserve } from "../base/files/disk-reserve.ts";
import type { FolderUsage } from "../base/files/folder-usage.ts";
import { isEntryName, type OpenFolder, openFolder, outsideFolders } from "../base/files/open-folder.ts";
import { invalid } from "../base/issues.ts";
import { within } from "../base/time/deadline.ts";
import type { Files, OpenedFile, PutOptions } from "./port.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;

export interface FilesOptions {
  readonly root: string;
  readonly maxFileBytes: number;
  readonly room: FolderUsage;
  /** Checks free space. */
  readonly disk: Pick<DiskReserve, "require">;
  readonly iso: (ms: number) => string;
  /** Writes an audit entry. */
  record(entry: { caller: Caller; action: AuditAction; outcome: string; detail: string }): Promise<void>;
}

/** An upload that stalls this long is aborted. */
const stalledMs = 20_000;
/** The minimum rate of an upload. */
const slowest = { leastMs: 60_000, bytesPerS: 16 * 1024 } as const;
const pieceBytes = 256 * 1024;
/** The folder is private to the service account; files are readable, because transfers copy their mode. */
const modes = { folder: 0o700, file: 0o644 } as const;
/** Names of partial uploads; those left by a crash are removed. */
const unfinished = /^\..*\.put$/;
const leftMs = 3_600_000;

export function createFiles({ root, maxFileBytes, room, disk, iso, record }: FilesOptions): Files {
  const full = () =>
    new ServiceError(
      "StorageFull",
      "The transfer folder is full (PATCHBAY_MAX_FILES_MB): remove files to make room.",
    );
  const tooLarge = () =>
    new ServiceError("PayloadTooLarge", `The file is larger than ${maxFileBytes} bytes.`);
  const recordOf = (name: string, { size, mtimeMs }: Stats): FileRecord => ({
    name,
    size,
    modified_at: iso(mtimeMs),
  });

  /** Runs once per process. */
  let tidied: Promise<void> | undefined;

  async function prepare(caller: Caller): Promise<void> {
    requireScope(caller, "operate");
    if (reachOf(caller.hosts).limited)
      throw new ServiceError(
        "Forbidden",
        `${limitWord(caller)} is limited to certain hosts, and files do not belong to a host.`,
      );
    await mkdir(root, { recursive: true, mode: modes.folder });
  }

  async function take(
    file: FileHandle,
    body: AsyncIterable<Uint8Array>,
    { signal, onMoved }: PutOptions,
    onBytes: (bytes: number) => void,
  ): Promise<{ size: number; sha256: string }> {
    const hash = createHash("sha256");
    const startedAt = performance.now();
    let size = 0;
    for await (const piece of paced(body, signal)) {
      if (size + piece.length > maxFileBytes) throw tooLarge();
      if (!room.take(piece.length)) throw full();
      size += piece.length;
      onBytes(piece.length);
      const allowedMs = slowest.leastMs + (size / slowest.bytesPerS) * 1000;
      if (performance.now() - startedAt > allowedMs) throw tooSlow();
      hash.update(piece);
      for (let put = 0; put < piece.length; ) put += (await file.write(piece, put)).bytesWritten;
      onMoved?.(piece.length);
    }
    return { size, sha256: hash.digest("hex") };
  }

  async function write(
    folder: OpenFolder,
    last: string,
    body: AsyncIterable<Uint8Array>,
    options: PutOptions,
  ): Promise<Omit<StoredFile, "name">> {
    const before = await folder.look(last);
    if (before !== undefined && !options.overwrite) throw invalid("name", "exists (overwrite is false)");
    if (before !== undefined && (!before.isFile() || before.nlink !== 1))
      throw invalid("name", "is not a file");
    const temporaryName = `.${randomBytes(12).toString("hex")}.put`;
    const file = await folder.open(temporaryName, O_WRONLY | O_CREAT | O_EXCL, modes.file);
    let takenBytes = 0;
    const count = (bytes: number) => {
      disk.require();
      takenBytes += bytes;
    };
    try {
      const { size, sha256 } = await take(file, body, options, count).finally(() => file.close());
      if (options.size !== undefined && options.size !== size)
        throw new ServiceError("Cancelled", "The body ended early.");
      if (options.sha256 !== undefined && options.sha256 !== sha256)
        throw invalid("sha256", `does not match the received bytes, whose SHA-256 is ${sha256}`);
      if (options.overwrite) await rename(folder.at(temporaryName), folder.at(last));
      else await link(folder.at(temporaryName), folder.at(last)).catch(refuseExisting);
      const modified_at = iso((await folder.look(last))?.mtimeMs ?? Date.now());
      if (before !== undefined) room.give(before.size, 1);
      return { size, modified_at, sha256, replaced: before !== undefined };
    } catch (error) {
      room.give(takenBytes);
      throw error;
    } finally {
      await unlink(folder.at(temporaryName)).catch(() => {});
    }
  }

  return {
    async put(name, body, options, caller) {
      await prepare(caller);
      const steps = stepsOf(name);
      if (steps.at(-1)?.startsWith(".")) throw invalid("name", "must not begin with a dot");
      if (options.size !== undefined && options.size > maxFileBytes) throw tooLarge();
      disk.require();
      await room.look();
      if (!room.take(0, steps.length)) throw full();
      // A failed cleanup is retried by the next upload; it must not fail this one.
      tidied ??= removeLeft(root).catch(() => {
        tidied = undefined;
      });
      await tidied;
      const stored = await inFolderOf(root, name, true, (folder, last) => write(folder, last, body, options));
      const detail = `${name} (${stored.size} bytes, sha256 ${stored.sha256})`;
      await record({ caller, action: "file.put", outcome: stored.replaced ? "replaced" : "stored", detail });
      return { name, ...stored };
    },
    async get(name, caller) {
      await prepare(caller);
      return inFolderOf(root, name, false, async (folder, last): Promise<OpenedFile> => {
        const handle = await folder.open(last, O_RDONLY);
        const stat = await handle.stat();
        return { file: recordOf(name, stat), pieces: await opened(handle, stat.size) };
      });
    },
    async list(caller) {
      await prepare(caller);
      const records: FileRecord[] = [];
      const top = await openFolder(root, undefined);
      try {
        await walk(top, "", 0, async (path, stat) => void records.push(recordOf(path, stat)));
      } finally {
        await top.close();
      }
      return records.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async remove(name, caller) {
      await prepare(caller);
      const removed = await inFolderOf(root, name, false, async (folder, last) => {
        const stat = await folder.look(last);
        if (stat === undefined) throw new ServiceError("NotFound", "There is no file with that name.");
        if (!stat.isFile()) throw invalid("name", "is not a file");
        await unlink(folder.at(last));
        room.give(stat.size, 1);
        return recordOf(name, stat);
      });
      await removeEmpty(root, name);
      await record({ caller, action: "file.delete", outcome: "deleted", detail: name });
      return removed;
    },
  };
}

const tooSlow = () => new ServiceError("BadRequest", "The body took too long to arrive.");

async function* paced(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await within(pieces.next(), stalledMs, signal, tooSlow);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Do not wait for a stalled body.
    void Promise.resolve(pieces.return?.()).catch(() => {});
  }
}

function refuseExisting(error: NodeJS.ErrnoException): never {
  throw error.code === "EEXIST" ? invalid("name", "exists (overwrite is false)") : error;
}

/** Started, so that returning it before the first piece also closes the file. */
async function opened(handle: FileHandle, size: number): Promise<AsyncGenerator<Uint8Array>> {
  const pieces = piecesOf(handle, size);
  await pieces.next();
  return pieces;
}

async function* piecesOf(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  try {
    yield new Uint8Array();
    for (let at = 0; at < size; ) {
      const { bytesRead, buffer } = await handle.read(
        Buffer.allocUnsafe(Math.min(pieceBytes, size - at)),
        0,
        undefined,
        at,
      );
      if (bytesRead === 0) throw new ServiceError("Internal", "The file shrank while it was being read.");
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

const maxDepth = 64;

/** Regular files only; symlinks are not followed. */
async function walk(
  folder: OpenFolder,
  path: string,
  depth: number,
  onFile: (path: string, stat: Stats, folder: OpenFolder, name: string) => Promise<void>,
): Promise<void> {
  if (depth > maxDepth) return;
  for (const entry of await folder.list()) {
    if (entry.isDirectory()) {
      const inner = await folder.folder(entry.name).catch(() => undefined);
      if (inner === undefined) continue;
      await walk(inner, `${path}${entry.name}/`, depth + 1, onFile).finally(() => inner.close());
    } else if (entry.isFile()) {
      const stat = await folder.look(entry.name);
      if (stat?.isFile()) await onFile(path + entry.name, stat, folder, entry.name);
    }
  }
}

/** Partial uploads older than any running one. */
async function removeLeft(root: string): Promise<void> {
  const top = await openFolder(root, undefined);
  try {
    await walk(top, "", 0, async (_path, { mtimeMs }, folder, name) => {
      if (unfinished.test(name) && Date.now() - mtimeMs > leftMs)
        await unlink(folder.at(name)).catch(() => {});
    });
  } finally {
    await top.close();
  }
}

async function removeEmpty(root: string, name: string): Promise<void> {
  const steps = stepsOf(name).slice(0, -1);
  for (; steps.length > 0; steps.pop()) {
    const isGone = await inFolderOf(root, steps.join("/"), false, async (folder, last) =>
      rmdir(folder.at(last)).then(
        () => true,
        () => false,
      ),
    ).catch(() => false);
    if (!isGone) return;
  }
}

/** Resolves file names of callers below the transfer folder, without following symlinks. */
const maxSteps = 16;
const controls = /[\x00-\x1f\x7f]/;

/** @throws ServiceError Validation */
function stepsOf(name: string): string[] {
  const steps = name.split("/");
  const isWrong = (step: string) => !isEntryName(step) || controls.test(step) || step.includes("\ufffd");
  if (steps.length <= maxSteps && name.isWellFormed() && !steps.some(isWrong)) return steps;
  throw invalid(
    "name",
    `must be the name of a file, or a path of at most ${maxSteps} names without . and ..`,
  );
}

/**
 * Runs an action with the folder of a file held open.
 * @throws ServiceError Forbidden: a symlink in the path; NotFound
 */
async function inFolderOf<T>(
  root: string,
  name: string,
  make: boolean,
  work: (folder: OpenFolder, last: string) => Promise<T>,
): Promise<T> {
  const steps = stepsOf(name);
  const last = steps.pop() ?? "";
  const folders: OpenFolder[] = [];
  try {
    let folder = await openFolder(root, undefined);
    folders.push(folder);
    for (const step of steps) {
      folder = await folder.folder(step, make);
      folders.push(folder);
    }
    return await work(folder, last);
  } catch (error) {
    throw fileError(error);
  } finally {
    for (const folder of folders) await folder.close();
  }
}

/** Converts a file system error to an API error. */
function fileError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return new ServiceError("NotFound", "There is no file with that name.");
  if (code === "ELOOP" || code === "ENOTDIR" || code === "EISDIR" || code === "ENXIO")
    return outsideFolders();
  if (code === "ENOSPC" || code === "EDQUOT")
    return new ServiceError("StorageFull", "The disk of the transfer folder is full.");
  return error;
}
