/** The CLI of a device as drivers see it: send a command and read until the prompt, change level, push lines. */
import type { TextPattern } from "../../base/regex/linear.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import type { Command } from "../command.ts";
import type { PlatformPlugin, Undo } from "../platform.ts";
import type { Context } from "./kit.ts";
import type { SshTarget, TransferOptions, TransferResult } from "./ssh.ts";

export interface CliKit {
  /** Connects, logs in, detects the prompt and prepares the terminal. */
  open(target: CliTarget, ctx: Context): Promise<CliSession>;
}

export interface CliTarget {
  readonly platform: PlatformPlugin;
  readonly transport: "ssh" | "telnet";
  readonly ssh: SshTarget;
  /** User name to type if the shell itself asks for a login. Default: the SSH user name. */
  readonly username?: string;
  /** Enable password. */
  readonly secret?: Secret;
  /** A prompt that the platform does not define: the whole line, or a regular expression that matches it. */
  readonly prompt?: string;
  /** Multiplies timeouts for slow devices; never adds a sleep. */
  readonly delayFactor: number;
  /** Idle timeout: a command without a timeout of its own fails if the device sends nothing for this long. */
  readonly readTimeoutMs: number;
  /** Receives everything sent and received, with secrets masked; for transcripts. */
  readonly trace?: (direction: "sent" | "received", text: string) => void;
}

/** After each operation, the session is either at its prompt or not `reusable`. Operations must not overlap. */
export interface CliSession {
  /** The prompt currently shown by the device, e.g. `R1#`. */
  prompt(): string;
  /** Privilege level, read from the prompt. */
  level(): string;
  /** The level to which the session returns after each job. */
  home(): string;
  /**
   * Records the lines that a job may send before the first byte leaves. `send` and `configure` announce their own
   * lines; a job of several commands announces all of them once.
   */
  announce(lines: readonly string[], ctx: Context): Promise<void>;
  /**
   * Sends one command and returns the output up to the prompt.
   * @throws PluginError ReadTimeout, ConnectionLost, OutputTooLarge, CommandError
   */
  send(command: Command, options: SendOptions, ctx: Context): Promise<string>;
  /**
   * Changes to a privilege level by the shortest path.
   * @throws PluginError with the device's message if the device refuses
   */
  toLevel(level: string, ctx: Context): Promise<void>;
  /**
   * Pushes lines, then commits and saves as the platform requires; returns to the level at which it started.
   * @throws PluginError CommandError: a line was rejected, or it left configuration mode; `detail.sent` lists the
   * accepted lines
   */
  configure(lines: readonly string[], options: ConfigureOptions, ctx: Context): Promise<ConfigureResult>;
  /**
   * Prepares a rollback before a push (`ConfigureOptions.kept`); finish with `confirm` or `undo`.
   * @param options the options of the push: some rule out a rollback method
   * @param holdSeconds a device that rolls back by itself does so no sooner
   * @returns undefined if the platform has no reliable rollback method
   * @throws PluginError CommandError: the device could not prepare the rollback; nothing was pushed
   */
  keep(options: ConfigureOptions, ctx: Context, holdSeconds?: number): Promise<KeptConfiguration | undefined>;
  /**
   * What `reopen` needs to end this push in another session.
   * @returns undefined if the push lasts no longer than its session, or never ends by itself
   */
  leaveOpen(
    kept: KeptConfiguration,
    fingerprint: Fingerprint,
    ctx: Context,
  ): Promise<OpenConfiguration | undefined>;
  /** Reads what has become of a push that was left open; finish with `confirm` or `undo`, or leave it alone. */
  reopen(
    open: OpenConfiguration,
    fingerprint: Fingerprint,
    ctx: Context,
  ): Promise<{ readonly kept: KeptConfiguration; readonly running: FoundRunning }>;
  /**
   * Starts the timer of a push that was left open anew, if its rollback method says how (`Undo.extend`).
   * @throws PluginError CommandError: it says nothing, or the device refused
   */
  extend(kept: KeptConfiguration, seconds: number, ctx: Context): Promise<string>;
  /** Makes the push permanent. */
  confirm(kept: KeptConfiguration, options: ConfigureOptions, ctx: Context): Promise<string>;
  /**
   * Rolls the push back, possibly on a different session than the push, and checks that the previous configuration is
   * running again.
   * @throws PluginError CommandError: it is not; `detail.outcome` is `none` if the push is still fully in effect
   */
  undo(kept: KeptConfiguration, ctx: Context): Promise<string>;
  /** Uploads over the platform's own protocol. `verified`: the device computed the same hash. */
  upload(file: CliTransfer, ctx: Context): Promise<TransferResult & { verified: boolean }>;
  download(file: CliTransfer, ctx: Context): Promise<TransferResult & { verified: boolean }>;
  /** Returns the session to `home` and its initial context. True if another job may use it. */
  reusable(ctx: Context): Promise<boolean>;
  /** Logs out, then closes the session. Never rejects. */
  close(): Promise<void>;
}

