/** SSH as drivers see it: connect, run a command, move files. */
import type { Secret } from "../base/secret.ts";
import type { Context } from "./kit.ts";

export interface SshKit {
  /** @throws ServiceError ConnectionTimeout, ConnectionRefused, HostUnreachable, AuthenticationFailed, HostKeyMismatch */
  connect(target: SshTarget, ctx: Context): Promise<SshConnection>;
}

export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password?: Secret;
  /** Private keys in PEM or OpenSSH form, tried in order. */
  readonly keys?: readonly { readonly pem: Secret; readonly passphrase?: Secret; readonly label: string }[];
  /** Use the agent of the service's user (only where the operator allows it). */
  readonly agent?: boolean;
  readonly connectTimeoutMs: number;
  readonly bannerTimeoutMs?: number;
  readonly authTimeoutMs?: number;
  readonly keepaliveMs?: number;
  readonly compress?: boolean;
  /** `legacy` also offers group1/group14-sha1, CBC ciphers, hmac-md5 and ssh-rsa. */
  readonly profile: "modern" | "legacy";
  readonly hostKeyPolicy: "auto_add" | "warning" | "reject";
  /** The jump host, which may have one of its own. */
  readonly via?: SshTarget;
}

export interface SshConnection {
  /** SHA256 fingerprint of the key the server showed, and whether the policy only warned. */
  readonly hostKey: { readonly type: string; readonly fingerprint: string; readonly warning?: string };
  /** Runs one command; both streams are read at once. A close without an exit status is ConnectionLost. */
  exec(command: string, options: ExecOptions, ctx: Context): Promise<ExecResult>;
  /** A channel to a subsystem of the server, such as `netconf`. */
  subsystem(name: string, ctx: Context): Promise<SshChannel>;
  /**
   * A channel to a port that the server reaches: port forwarding. The server looks the name up.
   * @throws PluginError Forbidden: the key of the caller may not reach that host
   */
  forward(to: { readonly host: string; readonly port: number }, ctx: Context): Promise<SshChannel>;
  upload(options: TransferOptions, ctx: Context): Promise<TransferResult>;
  download(options: TransferOptions, ctx: Context): Promise<TransferResult>;
  /** False once the transport has ended. */
  alive(): boolean;
  /** Called once when the transport ends by itself. */
  onLost(listener: () => void): void;
  close(): Promise<void>;
}

/** Bytes in, bytes out. It ends with its connection. */
export interface SshChannel {
  /** Text is sent as UTF-8. What is written after the end is dropped: `onClose` has told. */
  write(data: string | Uint8Array): void;
  /** One listener; what came before it was set is kept and given first. */
  onData(listener: (chunk: Uint8Array) => void): void;
  /** Called once, also when it is closed already; with an error where it ended badly. */
  onClose(listener: (error?: Error) => void): void;
  /** Says goodbye and waits until the far side has closed, or a short grace is over. */
  end(): Promise<void>;
  /** Closes at once. */
  destroy(): void;
}

export interface ExecOptions {
  readonly pty?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers a prompt on the output once, e.g. that of sudo; the reply never shows in the result. */
  readonly answer?: { readonly prompt: RegExp; readonly reply: Secret };
  readonly timeoutMs?: number;
  /** Stops with OutputTooLarge above this many bytes of one stream; default 8 MiB. */
  readonly maxBytes?: number;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitStatus: number;
  readonly signal?: string;
}

export interface TransferOptions {
  readonly localPath: string;
  readonly remotePath: string;
  readonly resume?: boolean;
  readonly chunkBytes?: number;
  readonly timeoutMs?: number;
  readonly by?: "sftp" | "scp";
}

export interface TransferResult {
  readonly bytesTransferred: number;
  readonly totalBytes: number;
  readonly resumed: boolean;
  /** Of the whole file. */
  readonly sha256: string;
}
