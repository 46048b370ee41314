/** The query interface of the IOS getters. */
import type { CliSession, Context } from "patchbay/plugin";
import { boundedText } from "../../common/bounded.ts";
import { canonicalInterface } from "../../common/interface-names.ts";
import type { Answers } from "../../system.ts";

export interface IosDevice {
  /** The output of the command, without the lines that a loaded device adds. A refusal is returned as output. */
  ask(command: string): Promise<string>;
  /** Formats an interface name: long with `optional_args.canonical_int`. */
  named(interfaceName: string): string;
}

/** Returned unchanged, however long their lines. */
const wholeConfig = /^show (?:running|startup)-config(?: all)?$/;
/** Commands that are silent for a while before or during their output. */
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
      const output = cleaned(await answers.once(command, () => ask(command)));
      return wholeConfig.test(command) ? output : boundedText(output);
    },
    named: (name) => (whole ? canonicalInterface(name) : name),
  };
}

export function timeOf(command: string): { readonly readTimeoutMs?: number } {
  return slowCommands.test(command) ? { readTimeoutMs: slowMs } : {};
}

/** IOS's message for an unknown command. */
export function isUnknown(answer: string): boolean {
  return /^\s*% ?Invalid/m.test(answer);
}

/** Lines that `terminal exec prompt timestamp` and a loaded device print before the output. */
const noise = /^(?:Load for five secs|Time source is ).*$/gm;

export function cleaned(answer: string): string {
  return answer.replace(noise, "").trim();
}
