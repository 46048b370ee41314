/** What can be asked of a device whatever its system is: the command for it, and the records in its output. */
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import type { Fact, PlatformPlugin } from "../plugin/index.ts";
import type { Jobs } from "./port.ts";

export const facts = [
  ...["version", "interfaces", "neighbors", "arp"],
  ...["mac", "bgp", "routes", "inventory"],
] as readonly Fact[];

/** @returns undefined: there is none */
export function factCommand(platform: PlatformPlugin | undefined, what: Fact): string | undefined {
  const fact = platform?.reads?.facts?.[what];
  return typeof fact === "object" ? fact.json : fact;
}

export interface ShownOutput {
  readonly platform: string | null | undefined;
  readonly command: string;
  readonly output: string;
}

/**
 * JSON, or by the template that is known for platform and command.
 * @param most characters of the records
 * @returns undefined: no template knows it, or there are too many; the text says it all the same
 */
export async function recordsOf(
  { platform, command, output }: ShownOutput,
  most: number,
  {
    jobs,
    caller,
    signal,
  }: { readonly jobs: Pick<Jobs, "parse">; readonly caller: Caller; readonly signal: AbortSignal },
): Promise<unknown> {
  if (/ json\b/.test(command) || /^\s*[[{]/.test(output)) {
    try {
      const value: unknown = JSON.parse(output);
      return output.length > most ? undefined : value;
    } catch {
      return undefined;
    }
  }
  if (platform === null || platform === undefined) return undefined;
  const value = { use_ntc_template: true, ntc_template_args: { platform, command }, context: output };
  try {
    const { json } = await jobs.parse({ text: JSON.stringify(value), value }, undefined, caller, signal);
    return json.length > most ? undefined : JSON.parse(json);
  } catch (error) {
    if (error instanceof ServiceError && error.kind !== "Unavailable") return undefined;
    throw error;
  }
}
