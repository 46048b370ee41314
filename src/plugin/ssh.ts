/** SSH as drivers see it: connect, run a command, speak to a subsystem or a shell, forward a port, move files. */
import type { ByteStream } from "../base/byte-stream.ts";
import type { Secret } from "../base/secret.ts";
import type { Context } from "./kit.ts";

export interface SshKit {
  /** Connects and logs in. @throws PluginError ConnectionTimeout, ConnectionRefused, HostUnreachable, AuthenticationFailed, HostKeyMismatch */
  connect(target: SshTarget, ctx: Context): Promise<SshConnection>;
}

export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password?: Secret;
  /** Tried in order, after the password unless `keysFirst`; those that were found come last, and after the agent. */
  readonly keys?: readonly PrivateKey[];
  /** Keys and agent before the password. */
  readonly keysFirst?: boolean;
  /** The device lets everybody in and asks in its shell: a login without any proof is tried first. */
  readonly asksInShell?: boolean;
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
  /** The line of OpenSSH's `…-cert.pub`: shown before the key alone is. */
  readonly certificate?: string;
  /** Not named by anybody: it lay in a folder of keys. */
  readonly found?: boolean;
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
  readonly algorithms: NegotiatedAlgorithms;
  /** Runs one command; both streams are read at once. A close without an exit status is ConnectionLost. */
  exec(command: string, options: ExecOptions, ctx: Context): Promise<ExecResult>;
  /** A channel to the login's shell behind a terminal, for what is spoken there and is no command line: an XML agent. */
  shell(terminal: SshTerminal, ctx: Context): Promise<SshChannel>;
  /** A channel to a subsystem of the server, such as `netconf`. */
  subsystem(name: string, ctx: Context): Promise<SshChannel>;
  /**
   * A channel to a port that the server reaches: port forwarding. The server looks the name up.
   * @throws PluginError Forbidden: the key of the caller may not reach that host
   */
  forward(to: { readonly host: string; readonly port: number }, ctx: Context): Promise<SshChannel>;
  /**
   * @throws PluginError DriverError: refused by the server, or `detail.reason` is `Exists`, `ResumeMismatch` or
   * `HashMismatch`; Forbidden: outside the transfer roots; ConnectionLost
   */
  upload(options: TransferOptions, ctx: Context): Promise<TransferResult>;
  /** The same the other way. */
  download(options: TransferOptions, ctx: Context): Promise<TransferResult>;
  /** False once the transport has ended. */
  alive(): boolean;
  /** Whether the server answers within a time: one that is gone without a word is still `alive`. */
  answers(withinMs: number, ctx: Context): Promise<boolean>;
  /** Called once when the transport ends by itself. */
  onLost(listener: () => void): void;
  /** Ends it with all its channels. */
  close(): Promise<void>;
}

/** What both sides agreed on first. */
export interface NegotiatedAlgorithms {
  readonly kex: string;
  /** How the host key signs, such as `rsa-sha2-512`. */
  readonly hostKey: string;
  readonly cipher: string;
  /** Empty: the cipher brings its own. */
  readonly mac: string;
}

export interface SshTerminal {
  readonly cols: number;
  readonly rows: number;
  /** `TERM` of the far side; default vt100, which keeps colours away. */
  readonly term?: string;
}

/** It ends with its connection. */
export type SshChannel = ByteStream;

export interface ExecOptions {
  /** Behind a terminal: one stream, and what asks for a password asks here. */
  readonly pty?: boolean;
  /**
   * Variables of the command, asked of the server and set by the POSIX shell that runs it, which reads their values: they
   * stand in no process list.
   */
  readonly environment?: Readonly<Record<string, string>>;
  /** Makes the line for the server of the shell text that sets the variables and runs the command, such as that of sudo. */
  wrap?(shell: string): string;
  /** Answers a prompt on the output once, e.g. that of sudo; prompt and reply never show in the result. */
  readonly answer?: { readonly prompt: RegExp; readonly reply: Secret };
  /** Of the whole command, not of its silence. */
  readonly timeoutMs?: number;
  /** What is cut off is not killed by a signal: the caller ends it, such as what runs behind sudo. */
  readonly unsignalled?: boolean;
  /** What it reads; its input ends behind it. Default: nothing, and with `pty` no end. */
  readonly input?: string;
  /** A mark that the command writes when it is ready to read: until then it gets no input. It never shows in the result. */
  readonly ready?: RegExp;
  /** Stops with OutputTooLarge above this many bytes of one stream; default 8 MiB. */
  readonly maxBytes?: number;
  /** `latin1`: a character for each byte, for output that is no text; default `utf8`. */
  readonly encoding?: "utf8" | "latin1";
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
  /** Below the transfer roots of the operator, or the transfer is refused. */
  readonly localPath: string;
  readonly remotePath: string;
  /** Goes on where an earlier transfer of the same file ended; only by SFTP. */
  readonly resume?: boolean;
  /** Of one request, 1 KiB to 256 KiB; default: what is fastest at that server. */
  readonly chunkBytes?: number;
  /** Of the whole transfer. */
  readonly timeoutMs?: number;
  /** Default: SFTP, and SCP where the server has no SFTP. What stands below is done by SFTP only. */
  readonly by?: "sftp" | "scp";
  /**
   * The file is written under another name beside its own and renamed when it is whole. One that it replaces gives it
   * its permissions. Default: it is written in place.
   */
  readonly atomic?: boolean;
  /** False: a target that exists is refused. */
  readonly overwrite?: boolean;
  /** Permission bits of what is written. */
  readonly mode?: number;
  /** Has the server compute the SHA-256, too, where it has a shell: another one than ours fails the transfer. */
  readonly verify?: boolean;
  /** A folder with all that is in it; links, devices and pipes are left out. */
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
  /** The same by the server; absent where it was not asked or could not tell. */
  readonly remoteSha256?: string;
  /** Of a folder. */
  readonly files?: number;
  /** Paths in a folder that were left out: links, devices and pipes. */
  readonly skipped?: readonly string[];
}
