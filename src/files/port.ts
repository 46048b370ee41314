/** The interface of files: what callers put into the transfer folder of this node, and take out of it. */
import type { Caller } from "../auth/port.ts";
import type { FileRecord, StoredFile } from "../model/file.ts";

/**
 * Scope `operate`, and no limit to hosts: files belong to no host. `name` is a path below the first transfer root. All
 * throw ServiceError: Forbidden (a link, a device, a limited key), Validation (a name that is none).
 */
export interface Files {
  /**
   * Writes a file, which appears when it is whole. Folders of its name are made.
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
  /** Every file, by name. */
  list(caller: Caller): Promise<FileRecord[]>;
  /** Removes a file, and folders that are empty then. @throws ServiceError NotFound */
  remove(name: string, caller: Caller): Promise<FileRecord>;
}

export interface PutOptions {
  /** As the caller stated it. */
  readonly size: number | undefined;
  /** False: one that exists is refused. */
  readonly overwrite: boolean;
  /** What it must be. */
  readonly sha256: string | undefined;
  readonly signal: AbortSignal;
  /** Told of each piece. */
  onMoved?(bytes: number): void;
}

export interface OpenedFile {
  readonly file: FileRecord;
  /** To be read, or returned: it holds the file open. */
  readonly pieces: AsyncGenerator<Uint8Array>;
}
