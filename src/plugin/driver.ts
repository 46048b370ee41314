/** Contract of a driver: opens a session to a device, runs queries, pushes configuration. Runs on a device thread. */
import type { CliKit } from "./cli.ts";
import type { Context, Implementation, Kit, Manifest, Schema } from "./kit.ts";
import type { PlatformPlugin } from "./platform.ts";
import type { SshKit } from "./ssh.ts";

export interface DriverPlugin extends Manifest<"driver"> {
  /** Checks `connection_args`; its output is what `open` gets. */
  readonly connection: Schema;
  /** Checks `driver_args` of each kind of operation; its output is what the session gets. */
  readonly args: { readonly query: Schema; readonly configure: Schema };
  readonly strategy: "pinned" | "fifo";
  /**
   * Jump hosts of a connection as it was given, the nearest first, with the field that names each: what a key may reach
   * is checked for all of them. A driver that dials a host it does not name here is refused at the dial.
   */
  readonly hops?: (
    connection: Readonly<Record<string, unknown>>,
  ) => readonly { field: string; host: string }[];
  /** Field names this driver knows; others in a request are listed in `data.warnings`. */
  readonly knows: {
    readonly connection: readonly string[];
    readonly args: { readonly query: readonly string[]; readonly configure: readonly string[] };
  };
  /** Default of `connection_args.timeout`, seconds. */
  readonly defaultTimeout: number;
  readonly defaultPort: number;
  /** Names the platform in a connection (`device_type`); absent where a driver has one platform only. */
  readonly platformField?: "device_type";
  /** Whether a command list is safe to run again after a crash; default: a query is, a configuration never. */
  readonly repeatable?: (operation: "query" | "configure", args: unknown) => boolean;
  /** Parsing that its own arguments ask for (`use_textfsm`), in the words of the service's `parsing`. */
  readonly parsing?: (args: unknown) => { readonly use: ParsingUse; readonly strict: boolean } | undefined;
  readonly load: Implementation<Driver, DriverKit>;
}

/** `parsing` of a request; `strict: false` keeps a text that no template fits. */
export interface ParsingUse {
  readonly name: string;
  readonly template?: string;
  readonly args?: Record<string, unknown>;
}

export interface Driver {
  /**
   * Connects and logs in. Within `connection.timeout` and the deadline of the task.
   * @throws ServiceError ConnectionTimeout, ConnectionRefused, HostUnreachable, AuthenticationFailed, HostKeyMismatch
   */
  open(connection: unknown, ctx: Context): Promise<Session>;
}

export interface Session {
  /** One entry a command, in order; a value is text or what the device gave as structure. */
  query(commands: readonly Command[], args: unknown, ctx: Context): Promise<Outputs>;
  /** Pushes lines; a refused line fails as CommandError with what was sent before. */
  configure(lines: readonly string[], args: unknown, ctx: Context): Promise<Outputs>;
  /** Facts for the connection test: `prompt`, `device_type`, `host`. */
  describe(ctx: Context): Promise<Record<string, string>>;
  /** What the platform was found to be, where the connection left it open: templates are looked up by it. */
  readonly platform?: string;
  /** Whether it answers, stands at its home level and may serve another job. Cheap; never throws. */
  reusable(ctx: Context): Promise<boolean>;
  /** Logs out, then closes; never throws. */
  close(): Promise<void>;
}

/** A command, or one step of a dialogue with a command that asks back. */
export type Command = string | Dialogue;

export interface Dialogue {
  readonly send: string;
  /** Regular expression (source) that ends the wait instead of the prompt. */
  readonly expect?: string;
  /** Sent when `expect` has been seen. */
  readonly reply?: string;
  /** The reply is a secret: it is never logged or returned. */
  readonly hidden?: boolean;
}

/** Results in order; keys are made unique by the runner (`show clock`, `show clock #2`). */
export type Outputs = readonly { readonly command: string; readonly output: unknown }[];

/** Tools of a driver. */
export interface DriverKit extends Kit {
  /** SSH connections, exec, SFTP (see src/worker/kit.ts for what is behind it). */
  readonly ssh: SshKit;
  /** A command line session on a device, over SSH or Telnet. */
  readonly cli: CliKit;
  /** Definition of a platform by name or alias; throws ServiceError DriverError for an unknown one. */
  platform(name: string): PlatformPlugin;
  /** All of them, those of plugins included. */
  platforms(): readonly PlatformPlugin[];
  /** Guards of the operator: which local files may be read or written, which hosts may be called. */
  readonly guard: DriverGuard;
}

export interface DriverGuard {
  /** Real path of a file below the transfer roots; throws when it lies outside. */
  localFile(path: string, use: "read" | "write"): Promise<string>;
  /** Real path of a key file below the key roots; throws when it lies outside. */
  keyFile(path: string): Promise<string>;
  /** Key files the operator allows to be tried (`look_for_keys`). */
  discoverKeys(): Promise<readonly string[]>;
}
