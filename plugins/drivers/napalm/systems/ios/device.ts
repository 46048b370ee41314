/** What getters of IOS ask through. */
import type { CliSession, Context } from "patchbay/plugin";
import { boundedText } from "../../common/bounded.ts";
import { canonicalInterface } from "../../common/interface-names.ts";
import type { Answers } from "../../system.ts";

export interface IosDevice {
  /** What the command shows, without the lines that a loaded device adds; a refusal is part of it. */
  ask(command: string): Promise<string>;
  /** A name as the caller wants it: whole with `optional_args.canonical_int`. */
  named(interfaceName: string): string;
}

/** Told as they are, however long their lines. */
const wholeConfig = /^show (?:running|startup)-config(?: all)?$/;
/** Commands that say nothing for a while before, or between, what they say. */
const slowCommands = /^(?:show (?:run|startup|archive)|ping|traceroute|verify)/;
const slowMs = 600_000;

export function createDevice(
  cli: CliSession,
  { whole }: { readonly whole: boolean },
  answers: Answers,
  ctx: Context,
): IosDevice {
  const ask = (command: string) => cli.send(command, { ...timeOf(command), refusals: "warn" }, ctx);
  return {
    async ask(command) {
      const said = cleaned(await answers.once(command, () => ask(command)));
      return wholeConfig.test(command) ? said : boundedText(said);
    },
    named: (name) => (whole ? canonicalInterface(name) : name),
  };
}

export function timeOf(command: string): { readonly readTimeoutMs?: number } {
  return slowCommands.test(command) ? { readTimeoutMs: slowMs } : {};
}

/** The line by which IOS says that it does not know a command. */
export function isUnknown(answer: string): boolean {
  return /^\s*% ?Invalid/m.test(answer);
}

/** Lines that `terminal exec prompt timestamp` and a loaded device put before an answer. */
const noise = /^(?:Load for five secs|Time source is ).*$/gm;

export function cleaned(answer: string): string {
  return answer.replace(noise, "").trim();
}
