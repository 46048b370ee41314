/**
 * Contract of a driver: opens a session to a device, runs queries and pushes configuration. Runs on a device thread.
 */

import type { Command } from "./command.ts";
import type { Detached } from "./detached.ts";
import type { PluginError } from "./errors.ts";
import type { CliKit, FoundRunning } from "./kit/cli.ts";
import type { GrpcKit } from "./kit/grpc.ts";
import type { Context, Manifest, OutputOf, Schema } from "./kit/kit.ts";
import type { NetconfKit } from "./kit/netconf.ts";
import type { NetworkKit } from "./kit/network.ts";
import type { SshKit } from "./kit/ssh.ts";
import type { UdpKit } from "./kit/udp.ts";
import type { ConfigurationPart, PlatformPlugin, UndoWay } from "./platform.ts";

/** Properties of a driver besides its schemas. Everything except `target` has a default. */
interface DriverFacts<Connection, QueryArgs, ConfigureArgs> {
  /** `pinned` keeps a device's session for its next job and runs one job at a time; `fifo` opens a session per job. */
  readonly strategy: "pinned" | "fifo";
  /**
   * The device that a connection reaches: shown in messages, and always allowed for `kit.http`, whatever the operator's
   * URL policy is.
   */
  target(connection: Connection): Target;
  /** Timeout of a connection test in seconds; `connection_args.timeout` takes precedence. Default 20. */
  readonly timeout?: number;
  /**
   * What commands are: `lines` to type (no line breaks), `names` (of getters or calls), or `any` text. Default `any`.
   */
  readonly commands?: CommandForm;
  /**
   * What a configuration is. `lines` (default): each text is split into lines. `texts`: entries are kept as given, and
   * rendered template output is a single entry.
   */
  readonly configuration?: ConfigurationForm;
  /**
   * Whether a configuration may also be an object, without a template: it is given as one text of JSON, as it was written.
   * For drivers whose `configuration` is `texts`. Default: it may not.
   */
  readonly objects?: boolean;
  /**
   * Jump hosts of a connection as given by the caller, nearest first, each with the field that names it and its user
   * name (default: that of the device). The caller's key must be allowed to reach each of them. The service refuses to
   * dial a host that is not listed here.
   */
  hops?(
    connection: Readonly<Record<string, unknown>>,
  ): readonly { field: string; host: string; username?: string }[];
  /** The connection field that names the platform (`device_type`); absent if the driver has a single platform. */
  readonly platformField?: string;
  /**
   * Whether an operation may be run again if it is unknown whether it ran. Unless this returns true, the service
   * records the commands before it calls the driver, and runs them once. Default: a query is retried if its caller
   * requests it (`options.retries`). A configuration never is, whatever this returns.
   */
  repeatable?(
    operation: "query" | "configure",
    args: QueryArgs | ConfigureArgs,
    commands: readonly Command[],
  ): boolean;
  /**
   * Fields of `driver_args` that override those of the same name in `connection_args` before validation; objects are
   * merged field by field.
   */
  readonly overrides?: readonly string[];
  /**
   * How a push with these arguments is rolled back on this connection (`Session.change`); undefined if it cannot be,
   * which the caller learns before the push. Default: undefined. `platform` looks up a platform by name or alias.
   */
  undo?(
    connection: Connection,
    args: ConfigureArgs,
    platform: (name: string) => PlatformPlugin | undefined,
  ): UndoWay | undefined;
  /**
   * Whether a push can be left open (`Hold`) on a platform: its confirmed commit outlives the session, and another session
   * ends it (`Session.reopen`). Pure, as `replaces`. A device that turns out to lack it confirms its push itself. Undefined:
   * this driver knows no way on this platform. Default: undefined.
   */
  holds?(asked: Pick<AskedConfiguration, "platform" | "find">): HoldLimits | undefined;
  /**
   * Whether a dry run with these arguments is compared by the device with what it has. Otherwise the result says that
   * it was not. Default: it is not. `platform` as for `undo`.
   */
  compares?(
    connection: Connection,
    args: ConfigureArgs,
    platform: (name: string) => PlatformPlugin | undefined,
  ): boolean;
  /**
   * What a rehearsal asks the device with, besides the arguments of a dry run that `compares`; undefined: it does not ask.
   * The device itself must check the lines, and what it opens for that must end with its session, or be found again by its
   * name, also after this process was killed. Default: nothing besides. `platform` as for `undo`.
   */
  rehearses?(
    connection: Connection,
    args: ConfigureArgs,
    platform: (name: string) => PlatformPlugin | undefined,
  ): Readonly<Record<string, unknown>> | undefined;
  /**
   * How a connection comes to the device, as given by the caller: what would cut it depends on that. Default: over SSH.
   */
  transport?(connection: Readonly<Record<string, unknown>>): "ssh" | "telnet" | "netconf" | "https";
  /**
   * Finds arguments that cannot be combined with checks around the push, such as a dry run. Returns path and message of
   * each fault, which the submission is rejected with.
   */
  excludesChecks?(args: ConfigureArgs): readonly { path: string; message: string }[];
  /**
   * The query that identifies a device of a platform; undefined if this driver cannot. `null`: the platform is unknown,
   * and the driver detects it (`Session.platform`). Default: undefined.
   */
  discovers?(platform: string | null): FactsQuery | undefined;
  /**
   * The query that shows a device's configuration. Pure: it is made from the manifest and the platform's data alone, on
   * any thread, and made again where its outputs are read. Undefined: this driver knows no way on this platform.
   * Default: undefined.
   */
  shows?(asked: AskedConfiguration): ConfigurationQuery | undefined;
  /**
   * How a push replaces the whole running configuration by a text as `shows` reads it; where that shows files of a
   * server, how it runs the script that writes them. Pure, as that. Undefined: this driver knows no way on this platform.
   * Default: undefined.
   */
  replaces?(asked: Pick<AskedConfiguration, "platform" | "find">): WholeReplacement | undefined;
  /**
   * Validates commands and arguments together. Returns path and message of each fault, which the submission is rejected
   * with. `isParsed`: the request has `parsing`.
   */
  check?(
    commands: readonly Command[],
    args: QueryArgs,
    isParsed?: boolean,
  ): readonly { path: string; message: string }[];
  /**
   * Whether an operation outlives its session (`Session.detached`), and which of its arguments are needed to find it
   * again; these are stored encrypted with its connection until the task is removed. Default: no operation does.
   */
  detaches?(
    operation: "query" | "configure",
    args: QueryArgs | ConfigureArgs,
  ): { readonly keeps: readonly string[] } | undefined;
  /**
   * Parsing that the driver's own arguments or commands request (`use_textfsm`), in the form of the service's
   * `parsing`.
   */
  parsing?(
    args: QueryArgs,
    commands: readonly Command[],
  ): { readonly use: ParsingUse; readonly strict: boolean } | undefined;
}

