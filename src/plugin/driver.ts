/** Contract of a driver: opens a session to a device, runs queries, pushes configuration. Runs on a device thread. */
import type { CliKit } from "./cli.ts";
import type { Command } from "./command.ts";
import type { Detached } from "./detached.ts";
import type { PluginError } from "./errors.ts";
import type { Context, Manifest, OutputOf, Schema } from "./kit.ts";
import type { NetconfKit } from "./netconf.ts";
import type { NetworkKit } from "./network.ts";
import type { PlatformPlugin, UndoWay } from "./platform.ts";
import type { SshKit } from "./ssh.ts";

/** What a driver says of itself beside its schemas; each has a default but the name of its device. */
interface DriverFacts<Connection, QueryArgs, ConfigureArgs> {
  /** `pinned` keeps a session of a device for its next job, one job at a time; `fifo` opens one for each job. */
  readonly strategy: "pinned" | "fifo";
  /** Whom a connection reaches: shown in messages, and free for `kit.http` whatever the operator's URL policy says. */
  target(connection: Connection): Target;
  /** Seconds for a connection test; `connection_args.timeout` wins. Default 20. */
  readonly timeout?: number;
  /**
   * What commands are: `lines` that are typed (no line breaks), `names` (of getters or calls), or `any` text.
   * Default `any`.
   */
  readonly commands?: CommandForm;
  /**
   * What a configuration is: `lines` (default: each text is taken apart at its line ends), or `texts`: entries stay as
   * they were given, and what a template renders is one of them.
   */
  readonly configuration?: ConfigurationForm;
  /**
   * Jump hosts of a connection as it was given, the nearest first, with the field that names each and as whom it is
   * logged in to (default: as at the device): what a key may reach is checked for all of them. A driver that dials a host it does not name here is refused at the dial.
   */
  hops?(
    connection: Readonly<Record<string, unknown>>,
  ): readonly { field: string; host: string; username?: string }[];
  /** Names the platform in a connection (`device_type`); absent where a driver has one platform only. */
  readonly platformField?: string;
  /**
   * Whether an operation may be run again when it is not known whether it ran. Unless it says true, the service writes
   * the commands down before the driver is called and runs them once. Where it says nothing, a query is run again
   * if its caller asks for it (`options.retries`), a configuration never.
   */
  repeatable?(
    operation: "query" | "configure",
    args: QueryArgs | ConfigureArgs,
    commands: readonly Command[],
  ): boolean;
  /**
   * Fields of `driver_args` that are laid over those of the same name in `connection_args` before these are read:
   * objects field by field.
   */
  readonly overrides?: readonly string[];
  /**
   * How a push with these arguments is taken back on this connection (`Session.change`); undefined: it can not be, which
   * the caller is told before the push. Default: it can not be. Platforms are found by name or alias.
   */
  undo?(
    connection: Connection,
    args: ConfigureArgs,
    platform: (name: string) => PlatformPlugin | undefined,
  ): UndoWay | undefined;
  /**
   * Arguments that make no sense with checks around the push, such as a dry run: path and message of each fault, told when
   * they are submitted.
   */
  excludesChecks?(args: ConfigureArgs): readonly { path: string; message: string }[];
  /**
   * How a device of a platform is asked what it is; undefined: not by this driver. `null`: nobody knows the platform, and
   * the driver is to find it (`Session.platform`). Default: no device is.
   */
  discovers?(platform: string | null): FactsQuery | undefined;
  /** What is wrong with commands and arguments together, told when they are submitted: path and message of each fault. */
  check?(commands: readonly Command[], args: QueryArgs): readonly { path: string; message: string }[];
  /**
   * Whether an operation is to outlive its session (`Session.detached`), and which of its arguments are needed to find it
   * again: they are kept sealed with its connection until it is removed. Default: none is.
   */
  detaches?(
    operation: "query" | "configure",
    args: QueryArgs | ConfigureArgs,
  ): { readonly keeps: readonly string[] } | undefined;
  /** Parsing that its own arguments or commands ask for (`use_textfsm`), in the words of the service's `parsing`. */
  parsing?(
    args: QueryArgs,
    commands: readonly Command[],
  ): { readonly use: ParsingUse; readonly strict: boolean } | undefined;
}

/** A query whose outputs tell version, model and serial number: records, or structures with such members. */
export interface FactsQuery {
  readonly command: string;
  /** What the connection names as platform. */
  readonly platform: string;
  /** Its answers are structures, which nothing has to be parsed for: preferred where a device has no driver. */
  readonly structured?: boolean;
}

export type ConfigurationForm = "lines" | "texts";
export type CommandForm = "lines" | "names" | "any";

export interface DriverPlugin extends Manifest<"driver">, DriverFacts<unknown, unknown, unknown> {
  /** Checks `connection_args`; its output is what `open` gets. */
  readonly connection: Schema;
  /** Checks `driver_args` of each kind of operation; its output is what the session gets. */
  readonly args: { readonly query: Schema; readonly configure?: Schema };
  load(): Promise<{ default: OpenSession<unknown, unknown, unknown, unknown> }>;
}

/**
 * What `defineDriver` takes. The types of connection and arguments come from the schemas.
 */
