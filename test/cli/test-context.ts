/** The context of a task with a minute of time; it records progress and warnings. */
import { silentLog } from "../../src/base/log.ts";
import type { Context } from "../../src/plugin/kit.ts";

export function testContext(signal: AbortSignal = new AbortController().signal): Context & {
  readonly announced: (readonly string[])[];
  readonly warnings: string[];
} {
  const announced: (readonly string[])[] = [];
  const warnings: string[] = [];
  return {
    signal,
    remaining: () => 60_000,
    log: silentLog,
    announce: (lines) => void announced.push(lines),
    warn: (message) => void warnings.push(message),
    output() {},
    progress() {},
    announced,
    warnings,
  };
}
