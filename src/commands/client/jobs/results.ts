/** `patchbay results`: reads the results of a bulk together: groups of equal outputs, search, difference, table. */
import type { Command } from "commander";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { userPattern } from "../../../base/regex/pattern.ts";
import { asRead } from "../../../base/text/terminal-text.ts";
import { idHint, idNamed } from "../../../client/input/ids.ts";
import { plural, readInteger } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import {
  differenceText,
  exportedJobs,
  groupsText,
  matchingLines,
  parsedRows,
  resultGroups,
} from "../../../client/output/result-groups.ts";
import { cellOf, csvText, jsonLine, tableText } from "../../../client/output/table.ts";
import { type Job, jobList } from "../../../client/service/answers.ts";
import type { Api } from "../../../client/service/api.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clientCommand, openSession, runToExit, type Session, withServer } from "../parts/action.ts";
import { type FormFlags, withForms } from "../parts/lists.ts";
import { formOf } from "../parts/watch.ts";

interface ResultsFlags extends ServerFlags, FormFlags {
  readonly command?: string;
  readonly contains?: string;
  readonly grep?: string;
  readonly ignoreCase?: boolean;
  readonly diff?: readonly string[];
  readonly table?: boolean;
  readonly limit: string;
  readonly devices: string;
  readonly lines: string;
}

/** As in the options. */
export const usualGroups = { limit: "20", devices: "20", lines: "20" };
const maxRows = 100_000;
const maxLines = 100_000;

export function defineResults(parent: Command): void {
  const command = clientCommand(
    parent,
    "results",
    "read the results of a bulk together: equal outputs as one, lines that match, the difference of two devices",
  )
    .argument("<bulk>", idHint)
    .option("--command <text>", "only outputs of this command")
    .option("--contains <text>", "only outputs with this text")
    .option("--grep <regex>", "print the lines that match, with the device; exits with 1 if there are none")
    .option("--ignore-case", "with --grep: upper and lower case are the same")
    .option("--diff <device...>", "the difference of the outputs of two devices; exits with 1 if they differ")
    .option("--table", "parsed outputs as one table, a row for each record of a device")
    .option("--limit <number>", "maximum number of different outputs", usualGroups.limit)
    .option("--devices <number>", "maximum number of devices named for each", usualGroups.devices)
    .option("--lines <number>", "lines printed of each output", usualGroups.lines);
  withForms(withServer(command)).action((bulk: string, flags: ResultsFlags) =>
    runToExit((surroundings) => {
      check(flags);
      return readResults(bulk, flags, openSession(flags, surroundings));
    }),
  );
}

/** @throws ServiceError Validation */
function check(flags: ResultsFlags): void {
  formOf(flags);
  const { grep, diff, table, csv } = flags;
  if ([grep, diff, table].filter((flag) => flag !== undefined).length > 1)
    throw new ServiceError("Validation", "--grep, --diff and --table cannot be combined.");
  if (diff !== undefined && diff.length !== 2)
    throw new ServiceError("Validation", "--diff needs two devices, such as --diff ber-1 ber-2.");
  if (csv === true && table !== true) throw new ServiceError("Validation", "--csv needs --table.");
  if (flags.ignoreCase === true && grep === undefined)
    throw new ServiceError("Validation", "--ignore-case needs --grep.");
}

async function readResults(bulk: string, flags: ResultsFlags, session: Session): Promise<number> {
  const id = await idNamed(session.api, "bulk", bulk);
  const { grep, diff: [left, right] = [], table } = flags;
  if (grep !== undefined) return printMatches(id, grep, flags, session);
  if (left !== undefined && right !== undefined) return printDifference(id, [left, right], flags, session);
  return table === true ? printTable(id, flags, session) : printGroups(id, flags, session);
}

/** Also at the end of `run --group`. */
export async function printGroups(
  id: string,
  flags: Pick<ResultsFlags, "command" | "contains" | "limit" | "devices" | "lines" | "json">,
  { api, terminal }: Session,
): Promise<number> {
  const query = {
    command: flags.command,
    contains: flags.contains,
    limit: readInteger(flags.limit, "--limit", 1, 200),
    devices: readInteger(flags.devices, "--devices", 1, 1_000),
  };
  const lines = readInteger(flags.lines, "--lines", 0, maxLines);
  const groups = await api.call(`/bulk/${encodeURIComponent(id)}/results`, resultGroups, { query });
  await terminal.write(flags.json === true ? `${jsonLine(groups)}\n` : groupsText(groups, lines, terminal));
  return exitCodes.good;
}