export type CliTransfer = Omit<TransferOptions, "by">;

export interface SendOptions {
  /** Total timeout for the command, even while output is arriving. */
  readonly readTimeoutMs?: number;
  /** Multiplies the timeouts of this command, as `CliTarget.delayFactor` does for all commands. */
  readonly delayFactor?: number;
  /** Ends the read in place of the prompt. */
  readonly expect?: TextPattern;
  readonly stripPrompt?: boolean;
  readonly stripCommand?: boolean;
  /** Wait for the echo before reading the answer. */
  readonly verifyEcho?: boolean;
  /**
   * Receives trailing output of the previous command, starting at the line that was mistaken for its prompt: output
   * that looked like a prompt and was followed by a pause.
   */
  readonly early?: (text: string) => void;
  /**
   * What to do if the device rejects the command: nothing (default), add a warning to the job, or throw a CommandError.
   */
  readonly refusals?: "ignore" | "warn" | "fail";
  /**
   * The commands that the caller sends next: the text of a block that this one opens, and its end. Without them, a
   * command that opens a block fails.
   */
  readonly following?: () => readonly string[];
  /** Receives the prompt behind the output, and the name in it, if the prompt before it had another name. */
  readonly otherPrompt?: (prompt: { readonly text: string; readonly name: string }) => void;
  /** For devices whose prompt cannot be recognized: read until the device has been silent for this long. */
  readonly silenceMs?: number;
}

export interface ConfigureOptions {
  /** Timeout for one line. Also applies to a commit or save step if it is longer than that step's own. */
  readonly readTimeoutMs?: number;
  readonly delayFactor?: number;
  readonly enterConfig: boolean;
  /** Replaces the platform's command to enter configuration mode (`configure exclusive`). */
  readonly enterCommand?: string;
  readonly exitConfig: boolean;
  /** Do not stop at a line that leaves configuration mode: send the following lines at the level it led to. */
  readonly allowExit?: boolean;
  readonly verifyEcho: boolean;
  /**
   * Send lines without waiting for earlier answers, if the platform supports it. Applies only to kinds of line that the
   * device has already answered in this push with just the same prompt. Default: each line waits for its answer.
   */
  readonly pipeline?: boolean;
  /** Replaces the platform's rejection patterns; `false` accepts every line. */
  readonly errors?: TextPattern | false;
  readonly commit?: { readonly comment?: string; readonly confirmMinutes?: number } | false;
  readonly save: boolean;
  /** Changes nothing: shows the lines, or the device's own diff of a candidate that is then discarded. */
  readonly dryRun: boolean;
  /** Also return the diff when committing. */
  readonly diff?: boolean;
  /** Enter privileged mode first if the platform requires it. */
  readonly enable: boolean;
  /** The prepared rollback: the push is committed by its rules, and nothing is saved. */
  readonly kept?: KeptConfiguration;
}

export interface ConfigureResult {
  /** The full session transcript of the push. */
  readonly transcript: string;
  readonly diff?: string;
  /** Only set if the platform has a candidate configuration. */
  readonly committed?: boolean;
  /** False if `save` was requested and the platform cannot save. */
  readonly saved?: boolean;
}

/** State needed to confirm or roll back a push. Created by `CliSession.keep`. */
export interface KeptConfiguration {
  readonly undo: Undo;
  readonly values: Readonly<Record<"name" | "minutes" | "time", string>>;
  /** When the device will roll the push back automatically, in milliseconds since 1970. */
  revertsAt?: number;
  /** Running configuration before the push, and right after it. */
  readonly before: string;
  after?: string;
  /** Of a push that another session left open, in place of `before` and `after`. */
  readonly marks?: Pick<OpenConfiguration, "before" | "after"> & { readonly fingerprint: Fingerprint };
}

/** What runs in place of an open push: what it left, what ran before it, or neither: somebody else has changed it. */
export type FoundRunning = "pushed" | "before" | "other";

/** As `Hold.fingerprint`. */
export type Fingerprint = (text: string) => string;

/** A push that was left open, as plain data without secrets. */
export interface OpenConfiguration {
  /** The name that the service gave it. */
  readonly name: string;
  /** Marks of the running configuration before the push and after it. */
  readonly before: string;
  readonly after: string;
}
