/** A file transfer as the host asks for it: what a driver may say of it, and who is told how far it is. */
import type { TransferOptions } from "../plugin/ssh.ts";

export interface FileTransfer extends TransferOptions {
  readonly onProgress?: (movedBytes: number, totalBytes: number) => void;
}