/** Each ended job with only the outputs that are asked for. */
async function* jobsOf(id: string, { command }: ResultsFlags, api: Api): AsyncGenerator<Job> {
  const path = `/bulk/${encodeURIComponent(id)}/export`;
  const { body } = await api.stream(path, { query: { format: "jsonl" } });
  if (!body) return;
  for await (const job of exportedJobs(body)) yield withOnly(job, command);
}

function withOnly(job: Job, command: string | undefined): Job {
  const { result } = job;
  if (command === undefined || !result?.retval) return job;
  const retval = Object.fromEntries(Object.entries(result.retval).filter(([name]) => name === command));
  return { ...job, result: { ...result, retval } };
}

async function printMatches(
  id: string,
  expression: string,
  flags: ResultsFlags,
  { api, terminal }: Session,
): Promise<number> {
  const pattern = patternOf(expression, flags);
  let devices = 0;
  for await (const job of jobsOf(id, flags, api)) {
    const lines = matchingLines(job, (line) => pattern.test(line));
    if (lines.length > 0) devices++;
    if (flags.json === true && lines.length > 0)
      await terminal.write(`${jsonLine({ id: job.id, device: job.device, host: job.host, lines })}\n`);
    else await terminal.write(lines.map((line) => `${line}\n`).join(""));
  }
  if (devices === 0) terminal.note("No line matches.");
  return devices === 0 ? exitCodes.failed : exitCodes.good;
}

/** @throws ServiceError Validation */
function patternOf(expression: string, { ignoreCase }: ResultsFlags) {
  try {
    return userPattern(ignoreCase === true ? `(?i)${expression}` : expression, "--grep");
  } catch (error) {
    throw new ServiceError("Validation", messageOf(error));
  }
}

async function printDifference(
  id: string,
  names: readonly [string, string],
  flags: ResultsFlags,
  { api, terminal }: Session,
): Promise<number> {
  const [left, right] = await Promise.all(
    names.map(async (name) => withOnly(await jobOn(id, name, api), flags.command)),
  );
  const text = left && right ? differenceText(left, right, terminal) : "";
  if (text === "") terminal.note("The outputs are equal.");
  await terminal.write(text);
  return text === "" ? exitCodes.good : exitCodes.failed;
}

/** @throws ServiceError NotFound: the bulk has no such device, or it has no result */
async function jobOn(bulk_id: string, name: string, api: Api): Promise<Job> {
  const [job] = await api.call("/job", jobList, { query: { bulk_id, host: name, limit: 1 } });
  if (!job) throw new ServiceError("NotFound", `${name} is no device of this bulk.`);
  if (job.result?.retval) return job;
  const why = job.result?.error ? `: ${job.result.error.message}` : ` (${job.status}).`;
  throw new ServiceError("NotFound", `There is no output of ${name}${why}`);
}

async function printTable(id: string, flags: ResultsFlags, { api, terminal }: Session): Promise<number> {
  const rows: Record<string, unknown>[] = [];
  const heads = new Set<string>();
  let [unparsed, cut] = [0, false];
  for await (const job of jobsOf(id, flags, api)) {
    const records = parsedRows(job);
    if (records === undefined) unparsed++;
    else if (flags.json === true) await terminal.write(records.map((row) => `${jsonLine(row)}\n`).join(""));
    else {
      for (const row of records.slice(0, maxRows - rows.length)) {
        rows.push(row);
        for (const name of Object.keys(row)) heads.add(name);
      }
      cut ||= rows.length >= maxRows;
    }
  }
  const header = [...heads];
  const cells = rows.map((row) => header.map((name) => cellOf(row[name])));
  if (flags.csv === true) await terminal.write(asRead(csvText(header, cells), terminal));
  else if (cells.length > 0) await terminal.write(tableText(header, cells, terminal.columns));
  if (cut) terminal.note(`Only the first ${maxRows} rows: --json prints all.`);
  if (unparsed > 0)
    terminal.note(`${plural(unparsed, "device")} with output that is not parsed: run with --parse textfsm.`);
  return exitCodes.good;
}
