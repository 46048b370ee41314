/** What a file transfer takes and gives, by SFTP or SCP. */

export interface TransferOptions {
  readonly localPath: string;
  readonly remotePath: string;
  /** Goes on where an earlier transfer of the same file ended; only by SFTP. */
  readonly resume?: boolean;
  readonly chunkBytes?: number;
  /** Of the whole transfer. */
  readonly timeoutMs?: number;
  /** Default: SFTP, and SCP where the server has no SFTP. */
  readonly by?: "sftp" | "scp";
  readonly onProgress?: (movedBytes: number, totalBytes: number) => void;
}

export interface TransferResult {
  readonly bytesTransferred: number;
  readonly totalBytes: number;
  readonly resumed: boolean;
  /** Of the whole file. */
  readonly sha256: string;
}
