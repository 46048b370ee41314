/** Watches bulks to their end: results, progress, a summary. Ctrl-C leaves them running. */
import { ServiceError } from "../../../base/errors.ts";
import { Interrupted } from "../../../client/input/keyboard.ts";
import { failedJobs } from "../../../client/output/failures.ts";
import { exitCodeOf, exitCodes } from "../../../client/output/outcome.ts";
import { type OverwriteFlag, requireEmptyFolder } from "../../../client/output/output-files.ts";
import { failuresText, maxFailures, progressLine, summaryLine } from "../../../client/output/progress.ts";
import { createResultWriter, type ResultForm, type ResultWriter } from "../../../client/output/results.ts";
import type { Bulk, EndedJob, Job } from "../../../client/service/answers.ts";
import { followBulk } from "../../../client/service/follow.ts";
import { type Session, untilInterrupted } from "./action.ts";
import type { FormFlags } from "./lists.ts";

export interface WatchFlags extends FormFlags, OverwriteFlag {
  readonly outputDir?: string;
  readonly context?: string;
  readonly url?: string;
}

/**
 * @param withResults false: fetches only counts, a few hundred bytes a second; a writer: prints them in its own way
 * @returns the exit code
 */
export async function watchBulks(
  ids: readonly string[],
  flags: WatchFlags,
  { api, terminal }: Session,
  withResults: boolean | ResultWriter,
): Promise<number> {
  const writer =
    typeof withResults === "object"
      ? withResults
      : createResultWriter(terminal, { form: formOf(flags), folder: flags.outputDir });
  const signal = untilInterrupted();
  const latest = new Map<string, Bulk>();
  const jobs: EndedJob[] = [];
  let turn = Promise.resolve();

  const ended = (job: Job) => {
    // Keeps failures for the summary, but not the output of thousands of successful jobs.
    const { status, host, device, result } = job;
    const named = device === undefined ? {} : { device };
    jobs.push({ status, host, ...named, result: result && { ...result, retval: null } });
    turn = turn.then(() => writer.write(job));
    return turn;
  };
  try {
    const endedBulks = await Promise.all(
      ids.map((id) => {
        const counted = (now: Bulk) => {
          latest.set(id, now);
          terminal.progress(progressLine([...latest.values()]));
        };
        return followBulk(api, id, withResults !== false ? { ended, counted } : { counted }, signal);
      }),
    );
    terminal.progress(undefined);
    for (const bulk of endedBulks) terminal.note(summaryLine(bulk));
    if (withResults === false) for (const bulk of endedBulks) jobs.push(...(await failedOf(bulk)));
    const failed = jobs.filter(({ status }) => status === "failed");
    const where = {
      total: sumOf(endedBulks),
      bulks: endedBulks.flatMap(({ id, counts }) => (counts.failed > 0 ? [id] : [])),
    };
    if (failed.length > 0) terminal.note(failuresText(failed, terminal.columns, where).trimEnd());
    return Math.max(exitCodeOf(jobs), ...endedBulks.map(codeOfCounts));
  } catch (error) {
    terminal.progress(undefined);
    if (error instanceof Interrupted || error instanceof ServiceError) comeBack(ids);
    throw error;
  }

  /** All failures of a push: the exit code depends on whether one may have been applied. */
  function failedOf({ id, counts, operation }: Bulk): Promise<EndedJob[]> {
    const maxJobs = operation === "config" ? counts.failed : Math.min(counts.failed, maxFailures);
    return failedJobs(api, id, maxJobs);
  }

  function comeBack(unfinished: readonly string[]): void {
    const where = flags.context ? ` --context ${flags.context}` : flags.url ? ` --url ${flags.url}` : "";
    terminal.note(
      `${unfinished.length === 1 ? "The bulk goes" : "The bulks go"} on at the service. Follow with:`,
    );
    for (const id of unfinished) terminal.note(`  patchbay bulk ${id} --follow --results${where}`);
  }
}

function sumOf(bulks: readonly Bulk[]): number {
  return bulks.reduce((sum, { counts }) => sum + counts.failed, 0);
}

function codeOfCounts({ counts }: Bulk): number {
  return counts.failed + counts.cancelled > 0 ? exitCodes.failed : exitCodes.good;
}

/** Before any prompt or request. @throws ServiceError Validation: two forms, a folder that is not empty */
export function checkResultFlags(flags: WatchFlags): void {
  formOf(flags);
  requireEmptyFolder(flags.outputDir, flags);
}

/** @throws ServiceError Validation: both flags */
export function formOf({ json, csv }: FormFlags): ResultForm {
  if (json === true && csv === true)
    throw new ServiceError("Validation", "--json and --csv cannot be combined.");
  return json === true ? "json" : csv === true ? "csv" : "text";
}
