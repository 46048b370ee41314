/** The context of a task with a minute of time; it records progress and warnings. */
import type { Context } from "../../../src/plugin/kit/kit.ts";
import { quietContext } from "../../../src/plugin/quiet-context.ts";

export function testContext(signal: AbortSignal = new AbortController().signal): Context & {
  readonly announced: (readonly string[])[];
  readonly warnings: string[];
} {
  const announced: (readonly string[])[] = [];
  const warnings: string[] = [];
  return {
    ...quietContext({
      signal,
      remaining: () => 60_000,
      announce: (lines) => void announced.push(lines),
      warn: (message) => void warnings.push(message),
    }),
    announced,
    warnings,
  };
}
