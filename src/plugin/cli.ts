/** A device's command line as drivers see it: send, read until the prompt, change level, push lines. */
import type { TextPattern } from "../base/linear.ts";
import type { Secret } from "../base/secret.ts";
import type { Command } from "./command.ts";
import type { Context } from "./kit.ts";
import type { PlatformPlugin, Undo } from "./platform.ts";
import type { SshTarget, TransferOptions, TransferResult } from "./ssh.ts";

export interface CliKit {
  /** Connects, logs in, finds the prompt, prepares the terminal. */
  open(target: CliTarget, ctx: Context): Promise<CliSession>;
}

export interface CliTarget {
  readonly platform: PlatformPlugin;
  readonly transport: "ssh" | "telnet";
  readonly ssh: SshTarget;
  /** Who logs in where the shell itself asks. Default: that of `ssh`. */
  readonly username?: string;
  /** Enable password. */
  readonly secret?: Secret;
  /** A prompt that the platform does not know: the whole line, or an expression that matches it. */
  readonly prompt?: string;
  /** Stretches the waits for slow devices; never a sleep. */
  readonly delayFactor: number;
  /** How long a device may send nothing before a command has failed, where the command says no time of its own. */
  readonly readTimeoutMs: number;
  /** Called with what crosses the line, for transcripts; secrets are masked. */
  readonly trace?: (direction: "sent" | "received", text: string) => void;
}

/** After each operation the session is at its prompt, or not `reusable`. One operation at a time. */
export interface CliSession {
  /** The prompt as the device shows it now, e.g. `R1#`. */
  prompt(): string;
  /** Privilege level read off the prompt. */
  level(): string;
  /** The level to which every job returns. */
  home(): string;
  /**
   * Writes down, before the first byte of a job leaves, what it may send. `send` and `configure` do it for their own
   * lines; a job of several commands does it once for all.
   */
  announce(lines: readonly string[], ctx: Context): Promise<void>;
  /**
   * Types one command and gives what the device says to it, up to the prompt.
   * @throws PluginError ReadTimeout, ConnectionLost, OutputTooLarge, CommandError
   */
  send(command: Command, options: SendOptions, ctx: Context): Promise<string>;
  /** Goes to a level by the shortest way. @throws PluginError with the device's words where it is refused */
  toLevel(level: string, ctx: Context): Promise<void>;
  /**
   * Pushes lines, and commits and saves as the platform does; ends at the level where it began.
   * @throws PluginError CommandError: a line was refused, or left the configuration; `detail.sent` is what was taken
   */
  configure(lines: readonly string[], options: ConfigureOptions, ctx: Context): Promise<ConfigureResult>;
  /**
   * Keeps the way back before a push (`ConfigureOptions.kept`), which `confirm` or `undo` ends then.
   * @param options those of the push: some take the platform's ways away
   * @returns undefined where the platform has no sure way
   * @throws PluginError CommandError, with nothing pushed: the device did not keep it
   */
  keep(options: ConfigureOptions, ctx: Context): Promise<KeptConfiguration | undefined>;
  /** Makes the push last. */
  confirm(kept: KeptConfiguration, options: ConfigureOptions, ctx: Context): Promise<string>;
  /**
   * Takes the push back, also on another session than that of the push; whether what ran before runs again is looked at.
   * @throws PluginError CommandError: it does not, `detail.outcome` is `none` where the push still stands as a whole
   */
  undo(kept: KeptConfiguration, ctx: Context): Promise<string>;
  /** By the platform's own protocol; `verified`: the device has computed the same hash. */
  upload(file: CliTransfer, ctx: Context): Promise<TransferResult & { verified: boolean }>;
  download(file: CliTransfer, ctx: Context): Promise<TransferResult & { verified: boolean }>;
  /** Leads it back to `home` and the context it began in; whether it may serve another job. */
  reusable(ctx: Context): Promise<boolean>;
  /** Logs out, then closes. Never rejects. */
  close(): Promise<void>;
}

export type CliTransfer = Omit<TransferOptions, "by">;

export interface SendOptions {
  /** All of the command, however much it sends meanwhile. */
  readonly readTimeoutMs?: number;
  /** Stretches the waits of this command, as `CliTarget.delayFactor` does those of all. */
  readonly delayFactor?: number;
  /** Ends the wait in place of the prompt. */
  readonly expect?: TextPattern;
  readonly stripPrompt?: boolean;
  readonly stripCommand?: boolean;
  /** Wait for the echo before the answer is read. */
  readonly verifyEcho?: boolean;
  /**
   * Gets what the device still said of the answer before, from the prompt on at which it was thought to have ended:
   * a line of output that looks like the prompt, followed by a pause.
   */
  readonly early?: (text: string) => void;
  /** A command that the device refuses: said nothing of (default), a warning of the job, or a CommandError. */
  readonly refusals?: "ignore" | "warn" | "fail";
  /** For devices whose prompt cannot be told: read until this much silence. */
  readonly silenceMs?: number;
}

export interface ConfigureOptions {
  /** One line, or one step of commit and save where that is longer than theirs. */
  readonly readTimeoutMs?: number;
  readonly delayFactor?: number;
  readonly enterConfig: boolean;
  /** In place of the platform's own (`configure exclusive`). */
  readonly enterCommand?: string;
  readonly exitConfig: boolean;
  /** Lines that leave the configuration do not end the push: what follows is typed where they led. */
  readonly allowExit?: boolean;
  readonly verifyEcho: boolean;
  /**
   * Lines go ahead of the answers to those before them, where the platform is known to take them: those of a kind that
   * was answered in this push with nothing but the same prompt. Default: each line waits for its answer.
   */
  readonly pipeline?: boolean;
  /** Refusals in place of the platform's; `false` takes every line. */
  readonly errors?: TextPattern | false;
  readonly commit?: { readonly comment?: string; readonly confirmMinutes?: number } | false;
  readonly save: boolean;
  /** Shows what would be done and changes nothing: the lines, or the device's own difference and a discard. */
  readonly dryRun: boolean;
  /** Asks for the difference also when it is committed. */
  readonly diff?: boolean;
  /** Gain privileges first when the platform needs them. */
  readonly enable: boolean;
  /** The way back: the push is committed as it says, and nothing is saved. */
  readonly kept?: KeptConfiguration;
}

export interface ConfigureResult {
  /** The whole session text of the push. */
  readonly transcript: string;
  readonly diff?: string;
  /** Only where the platform has a candidate. */
  readonly committed?: boolean;
  /** False where `save` was asked for and the platform has no way to. */
  readonly saved?: boolean;
}

/** What is kept of a push until it lasts or is taken back. Made by `CliSession.keep`. */
export interface KeptConfiguration {
  readonly undo: Undo;
  readonly values: Readonly<Record<"name" | "minutes" | "time", string>>;
  /** When the device takes the push back by itself, in milliseconds since 1970. */
  revertsAt?: number;
  /** What ran before, and right behind the push. */
  readonly before: string;
  after?: string;
}