/** A query whose output contains version, model and serial number, as records or as structures with such members. */
export interface FactsQuery {
  readonly command: string;
  /** The platform as named in a connection. */
  readonly platform: string;
  /** The answers are structured and need no parsing. Preferred for a device without a driver. */
  readonly structured?: boolean;
  /** The query works on any device that speaks the driver's protocol: only devices that name this driver are asked. */
  readonly ownOnly?: boolean;
}

/** Whose configuration is to be shown, and which parts of it. */
export interface AskedConfiguration {
  /** The platform as named in the connection (`platformField`); null: unknown, or the driver has a single one. */
  readonly platform: string | null;
  readonly parts: readonly ConfigurationPart[];
  /** Files instead of those of the platform (`Running.files`): absolute paths, folders, `*` and `?`. */
  readonly files?: readonly string[] | undefined;
  /** Looks up a platform by name or alias. */
  find(name: string): PlatformPlugin | undefined;
}

/** A query job that shows a configuration, and how its outputs are read. */
export interface ConfigurationQuery {
  /** Commands of one job, in this order. */
  readonly commands: readonly string[];
  /** `driver_args` of the job. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The platform whose data (`running`, `errors`) the texts are read with; undefined: by general rules. */
  readonly platform: PlatformPlugin | undefined;
  /** The parts that it shows: those asked for that the system has. Never empty. */
  readonly parts: readonly ConfigurationPart[];
  /**
   * The shown texts, as the device sent them.
   * @param outputs one per command, in order; fewer if the job ended early
   * @returns one per part; a part whose output is absent or is no text is left out
   */
  textsOf(outputs: readonly unknown[]): readonly ShownText[];
}

