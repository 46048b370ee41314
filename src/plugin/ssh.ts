/** SSH as drivers see it: connect, run a command, move files. */
import type { ByteStream } from "../base/byte-stream.ts";
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
  /** Tried in order, after the password unless `keysFirst`. */
  readonly keys?: readonly PrivateKey[];
  /** Keys and agent before the password. */
  readonly keysFirst?: boolean;
  /** Use the agent of the service's user (only where the operator allows it). */
  readonly agent?: boolean;
  /** From the first packet to the end of the login, unless the two below say otherwise. */
  readonly connectTimeoutMs: number;
  /** For the server's first line, within `connectTimeoutMs`. */
  readonly bannerTimeoutMs?: number;
  /** For the login alone, in place of what is left of `connectTimeoutMs`. */
  readonly authTimeoutMs?: number;
  readonly keepaliveMs?: number;
  readonly compress?: boolean;
  /** `legacy` also offers group1/group14-sha1, CBC ciphers, hmac-md5 and ssh-rsa. */
  readonly profile: "modern" | "legacy";
  readonly hostKeyPolicy: HostKeyPolicy;
  /** The jump host, which may have one of its own. */
  readonly via?: SshTarget;
}

export interface PrivateKey {
  /** PEM, PKCS#8, OpenSSH or PuTTY form. */
  readonly pem: Secret;
  readonly passphrase?: Secret;
  /** Names the key in messages, such as its field or file. */
  readonly label: string;
}

/** `auto_add`: unknown is learned, changed is refused. `warning`: both pass, with a warning. `reject`: known ones only. */
export type HostKeyPolicy = "auto_add" | "warning" | "reject";

export interface HostKey {
  /** `ssh-ed25519`, `ssh-rsa`, … */
  readonly type: string;
  /** `SHA256:…` as OpenSSH prints it. */
  readonly fingerprint: string;
}

export interface AcceptedHostKey extends HostKey {
  /** Set where the policy only warns. */
  readonly warning?: string;
}

export interface SshConnection {
  /** The key that the server showed. */
  readonly hostKey: AcceptedHostKey;
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

/** It ends with its connection. */
export type SshChannel = ByteStream;

export interface ExecOptions {
  readonly pty?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers a prompt on the output once, e.g. that of sudo; prompt and reply never show in the result. */
  readonly answer?: { readonly prompt: RegExp; readonly reply: Secret };
  /** Of the whole command, not of its silence. */
  readonly timeoutMs?: number;
  /** What it reads; its input ends behind it. Default: nothing, and with `pty` no end. */
  readonly input?: string;
  /** A mark that the command writes when it is ready to read: until then it gets no input. It never shows in the result. */
  readonly ready?: RegExp;
  /** Stops with OutputTooLarge above this many bytes of one stream; default 8 MiB. */
  readonly maxBytes?: number;
  /** In place of OutputTooLarge: what is more is left out, and the command goes on. */
  readonly truncate?: boolean;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitStatus: number;
  /** What ended it, such as `SIGKILL`. */
  readonly signal?: string;
  /** Some was left out (`truncate`). */
  readonly truncated?: boolean;
  /** How often the prompt of `answer` was seen; more than once: the reply was not taken. */
  readonly answers?: number;
}

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
}

export interface TransferResult {
  readonly bytesTransferred: number;
  readonly totalBytes: number;
  readonly resumed: boolean;
  /** Of the whole file. */
  readonly sha256: string;
}
