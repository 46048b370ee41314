/** What each test file takes, for `bun run test --times`. */
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import * as v from "valibot";

/** Set by `bun run test --times`: the file that the workers append to, a JSON document per line. */
export const timesVariable = "TEST_TIMES";

const taken = v.object({
  file: v.string(),
  /** From the worker's start, or from the end of the file before it. Seconds, as all here. */
  wall: v.number(),
  /** CPU time of the worker: starting it, loading the source, and the tests. */
  own: v.number(),
  /** CPU time of the processes that the tests started and that have ended. */
  children: v.number(),
});
export type Taken = v.InferOutput<typeof taken>;

/** This process so far. */
export function timeSoFar(): Omit<Taken, "file"> {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now() / 1000, own: (user + system) / 1e6, children: ofChildren() };
}

/** As Linux tells it, in hundredths of a second. Elsewhere it is not known. */
function ofChildren(): number {
  if (process.platform !== "linux") return 0;
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** The slowest files by CPU time, and the sum of all. */
export function timesTable(path: string, shown: number): string {
  const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").filter(Boolean) : [];
  const all = lines.map((line) => v.parse(taken, JSON.parse(line)));
  const cpu = ({ own, children }: Taken) => own + children;
  const sum = (of: (one: Taken) => number) => all.reduce((before, one) => before + of(one), 0);
  const columns = ["CPU s", "of it in child processes", "wall s"];
  const row = (file: string, ...values: number[]) =>
    `${values.map((value, index) => value.toFixed(1).padStart(columns[index]?.length ?? 0)).join("  ")}  ${file}`;
  return [
    `\n${columns.join("  ")}  test file`,
    ...all
      .toSorted((one, other) => cpu(other) - cpu(one))
      .slice(0, shown)
      .map((one) => row(one.file, cpu(one), one.children, one.wall)),
    row(
      `all ${all.length} files`,
      sum(cpu),
      sum(({ children }) => children),
      sum(({ wall }) => wall),
    ),
  ].join("\n");
}
