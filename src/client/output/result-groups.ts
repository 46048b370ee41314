/** Results of many devices as one: equal outputs, the lines that match, tables of parsed outputs. */
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import { unifiedLines } from "../../base/text/line-diff.ts";
import { shown, shownLine } from "../../base/text/terminal-text.ts";
import { asRows, type Job, job } from "../service/answers.ts";
import { plural } from "./numbers.ts";
import { nameOfDevice, textOf } from "./results.ts";
import type { Terminal } from "./terminal.ts";

const devices = v.array(v.looseObject({ id: v.string(), device: v.optional(v.string()), host: v.string() }));
const outputGroup = v.looseObject({
  command: v.string(),
  count: v.number(),
  devices,
  output: v.string(),
  cut: v.optional(v.boolean()),
});
const failureGroup = v.looseObject({
  error_type: v.string(),
  message: v.string(),
  count: v.number(),
  devices,
});
export const resultGroups = v.looseObject({
  jobs: v.number(),
  without_result: v.number(),
  commands: v.array(v.string()),
  groups: v.array(outputGroup),
  failures: v.array(failureGroup),
  more_groups: v.number(),
  incomplete: v.optional(v.boolean()),
});
export type ResultGroups = v.InferOutput<typeof resultGroups>;

/** Each group: how many devices, which, and the output, at most `maxLines` lines of it. */
export function groupsText(
  { groups, failures, jobs, without_result, more_groups, incomplete }: ResultGroups,
  maxLines: number,
  { paint }: Pick<Terminal, "paint">,
): string {
  const lines: string[] = [];
  for (const { command, count, devices, output, cut } of groups) {
    const same = count === 1 ? "only on 1 device" : `the same on ${count} devices`;
    lines.push(`${paint("bold", `=== ${shownLine(command)}`)} ${paint("green", same)}`);
    lines.push(namesLine(devices, count));
    const all = shown(output).split("\n");
    lines.push(...all.slice(0, maxLines));
    const omitted = all.length - maxLines;
    if (omitted > 0) lines.push(paint("dim", `… ${plural(omitted, "more line")}`));
    else if (cut === true) lines.push(paint("dim", "… and more"));
    lines.push("");
  }
  for (const { error_type, message, count, devices } of failures) {
    lines.push(`${paint("bold", `=== ${error_type}`)} ${paint("red", `on ${plural(count, "device")}`)}`);
    lines.push(namesLine(devices, count), shown(message), "");
  }
  if (more_groups > 0) lines.push(`${plural(more_groups, "more output")} of fewer devices: --limit`);
  if (incomplete === true) lines.push("There are too many different outputs: the numbers are lower bounds.");
  if (without_result > 0) lines.push(`${plural(without_result, "device")} without a result yet.`);
  if (lines.length === 0) lines.push(`${plural(jobs, "result")}, none of them with output.`);
  return `${lines.join("\n").trimEnd()}\n`;
}

function namesLine(devices: ResultGroups["groups"][number]["devices"], count: number): string {
  const names = devices.map((device) => shownLine(device.device || device.host)).join(", ");
  const more = count - devices.length;
  return more > 0 ? `${names} and ${more} more` : names;
}

/** The jobs of an export in JSON lines, one in memory at a time. @throws ServiceError BadRequest, PayloadTooLarge */
export async function* exportedJobs(body: AsyncIterable<Uint8Array>): AsyncGenerator<Job> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const bytes of body) {
    const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
    pieces.push(first);
    length += first.length;
    for (const next of others) {
      yield jobIn(pieces.join(""));
      pieces = [next];
      length = next.length;
    }
    if (length > maxRecordChars)
      throw new ServiceError("PayloadTooLarge", "A record of the export is too long.");
  }
  if (length > 0) throw new ServiceError("Unavailable", "The export broke off.");
}

const maxRecordChars = 128 * 1024 * 1024;

function jobIn(line: string): Job {
  const read = v.safeParse(job, JSON.parse(line));
  if (read.success) return read.output;
  throw new ServiceError("BadRequest", "The server's export is not one of Patchbay. Check the address.");
}

/** `ber-1: matching line`, with the command where there are several. */
export function matchingLines(job: Job, matches: (line: string) => boolean): string[] {
  const outputs = Object.entries(job.result?.retval ?? {});
  return outputs.flatMap(([command, output]) => {
    const where = outputs.length > 1 ? `${job.device || job.host}: ${command}` : job.device || job.host;
    return textOf(output)
      .split(/\r?\n/)
      .filter(matches)
      .map((line) => `${shownLine(where)}: ${shownLine(line)}`);
  });
}

/** A row for each record of a parsed output; undefined if the job has output that is not parsed. */
export function parsedRows(job: Job): Record<string, unknown>[] | undefined {
  const outputs = Object.entries(job.result?.retval ?? {});
  const rows: Record<string, unknown>[] = [];
  for (const [command, output] of outputs) {
    const records = Array.isArray(output) && output.length === 0 ? [] : asRows(output);
    if (records === undefined) return undefined;
    const named = outputs.length > 1 ? { command } : {};
    const where = job.device ? { device: job.device, host: job.host } : { host: job.host };
    rows.push(...records.map((record) => ({ ...where, ...named, ...record })));
  }
  return rows;
}

/** The difference of two jobs' outputs, command by command; empty if they are equal. */
export function differenceText(left: Job, right: Job, { paint }: Pick<Terminal, "paint">): string {
  const outputsOf = (job: Job) => new Map(Object.entries(job.result?.retval ?? {}));
  const [before, after] = [outputsOf(left), outputsOf(right)];
  const commands = [...new Set([...before.keys(), ...after.keys()])];
  const parts = commands.flatMap((command) => {
    const textIn = (outputs: Map<string, unknown>) => textOf(outputs.get(command) ?? "").trimEnd();
    const lines = unifiedLines(textIn(before), textIn(after));
    if (lines.length === 0) return [];
    const heads = [`--- ${nameOfDevice(left)}: ${command}`, `+++ ${nameOfDevice(right)}: ${command}`].map(
      (head) => paint("bold", shownLine(head)),
    );
    return [...heads, ...lines.map((line) => painted(shownLine(line), paint))];
  });
  return parts.length === 0 ? "" : `${parts.join("\n")}\n`;
}

function painted(line: string, paint: Terminal["paint"]): string {
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}
