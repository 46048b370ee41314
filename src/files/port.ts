/** The interface of files in the transfer folder of this node. */

import type { FileRecord, StoredFile } from "../api/jobs/file.ts";
import type { Caller } from "../auth/port.ts";

/**
 * Needs scope `operate` and a key without host limits: files belong to no host. `name` is a path below the first
 * transfer root. All throw ServiceError: Forbidden (a symlink, a device file, a limited key), Validation (the name).
 */
export interface Files {
  /**
   * Writes a file atomically, and creates its folders.
   * @throws ServiceError PayloadTooLarge, StorageFull, Validation (it exists, or has another SHA-256), BadRequest (too
   * slow), Cancelled (the body ended early)
   */
  put(
    name: string,
    body: AsyncIterable<Uint8Array>,
    options: PutOptions,
    caller: Caller,
  ): Promise<StoredFile>;
  /** @throws ServiceError NotFound */
  get(name: string, caller: Caller): Promise<OpenedFile>;
  /** All files, sorted by name. */
  list(caller: Caller): Promise<FileRecord[]>;
  /** Removes a file, and its folders if empty. @throws ServiceError NotFound */
  remove(name: string, caller: Caller): Promise<FileRecord>;
}

export interface PutOptions {
  /** Content-Length of the request. */
  readonly size: number | undefined;
  /** If false, an existing file is refused. */
  readonly overwrite: boolean;
  /** The expected hash. */
  readonly sha256: string | undefined;
  readonly signal: AbortSignal;
  /** Called for each piece. */
  onMoved?(bytes: number): void;
}

export interface OpenedFile {
  readonly file: FileRecord;
  /** Must be consumed or returned: it holds the file open. */
  readonly pieces: AsyncGenerator<Uint8Array>;
}
