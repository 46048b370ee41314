/** Building blocks of the suites: named cases that any test runner can register. */
import { pause } from "../base/time/deadline.ts";

/** `for (const { name, run } of suite) test(name, run)`; they run one after the other. */
export interface Case {
  readonly name: string;
  run(): Promise<void>;
}

/** Drops cases that do not apply. */
export function casesOf(cases: readonly (Case | false)[]): Case[] {
  return cases.filter((each) => each !== false);
}

/** Polls until the condition holds; if it never does, the test runner's timeout ends the test. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20);
}

/** Excerpt of an answer for an assertion message. */
export function shown(value: unknown): string {
  return JSON.stringify(value, null, 2).slice(0, 4_000);
}