/** A push that replaces the whole configuration. */
export interface WholeReplacement {
  /** `driver_args` of the push; a dry run has `dry_run` besides. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Lines in front of the text. */
  readonly first?: readonly string[] | undefined;
}

/** What the confirmed commit of a platform allows. */
export interface HoldLimits {
  /** The longest timer. */
  readonly mostSeconds: number;
  /** Another session can start the timer anew (`OpenChange.extend`). Default: it cannot. */
  readonly extends?: boolean;
}

/** A push is left open: its confirmed commit waits in the device for the word of another session. */
export interface Hold {
  /** The device rolls it back after this time unless it is confirmed; at most a minute later. */
  readonly seconds: number;
  /** A mark that is equal for equal texts and tells nothing else of them. */
  fingerprint(text: string): string;
}

/** A push that another session has left open. */
export interface OpenChange extends Pick<Change, "confirm" | "undo"> {
  readonly running: FoundRunning;
  /**
   * Starts the timer anew, if the manifest says so (`HoldLimits.extends`): the device rolls the push back after this time,
   * at most a minute later, and to what ran before the push. The text of the open push stays the same. If this throws with
   * `outcome: "none"`, the timer before runs on.
   */
  extend?(seconds: number, ctx: Context): Promise<unknown>;
}

/** The text of a part, and the command that showed it. */
export interface ShownText {
  readonly part: ConfigurationPart;
  readonly command: string;
  readonly text: string;
  /** Modules of the device that answered; undefined: unknown. */
  readonly modules?: readonly string[];
}

export type ConfigurationForm = "lines" | "texts";
export type CommandForm = "lines" | "names" | "any";

export interface DriverPlugin extends Manifest<"driver">, DriverFacts<unknown, unknown, unknown> {
  /** Validates `connection_args`; its output is passed to `open`. */
  readonly connection: Schema;
  /** Validates `driver_args` per kind of operation; its output is passed to the session. */
  readonly args: { readonly query: Schema; readonly configure?: Schema };
  load(): Promise<{ default: OpenSession<unknown, unknown, unknown, unknown> }>;
}

/** The argument of `defineDriver`. The types of connection and arguments are inferred from the schemas. */
export interface DriverDefinition<C extends Schema, Q extends Schema, F extends Schema, S extends Schema>
  extends DriverFacts<OutputOf<C>, OutputOf<Q>, OutputOf<F>> {
  readonly name: string;
  readonly version?: string;
  readonly settings?: S;
  /** Validates `connection_args`. */
  readonly connection: C;
  /** Validates `driver_args` of a query. Default: it takes none. */
  readonly query?: Q;
  /** Validates `driver_args` of a configuration. Without it, the driver does not support configuration. */
  readonly configure?: F;
  /** Given here, or as the default export of a module that is loaded on demand. */
  readonly open?: OpenSession<OutputOf<C>, OutputOf<Q>, OutputOf<F>, OutputOf<S>>;
  load?(): Promise<{ default: OpenSession<OutputOf<C>, OutputOf<Q>, OutputOf<F>, OutputOf<S>> }>;
}

export interface Target {
  readonly host: string;
  readonly port: number;
  /** Connect timeout in seconds. Default: `timeout` of the driver. */
  readonly timeout?: number;
}

/** `parsing` of a request; `strict: false` returns the raw text if no template matches. */
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