export interface DriverDefinition<C extends Schema, Q extends Schema, F extends Schema, S extends Schema>
  extends DriverFacts<OutputOf<C>, OutputOf<Q>, OutputOf<F>> {
  readonly name: string;
  readonly version?: string;
  readonly settings?: S;
  /** Checks `connection_args`. */
  readonly connection: C;
  /** Checks `driver_args` of a query; default: it takes none. */
  readonly query?: Q;
  /** Checks `driver_args` of a configuration; without it the driver takes no configuration. */
  readonly configure?: F;
  /** Here, or as the default export of a module that is loaded when it is needed. */
  readonly open?: OpenSession<OutputOf<C>, OutputOf<Q>, OutputOf<F>, OutputOf<S>>;
  load?(): Promise<{ default: OpenSession<OutputOf<C>, OutputOf<Q>, OutputOf<F>, OutputOf<S>> }>;
}

export interface Target {
  readonly host: string;
  readonly port: number;
  /** Seconds after which a connection that does not come about is given up. Default: `timeout` of the driver. */
  readonly timeout?: number;
}

/** `parsing` of a request; `strict: false` keeps a text that no template fits. */
export interface ParsingUse {
  readonly name: string;
  readonly template?: string;
  readonly args?: Record<string, unknown>;
}

/**
 * Connects and logs in, within the deadline of the task.
 * @throws PluginError ConnectionTimeout, ConnectionRefused, HostUnreachable, AuthenticationFailed, HostKeyMismatch
 */
export type OpenSession<Connection, QueryArgs, ConfigureArgs, Settings> = (
  tools: DriverTools<Connection, Settings>,
  ctx: Context,
) => Promise<Session<QueryArgs, ConfigureArgs>>;

/** One of `query` and `queryAll` must be there; everything else has a default. */
export interface Session<QueryArgs = unknown, ConfigureArgs = unknown> {
  /** Runs one command; gives its output, text or structure. Those of a job come one after the other. */
  query?(command: Command, args: QueryArgs, ctx: Context): Promise<unknown>;
  /** In place of `query`: all commands of a job, where they belong together. */
  queryAll?(commands: readonly Command[], args: QueryArgs, ctx: Context): Promise<Outputs>;
  /**
   * Pushes lines; gives the output.
   * @throws PluginError CommandError: the device refused a line, `detail.sent` is what it took before
   */
  configure?(lines: readonly string[], args: ConfigureArgs, ctx: Context): Promise<unknown>;
  /** In place of `configure`: an output for each line or script, where they are commands of their own. */
  configureAll?(lines: readonly string[], args: ConfigureArgs, ctx: Context): Promise<Outputs>;
  /**
   * Pushes lines so that they can be taken back, where the manifest says how (`undo`): what checks around a push use.
   * Whatever happens afterwards (a check that fails, a cancel, the end of the time) the service calls `confirm` or `undo`
   * of what it gives, one of them, once. Where it throws, neither is called: it has taken back what it had begun, and says
   * so with `outcome: "none"`, or what became of it is not known.
   * @throws PluginError CommandError: the device refused a line
   */
  change?(lines: readonly string[], args: ConfigureArgs, ctx: Context): Promise<Change>;
  /** Work that outlives the session, where the manifest says that an operation `detaches`. */
  readonly detached?: Detached<QueryArgs, ConfigureArgs>;
  /** Facts for the connection test, such as `prompt`; default: the host. */
  describe?(ctx: Context): Promise<Record<string, string>>;
  /** What the platform was found to be, where the connection left it open: templates are looked up by it. */
  readonly platform?: string;
  /** Whether it may serve another job: it answers, and nothing of this job is left. Cheap. Default: it may not. */
  reusable?(ctx: Context): Promise<boolean>;
  /** Logs out, then closes. */
  close?(): Promise<void>;
}

/** A push that is not final yet. */
export interface Change {
  /** What pushing gave: as of `configure`, or as of `configureAll`. */
  readonly output?: unknown;
  readonly outputs?: Outputs;
  /** How `undo` takes it back; `none`: it turned out that it can not be. */
  readonly how: UndoWay | "none";
  /** When the device takes it back by itself unless it is confirmed, in milliseconds since 1970: also where the service ends. */
  readonly revertsAt?: number;
  /** Makes it final. Where it throws, what became of the change is not known, unless its error says otherwise. */
  confirm(ctx: Context): Promise<unknown>;
  /**
   * Takes it back; its context outlives the end of the job by a while. Resolves when the device is as before. Where it
   * throws, the record says that this is not known, or, with `outcome: "none"` in the error, that the change stands.
   */
  undo(ctx: Context): Promise<unknown>;
}

/** Results in order; keys are made unique by the runner (`show clock`, `show clock #2`). */
export type Outputs = readonly Output[];

export interface Output {
  readonly command: string;
  readonly output: unknown;
  /**
   * This one failed and the others stand: the job finishes with `partial: true`, the error in place of the output and in
   * a warning. Where nothing was obtained the driver throws.
   */
  readonly error?: PluginError;
}

/** Tools of a driver. */
export interface DriverTools<Connection, Settings> extends NetworkKit<Settings> {
  /** What the schema `connection` gave. */
  readonly connection: Connection;
  /** SSH connections: exec, subsystems, files, forwarding. */
  readonly ssh: SshKit;
  /** A command line session on a device, over SSH or Telnet. */
  readonly cli: CliKit;
  /** NETCONF sessions over SSH. */
  readonly netconf: NetconfKit;
  /** Definition of a platform by name or alias; throws PluginError DriverError for an unknown one. */
  platform(name: string): PlatformPlugin;
  /** All of them, those of plugins included. */
  platforms(): readonly PlatformPlugin[];
}
