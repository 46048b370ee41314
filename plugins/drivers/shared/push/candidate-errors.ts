/** Errors of a candidate over NETCONF: finds the refused line and the state of the device. */
import { PluginError, withDetail } from "patchbay/plugin";
import * as v from "valibot";

const refusals = v.object({
  errors: v.array(
    v.object({
      message: v.string(),
      badElement: v.string(),
      path: v.string(),
      tag: v.string(),
      sessionId: v.string(),
      line: v.optional(v.number()),
    }),
  ),
});
export type Refusal = v.InferOutput<typeof refusals>["errors"][number];

/** The device's errors; empty if the error is not a refusal. */
export function refusalsOf(error: unknown): readonly Refusal[] {
  if (!(error instanceof PluginError) || error.kind !== "CommandError") return [];
  const read = v.safeParse(refusals, error.detail);
  return read.success ? read.output.errors : [];
}

/** Adds the refused line of the text to the error. */
export function atLine(error: unknown, text: string): unknown {
  const [refusal] = refusalsOf(error);
  if (refusal === undefined) return withDetail(error, { outcome: "none" });
  const lines = text.split(/\r?\n/);
  const number = refusal.line ?? lineNumberOf(refusal, lines);
  const line = number === undefined ? undefined : lines[number - 1]?.trim();
  if (number === undefined || line === undefined) return withDetail(error, { outcome: "none" });
  const reason = [refusal.message, refusal.path].filter((part) => part !== "").join(", ");
  return new PluginError(
    "CommandError",
    `The device refused line ${number}, "${line}": ${reason.replace(/\s+/g, " ").slice(0, 500)}`,
    { command: line, line: number, output: refusal.message.slice(0, 2_000), outcome: "none" },
    { cause: error },
  );
}

/** The single line that the device quotes, or that contains the bad element. */
function lineNumberOf({ message, badElement }: Refusal, lines: readonly string[]): number | undefined {
  const quoted = message.split(/\r?\n/).map((part) => part.trim());
  const at = lines.findIndex((line) => line.trim() !== "" && quoted.includes(line.trim()));
  if (at >= 0) return at + 1;
  if (badElement === "") return undefined;
  const having = lines.flatMap((line, index) =>
    line.split(/[\s;{}<>/]+/).includes(badElement) ? [index + 1] : [],
  );
  return having.length === 1 ? having[0] : undefined;
}

/** @returns the lock holder in the words of the device, or undefined for another error */
export function lockedBy(error: unknown): string | undefined {
  const refusal = refusalsOf(error).find(
    ({ tag, message }) =>
      tag === "lock-denied" || /\block(?:ed)?\b|database modified|in[- ]use/i.test(message),
  );
  if (refusal === undefined) return undefined;
  const who = refusal.sessionId === "" ? "" : ` (session ${refusal.sessionId})`;
  return `${refusal.message.replace(/\s+/g, " ").slice(0, 500)}${who}`;
}

export function lockDenied(by: string): PluginError {
  return new PluginError(
    "CommandError",
    `The device's configuration is locked by another session: ${by}`.replace(/\.?$/, "."),
    { command: "lock", output: by, outcome: "none" },
  );
}