/** Implements at least one of `query` and `queryAll`; everything else has a default. */
export interface Session<QueryArgs = unknown, ConfigureArgs = unknown> {
  /** Runs one command and returns its output, text or structured data. Commands of a job run one after the other. */
  query?(command: Command, args: QueryArgs, ctx: Context): Promise<unknown>;
  /** Used instead of `query`: runs all commands of a job, if they belong together. */
  queryAll?(commands: readonly Command[], args: QueryArgs, ctx: Context): Promise<Outputs>;
  /**
   * Pushes lines and returns the output.
   * @throws PluginError CommandError: the device rejected a line; `detail.sent` lists the lines accepted before it
   */
  configure?(lines: readonly string[], args: ConfigureArgs, ctx: Context): Promise<unknown>;
  /** Used instead of `configure`: returns an output per line or script, if they are independent commands. */
  configureAll?(lines: readonly string[], args: ConfigureArgs, ctx: Context): Promise<Outputs>;
  /**
   * Pushes lines so that the push can be rolled back, if the manifest says how (`undo`). Used for checks around a push.
   * Whatever happens next (a failed check, a cancel, a timeout), the service calls exactly one of the result's
   * `confirm` and `undo`, once. If `change` throws, the service calls neither: either it has rolled back what it began
   * and says so with `outcome: "none"`, or the outcome is unknown.
   * @param hold the push is to be left open: `Change.open` says that it can be, and the service then calls neither
   * `confirm` nor `undo` if the checks passed
   * @throws PluginError CommandError: the device rejected a line
   */
  change?(lines: readonly string[], args: ConfigureArgs, ctx: Context, hold?: Hold): Promise<Change>;
  /**
   * Reads what has become of a push that another session left open. Nothing is changed: the service then calls at most one
   * of the result's `confirm`, `undo` and `extend`, once.
   * @param open as in its `Change.open`
   */
  reopen?(
    open: string,
    args: ConfigureArgs,
    ctx: Context,
    hold: Pick<Hold, "fingerprint">,
  ): Promise<OpenChange>;
  /** Work that outlives the session, for operations that the manifest `detaches`. */
  readonly detached?: Detached<QueryArgs, ConfigureArgs>;
  /** Facts for the connection test, such as `prompt`; default: the host. */
  describe?(ctx: Context): Promise<Record<string, string>>;
  /** The detected platform, if the connection does not name one; used to look up templates. */
  readonly platform?: string;
  /**
   * Whether another job may use the session: it responds, and holds no state of this job. Must be cheap. Default:
   * false.
   */
  reusable?(ctx: Context): Promise<boolean>;
  /** Logs out, then closes the connection. */
  close?(): Promise<void>;
}

/** A push that is not final yet. */
export interface Change {
  /** Output of the push, as from `configure` or `configureAll`. */
  readonly output?: unknown;
  readonly outputs?: Outputs;
  /** How `undo` rolls it back. `none`: it turned out that it cannot be rolled back. */
  readonly how: UndoWay | "none";
  /**
   * When the device rolls the push back automatically unless confirmed, in milliseconds since 1970. It does so even if
   * the service stops.
   */
  readonly revertsAt?: number;
  /**
   * What another session needs to end this push (`Session.reopen`): a short text without secrets. Given if the push was to
   * be left open and its timer runs on when the session ends.
   */
  readonly open?: string;
  /** Makes the change final. If this throws, the outcome of the change is unknown unless the error says otherwise. */
  confirm(ctx: Context): Promise<unknown>;
  /**
   * Rolls the change back. Its context outlives the end of the job by a grace period. Resolves once the device is as
   * before. If this throws, the record says that the outcome is unknown or, with `outcome: "none"` in the error, that
   * the change is still in effect.
   */
  undo(ctx: Context): Promise<unknown>;
}

/** Results in order; the runner makes keys unique (`show clock`, `show clock #2`). */
export type Outputs = readonly Output[];

export interface Output {
  readonly command: string;
  readonly output: unknown;
  /**
   * Only this command failed: the job finishes with `partial: true`, and the error appears in place of the output and
   * in a warning. If there is no output at all, the driver throws instead.
   */
  readonly error?: PluginError;
  /** Of a terminal session: the prompt behind the output, and the name in it, if the prompt before it had another name. */
  readonly otherPrompt?: { readonly text: string; readonly name: string };
}

/** Tools of a driver. */
export interface DriverTools<Connection, Settings> extends NetworkKit<Settings> {
  /** Output of the `connection` schema. */
  readonly connection: Connection;
  /** SSH connections: exec, subsystems, file transfer, port forwarding. */
  readonly ssh: SshKit;
  /**
   * Declares a text secret that the driver did not receive but obtained itself, such as the token of a login: it is
   * masked like the secrets of the request, for as long as the session lives.
   */
  hide(text: string): void;
  /** An interactive CLI session on a device, over SSH or Telnet. */
  readonly cli: CliKit;
  /** NETCONF sessions over SSH. */
  readonly netconf: NetconfKit;
  /** UDP sockets, each to one peer. */
  readonly udp: UdpKit;
  /** Calls of gRPC over HTTP/2. */
  readonly grpc: GrpcKit;
  /** Looks up a platform by name or alias; throws PluginError DriverError if it is unknown. */
  platform(name: string): PlatformPlugin;
  /** All platforms, including those from plugins. */
  platforms(): readonly PlatformPlugin[];
}
