/**
 * What the driver needs of a system (`ios`, `junos`, …): how to open it, how each method reads its facts, how its
 * configuration is changed. A system knows its transport and its language; the driver knows jobs and arguments.
 */
import type { Context } from "patchbay/plugin";
import type { Tools } from "./connection.ts";
import type { ArgumentsOf, Method, Results } from "./methods.ts";

/**
 * Reads one kind of fact. It asks by `device` only, and keeps nothing.
 * @throws PluginError CommandError: the device refused a question, in its own words
 */
export type Getter<Device, M extends Method> = (device: Device, args: ArgumentsOf<M>) => Promise<Results[M]>;

/** A method that is absent is one that the system does not have. */
export type Getters<Device> = { readonly [M in Method]?: Getter<Device, M> };

/** A system with what it is asked through (`Device`) known to itself only. */
export interface System {
  /** As NAPALM names it: `ios`. */
  readonly name: string;
  readonly methods: readonly Method[];
  /** Connects and logs in; closes what it opened where that fails. */
  open(tools: Tools, ctx: Context): Promise<SystemSession>;
}

export interface SystemSession {
  /**
   * Answers one method.
   * @param answers those of the job: a question that was asked for another method is not asked again
   */
  get<M extends Method>(method: M, args: ArgumentsOf<M>, answers: Answers, ctx: Context): Promise<Results[M]>;
  /**
   * What a command of the device's own says, as text.
   * @throws PluginError CommandError: the device refused it, in its own words
   */
  cli(command: string, ctx: Context): Promise<string>;
  /** The same as structure. Absent: the system has none. */
  cliJson?(command: string, ctx: Context): Promise<unknown>;
  /** The platform of the service by which templates for its texts are found: `cisco_ios`. */
  readonly platform: string;
  readonly configuration: ConfigurationControl;
  /** Facts for the connection test: at least `prompt`. */
  describe(ctx: Context): Promise<Readonly<Record<string, string>>>;
  /** Methods may run side by side: the transport keeps their questions apart. */
  readonly concurrent: boolean;
  /** Whether the transport still stands: what `is_alive` tells. Asks the device nothing that changes it. */
  alive(ctx: Context): Promise<boolean>;
  /** Whether the session may serve another job: nothing of this one is left. */
  reusable(ctx: Context): Promise<boolean>;
  close(): Promise<void>;
}

/** The answers of one job by question; `driver_args.raw` shows them. */
export interface Answers {
  /**
   * @param question names it, such as the command; the same question is asked once
   * @param ask gives the answer as the device sent it
   */
  once(question: string, ask: () => Promise<string>): Promise<string>;
  /** The same, with what is read from the answer kept, too. */
  once<T>(question: string, ask: () => Promise<string>, read: (answer: string) => T): Promise<T>;
  /** Of a device that answers in structures, such as parsed JSON. */
  structure(question: string, ask: () => Promise<unknown>): Promise<unknown>;
}

/** How a configuration is changed. A candidate lives within one call of `change`, whatever happens in it. */
export interface ConfigurationControl {
  /**
   * Loads the text, compares, commits or discards. Whatever fails, the device is as it was: candidate discarded; lock,
   * configuration session and files of ours gone.
   * @throws PluginError CommandError names the line that was refused, `detail.line` its number from 1 where it is
   * known; ConnectionLost behind the commit has `outcome: "unknown"`
   */
  change(text: string, how: ChangeOptions, ctx: Context): Promise<Change>;
  /** Makes a commit with `revertIn` last. Absent: the system has no such commit. */
  confirm?(handle: string | undefined, ctx: Context): Promise<string>;
  /**
   * For how many seconds a commit of this device can be held back at least so long: what `revertIn` takes. Undefined, and
   * where it is absent: it can not.
   */
  holdsFor?(seconds: number, ctx: Context): Promise<number | undefined>;
  /** A commit that waits for its confirmation. */
  pending?(ctx: Context): Promise<Pending | undefined>;
  /** Takes the last commit back, or one that is pending. */
  rollback?(handle: string | undefined, ctx: Context): Promise<string>;
  /** The difference between the running configuration and a candidate that others have left on the device. */
  compare?(ctx: Context): Promise<string>;
}

export interface ChangeOptions {
  /** The text is the whole configuration, in place of what is there. */
  readonly replace: boolean;
  /** Shows the difference and discards. */
  readonly dryRun: boolean;
  /** Kept with the commit; a system without comments says so in a warning. */
  readonly message?: string;
  /** Seconds until the commit is undone unless it is confirmed. */
  readonly revertIn?: number;
}

export interface Change {
  /** In the device's own form; empty where nothing differs. */
  readonly diff: string;
  readonly committed: boolean;
  /** Names the commit to `confirm` and `rollback`, such as its session; given with `revertIn`. */
  readonly handle?: string;
}

export interface Pending {
  readonly handle?: string;
  /** Seconds until it is undone, where the device tells. */
  readonly revertsIn?: number;
  readonly user?: string;
}

/** What a system gives: its getters over `Device`, and how `Device` comes to be. */
export interface SystemDefinition<Device> {
  readonly name: string;
  readonly getters: Getters<Device>;
  open(tools: Tools, ctx: Context): Promise<OpenSystem<Device>>;
}

export interface OpenSystem<Device> extends Omit<SystemSession, "get"> {
  /** What getters ask through, for one job. */
  device(answers: Answers, ctx: Context): Device;
}

/** Hides what getters ask through: the driver deals with any system alike. */
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
