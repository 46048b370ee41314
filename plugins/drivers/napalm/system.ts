/**
 * The interface between the driver and a system (`ios`, `junos`, …): opening it, its getters, and configuration
 * changes. A system knows its transport and its syntax; the driver knows jobs and arguments.
 */
import type { Context } from "patchbay/plugin";
import type { Tools } from "./connection.ts";
import type { ArgumentsOf, Method, Results } from "./methods.ts";

/**
 * Implements one getter. It queries through `device` only, and keeps no state.
 * @throws PluginError CommandError with the device's message if it refused a query
 */
export type Getter<Device, M extends Method> = (device: Device, args: ArgumentsOf<M>) => Promise<Results[M]>;

/** A missing method is not supported by the system. */
export type Getters<Device> = { readonly [M in Method]?: Getter<Device, M> };

/** A system; the type of its `Device` is private to it. */
export interface System {
  /** NAPALM's name: `ios`. */
  readonly name: string;
  readonly methods: readonly Method[];
  /** Connects and logs in; closes everything it opened on failure. */
  open(tools: Tools, ctx: Context): Promise<SystemSession>;
}

export interface SystemSession {
  /**
   * Runs one getter.
   * @param answers cache of the job: a query already sent for another method is not sent again
   */
  get<M extends Method>(method: M, args: ArgumentsOf<M>, answers: Answers, ctx: Context): Promise<Results[M]>;
  /**
   * The text output of a device command.
   * @throws PluginError CommandError with the device's message if it refused the command
   */
  cli(command: string, ctx: Context): Promise<string>;
  /** The structured output of a device command. Absent if the system has none. */
  cliJson?(command: string, ctx: Context): Promise<unknown>;
  /** The service's platform name, used to select templates for its output: `cisco_ios`. */
  readonly platform: string;
  readonly configuration: ConfigurationControl;
  /** Facts for the connection test: at least `prompt`. */
  describe(ctx: Context): Promise<Readonly<Record<string, string>>>;
  /** Whether methods may run concurrently: the transport separates their queries. */
  readonly concurrent: boolean;
  /** Whether the transport is still up, for `is_alive`. Does not change the device. */
  alive(ctx: Context): Promise<boolean>;
  /** Whether the session may serve another job, with no state of this one left. */
  reusable(ctx: Context): Promise<boolean>;
  close(): Promise<void>;
}

/** The answers of one job by query; `driver_args.raw` shows them. */
export interface Answers {
  /**
   * @param question identifies the query, such as the command; the same query is sent once
   * @param ask returns the answer as the device sent it
   */
  once(question: string, ask: () => Promise<string>): Promise<string>;
  /** Also caches the parsed answer. */
  once<T>(question: string, ask: () => Promise<string>, read: (answer: string) => T): Promise<T>;
  /** For a device with structured answers, such as parsed JSON. */
  structure(question: string, ask: () => Promise<unknown>): Promise<unknown>;
}

/** Configuration changes. A candidate never outlives one call of `change`. */
export interface ConfigurationControl {
  /**
   * Loads the text, compares, and commits or discards. On failure the device is as before: candidate discarded; lock,
   * configuration session and temporary files removed.
   * @throws PluginError CommandError names the refused line, `detail.line` its number from 1 if known; ConnectionLost
   * after the commit has `outcome: "unknown"`
   */
  change(text: string, options: ChangeOptions, ctx: Context): Promise<Change>;
  /** Confirms a commit made with `revertIn`. Absent if the system has no confirmed commit. */
  confirm?(handle: string | undefined, ctx: Context): Promise<string>;
  /**
   * The shortest timer of this device's confirmed commit that is at least this long, in seconds, for `revertIn`.
   * Undefined or absent if it has none.
   */
  holdsFor?(seconds: number, ctx: Context): Promise<number | undefined>;
  /** A commit waiting for confirmation. */
  pending?(ctx: Context): Promise<Pending | undefined>;
  /** Starts the timer of a commit made with `revertIn` anew; what it goes back to stays the same. */
  extend?(handle: string | undefined, seconds: number, ctx: Context): Promise<unknown>;
  /** Rolls back the last commit, or a pending one. */
  rollback?(handle: string | undefined, ctx: Context): Promise<string>;
  /** The diff between the running configuration and a candidate that others left on the device. */
  compare?(ctx: Context): Promise<string>;
}

export interface ChangeOptions {
  /** The text replaces the whole configuration. */
  readonly replace: boolean;
  /** Shows the diff and discards. */
  readonly dryRun: boolean;
  /** Commit comment; a system without comments reports a warning. */
  readonly message?: string;
  /** Seconds until the commit is reverted unless confirmed. */
  readonly revertIn?: number;
}

export interface Change {
  /** The device's diff; empty if nothing differs. */
  readonly diff: string;
  readonly committed: boolean;
  /** Identifies the commit for `confirm` and `rollback`, such as its session; returned with `revertIn`. */
  readonly handle?: string;
}

export interface Pending {
  readonly handle?: string;
  /** Seconds until it is reverted, if the device reports them. */
  readonly revertsIn?: number;
  readonly user?: string;
}

/** Definition of a system: its getters over `Device`, and how to create a `Device`. */
export interface SystemDefinition<Device> {
  readonly name: string;
  readonly getters: Getters<Device>;
  open(tools: Tools, ctx: Context): Promise<OpenSystem<Device>>;
}

export interface OpenSystem<Device> extends Omit<SystemSession, "get"> {
  /** The query interface of the getters, for one job. */
  device(answers: Answers, ctx: Context): Device;
}

/** Hides the type of `Device`, so that the driver handles all systems alike. */
export function defineSystem<Device>({ name, getters, open }: SystemDefinition<Device>): System {
  const methods = (Object.keys(getters) as Method[]).filter((method) => getters[method] !== undefined);
  return {
    name,
    methods,
    async open(tools, ctx) {
      const { device, ...session } = await open(tools, ctx);
      return {
        ...session,
        async get(method, args, answers, ctx) {
          const getter = getters[method];
          if (getter === undefined) throw new Error(`${name} has no ${method}`);
          return getter(device(answers, ctx), args);
        },
      };
    },
  };
}
