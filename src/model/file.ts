/** A file of the transfer folder, as in `GET /file`. */
export interface FileRecord {
  /** Path within the folder. */
  name: string;
  /** In bytes. */
  size: number;
  /** ISO 8601. */
  modified_at: string;
}

/** The answer of `PUT /file/{name}`. */
export interface StoredFile extends FileRecord {
  sha256: string;
  /** Whether it replaced a file. */
  replaced: boolean;
}
