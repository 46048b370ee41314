/** What a suite is made of: named cases that any test runner can register. */
import { pause } from "../base/deadline.ts";

/** `for (const { name, run } of suite) test(name, run)`; they run one after the other. */
export interface Case {
  readonly name: string;
  run(): Promise<void>;
}

/** Cases without those that do not apply. */
export function casesOf(cases: readonly (Case | false)[]): Case[] {
  return cases.filter((each) => each !== false);
}

/** Looks again until it is so; the test runner ends what never becomes so. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20);
}

/** A part of an answer in the message of an assertion. */
export function shown(value: unknown): string {
  return JSON.stringify(value, null, 2).slice(0, 4_000);
}
