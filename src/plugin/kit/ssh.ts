/** SSH for drivers: connect, run a command, open a subsystem or a shell, forward a port, transfer files. */
import type { ByteStream } from "../../base/net/byte-stream.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import type { Context } from "./kit.ts";

export interface SshKit {
  /**
   * Connects and logs in.
   * @throws PluginError ConnectionTimeout, ConnectionRefused, HostUnreachable, AuthenticationFailed, HostKeyMismatch
   */
  connect(target: SshTarget, ctx: Context): Promise<SshConnection>;
}

export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password?: Secret;
  /** For a question of keyboard-interactive that asks for a second factor. */
  readonly otp?: Secret;
  /** Replies to further questions of keyboard-interactive; the first match counts, also where the server echoes. */
  readonly answers?: readonly LoginAnswer[];
  /** Tried in order, after the password unless `keysFirst`. Discovered keys (`found`) come last, after the agent. */
  readonly keys?: readonly PrivateKey[];
  /** Try keys and agent before the password. */
  readonly keysFirst?: boolean;
  /** The device accepts any SSH login and asks for credentials in its shell: try the `none` method first. */
  readonly asksInShell?: boolean;
  /** Use the agent of the service's user (only if the operator allows it). */
  readonly agent?: boolean;
  /** From the first packet to the end of the login, unless the next two fields override it. */
  readonly connectTimeoutMs: number;
  /** Until the server's identification line, within `connectTimeoutMs`. */
  readonly bannerTimeoutMs?: number;
  /** For authentication alone, instead of the rest of `connectTimeoutMs`. */
  readonly authTimeoutMs?: number;
  readonly keepaliveMs?: number;
  readonly compress?: boolean;
  /** `legacy` also offers group1/group14-sha1, CBC ciphers, hmac-md5 and ssh-rsa. */
  readonly profile: "modern" | "legacy";
  readonly hostKeyPolicy: HostKeyPolicy;
  /** The jump host, which may itself have one. */
  readonly via?: SshTarget;
}

export interface LoginAnswer {
  readonly question: { test(text: string): boolean };
  readonly reply: Secret;
}

export interface PrivateKey {
  /** PEM, PKCS#8, OpenSSH or PuTTY format. */
  readonly pem: Secret;
  readonly passphrase?: Secret;
  /** Names the key in messages, e.g. its field or file. */
  readonly label: string;
  /** The line of OpenSSH's `…-cert.pub`; offered before the plain key. */
  readonly certificate?: string;
  /** Not named by the caller: discovered in a key folder. */
  readonly found?: boolean;
}

/**
 * `auto_add`: learns unknown keys, rejects changed ones. `warning`: accepts both, with a warning. `reject`: accepts
 * known keys only.
 */
export type HostKeyPolicy = "auto_add" | "warning" | "reject";

export interface HostKey {
  /** `ssh-ed25519`, `ssh-rsa`, … */
  readonly type: string;
  /** `SHA256:…` as OpenSSH prints it. */
  readonly fingerprint: string;
}

export interface AcceptedHostKey extends HostKey {
  /** Set if the policy only warns. */
  readonly warning?: string;
}

export interface SshConnection {
  /** The key that the server presented. */
  readonly hostKey: AcceptedHostKey;
  readonly algorithms: NegotiatedAlgorithms;
  /** Runs one command and reads both streams concurrently. A close without an exit status is ConnectionLost. */
  exec(command: string, options: ExecOptions, ctx: Context): Promise<ExecResult>;
  /** Opens a shell channel with a terminal, for protocols that run there and are not a CLI: an XML agent. */
  shell(terminal: SshTerminal, ctx: Context): Promise<SshChannel>;
  /** Opens a channel to a subsystem of the server, such as `netconf`. */
  subsystem(name: string, ctx: Context): Promise<SshChannel>;
  /**
   * Opens a channel to a port that the server can reach (port forwarding). The server resolves the name.
   * @throws PluginError Forbidden: the caller's key may not reach that host
   */
  forward(to: { readonly host: string; readonly port: number }, ctx: Context): Promise<SshChannel>;
  /**
   * @throws PluginError DriverError: rejected by the server, or `detail.reason` is `Exists`, `ResumeMismatch` or
   * `HashMismatch`; Forbidden: outside the transfer roots; ConnectionLost
   */
  upload(options: TransferOptions, ctx: Context): Promise<TransferResult>;
  /** The reverse of `upload`; throws the same errors. */
  download(options: TransferOptions, ctx: Context): Promise<TransferResult>;
  /** False once the transport has ended. */
  alive(): boolean;
  /** Whether the server responds within the given time: a connection that died silently still counts as `alive`. */
  answers(withinMs: number, ctx: Context): Promise<boolean>;
  /** Called once if the transport ends without `close`. */
  onLost(listener: () => void): void;
  /** Closes the connection and all its channels. */
  close(): Promise<void>;
}

