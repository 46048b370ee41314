/** A file of the transfer folder as `GET /file` shows it. */
export interface FileRecord {
  /** Path below the folder. */
  name: string;
  /** Bytes. */
  size: number;
  /** ISO 8601. */
  modified_at: string;
}

/** What `PUT /file/{name}` answers with. */
export interface StoredFile extends FileRecord {
  sha256: string;
  /** There was one of that name. */
  replaced: boolean;
}
