/**
 * `bun run bench:all [row…] [--quick] [--json]`: measures every row of the speed table and its floor in one
 * run. Exits with 1 if a row failed.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { overFloor, reached, type SpeedResult } from "./rows/row.ts";
import { chosenRows, runRows } from "./rows/runner.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
});
const run = await runRows(chosenRows(positionals), flags.quick, (result) => {
  (flags.json ? console.error : console.log)(line(result));
});
if (flags.json) console.log(JSON.stringify(run, null, 2));
process.exit(run.rows.some(({ failed }) => failed !== undefined) ? 1 : 0);

function line(result: SpeedResult): string {
  const { name, title, unit, goal, figure, seconds, failed } = result;
  if (figure === undefined) return `${name}: failed after ${seconds} s: ${failed}`;
  const { floor, details } = figure;
  const ratio = overFloor(result);
  return [
    `${name}: ${short(figure.value)} ${unit} (goal ${goal}, ${reached(result) ? "reached" : "missed"})`,
    floor &&
      `floor ${short(floor.value)}, ${floor.name}${ratio === undefined ? "" : ` (${short(ratio)} times)`}`,
    title,
    details && JSON.stringify(details),
    `${seconds} s`,
  ]
    .filter(Boolean)
    .join("; ");
}

function short(value: number): string {
  return String(value >= 100 ? Math.round(value) : Math.round(value * 100) / 100);
}