/** Algorithms that both sides agreed on in the key exchange. */
export interface NegotiatedAlgorithms {
  readonly kex: string;
  /** Signature algorithm of the host key, such as `rsa-sha2-512`. */
  readonly hostKey: string;
  readonly cipher: string;
  /** Empty: the cipher includes one (AEAD). */
  readonly mac: string;
}

export interface SshTerminal {
  readonly cols: number;
  readonly rows: number;
  /** `TERM` of the remote side; default vt100, which avoids colours. */
  readonly term?: string;
}

/** Ends together with its connection. */
export type SshChannel = ByteStream;

export interface ExecOptions {
  /** With a terminal: a single stream, which also carries password prompts. */
  readonly pty?: boolean;
  /**
   * Environment of the command. Sent as SSH requests, and set by a POSIX shell, which reads the values from its input:
   * they never appear in a process list.
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * The shell that reads the command. `login`: the login shell of the user, as for every SSH command. `sh`: a POSIX
   * shell, whatever the login shell is, which gets the command as text over its input; `sh -e` ends at the first line
   * that fails. Default: `login`; with `wrap` `sh`.
   */
  readonly shell?: "login" | "sh" | "sh -e";
  /**
   * Builds the command line for the server from the one that starts the shell; used for sudo. The line has only plain
   * words and one between single quotes, which all shells read alike; what is added must be like that.
   */
  wrap?(shell: string): string;
  /** Answers a prompt in the output once, e.g. that of sudo; prompt and reply never appear in the result. */
  readonly answer?: {
    readonly prompt: RegExp;
    readonly reply: Secret;
    /** What may follow the prompt directly, also after the reply, and belongs to the dialogue; anchored with `^`. */
    readonly tail?: RegExp;
  };
  /** For the whole command, not for silence. */
  readonly timeoutMs?: number;
  /** Do not send a signal on abort: the caller ends the command itself, such as one that runs under sudo. */
  readonly unsignalled?: boolean;
  /** Standard input, closed at its end. Default: empty, and with `pty` not closed. */
  readonly input?: string;
  /** Fails with OutputTooLarge above this many bytes of one stream; default 8 MiB. */
  readonly maxBytes?: number;
  /** `latin1`: one character per byte, for binary output; default `utf8`. */
  readonly encoding?: "utf8" | "latin1";
  /** Instead of OutputTooLarge: drop the excess and let the command continue. */
  readonly truncate?: boolean;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitStatus: number;
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal?: string;
  /** Some output was dropped (`truncate`). */
  readonly truncated?: boolean;
  /** How often the prompt of `answer` appeared; more than once means the reply was rejected. */
  readonly answers?: number;
}

export interface TransferOptions {
  /** Must be below the operator's transfer roots. */
  readonly localPath: string;
  readonly remotePath: string;
  /** Resumes an earlier transfer of the same file; SFTP only. */
  readonly resume?: boolean;
  /** Size of one request, 1 KiB to 256 KiB; default: the fastest for that server. */
  readonly chunkBytes?: number;
  /** For the whole transfer. */
  readonly timeoutMs?: number;
  /** Default: SFTP, or SCP if the server has no SFTP. The fields below require SFTP. */
  readonly by?: "sftp" | "scp";
  /**
   * Writes to a temporary name in the same folder and renames the file once complete, with the permissions of the file
   * it replaces. Default: written in place.
   */
  readonly atomic?: boolean;
  /** False: fail if the target exists. */
  readonly overwrite?: boolean;
  /** Permission bits of the target. */
  readonly mode?: number;
  /** The server also computes the SHA-256, if it has a shell; a mismatch fails the transfer. */
  readonly verify?: boolean;
  /** Transfers a folder with its contents; links, devices and pipes are skipped. */
  readonly recursive?: boolean;
}

export interface TransferResult {
  readonly bytesTransferred: number;
  readonly totalBytes: number;
  readonly resumed: boolean;
  /**
   * Of the whole file, by this side; of a folder that of the lines `<sha256>  <path>\n` of its files, sorted by path.
   */
  readonly sha256: string;
  /** Computed by the server; absent if not requested or not available. */
  readonly remoteSha256?: string;
  /** Number of files, for a folder. */
  readonly files?: number;
  /** Skipped paths in a folder: links, devices and pipes. */
  readonly skipped?: readonly string[];
}
