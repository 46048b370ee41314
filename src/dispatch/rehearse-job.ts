/** Runs a job that rehearses a push: where the device can check lines itself, it is asked; nothing is changed. */
import type { Payload } from "../api/jobs/request.ts";
import type { NotAskedReason } from "../api/rehearsal/not-asked.ts";
import { type ErrorKind, ServiceError } from "../base/errors.ts";
import { isRecord } from "../base/json/members.ts";
import type { Deadline } from "../base/time/deadline.ts";
import type { Pool } from "../pool/port.ts";
import type { NativeCheck, Rehearsals, Unasked } from "../rehearsal/port.ts";
import type { ClaimedJob } from "../store/port.ts";
import type { Output } from "./result.ts";
import { type JobObserver, linesToPush, runJob } from "./run-job.ts";

/** The command under which the result stands. */
export const rehearsalName = "rehearsal";

/** @throws ServiceError the failure of the job */
export async function rehearseJob(
  pool: Pool,
  rehearsals: Rehearsals,
  job: ClaimedJob,
  payload: Payload & { readonly rehearsal: NonNullable<Payload["rehearsal"]> },
  deadline: Deadline,
  observer: JobObserver,
): Promise<Output[]> {
  const { rehearsal, connection } = payload;
  const lines = ((await linesToPush(pool, job, payload, deadline, observer.warned)) ?? []).flatMap((line) =>
    line.split(/\r\n|\n|\r/),
  );
  const native: NativeCheck | Unasked =
    rehearsal.native === null
      ? { because: rehearsal.unasked ?? "no_check" }
      : await checkedByDevice(pool, job, { ...payload, lines }, rehearsal.native, deadline, observer);
  const output = await rehearsals.rehearse(
    {
      ...{ device: rehearsal.device, host: job.host, via: payload.through?.at(-1)?.host, lines, native },
      ...{ platform: job.deviceType, driver: job.driver, connection, shows: rehearsal.shows },
      // Marks that the caller may read anyway: nothing is guessed.
      ...{ isMasked: payload.restore !== undefined },
      comparesSecrets: payload.restore !== undefined || rehearsal.comparesSecrets,
      commits: rehearsal.commits ?? rehearsal.native !== null,
      change: rehearsal.change && { ...rehearsal.change, jobId: job.fence.id },
    },
    { share: job.caller, job: true, deadline },
  );
  return [{ command: rehearsalName, output }];
}

/** @throws ServiceError what is no answer of the device: another attempt may have one */
async function checkedByDevice(
  pool: Pool,
  job: ClaimedJob,
  { rehearsal: _, rendering: __, contextJson: ___, ...payload }: Payload,
  driverArgs: Record<string, unknown>,
  deadline: Deadline,
  observer: JobObserver,
): Promise<NativeCheck | Unasked> {
  try {
    const { outputs, compared } = await runJob(
      pool,
      job,
      { ...payload, operation: "config", driverArgs },
      deadline,
      observer,
    );
    return compared === true
      ? { refused: new Map(), difference: differenceIn(outputs) }
      : { because: "no_check" };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const words = (text: string) => text.trim().slice(0, longestWords);
    if (unreached.has(error.kind) && !deadline.signal.aborted)
      return { because: "not_reached", words: words(error.message) };
    if (error.kind !== "CommandError") throw error;
    const { command = "", output } = error.detail ?? {};
    const at = payload.lines?.findIndex((line) => line.trim() === command.trim()) ?? -1;
    const said = typeof output === "string" ? words(output) : "";
    if (at < 0) return { because: reasonIn(`${error.message}\n${said}`), words: words(error.message) };
    return {
      refused: new Map([[at + 1, said === "" ? words(error.message) : said]]),
      difference: undefined,
    };
  }
}

/** Nothing was said to the device, nor a login tried. */
const unreached: ReadonlySet<ErrorKind> = new Set([
  "ConnectionTimeout",
  "ConnectionRefused",
  "HostUnreachable",
]);

/** Why a device took none of the lines, by its words or those of the driver. */
export function reasonIn(words: string): NotAskedReason {
  if (/uncommitted changes|database (?:has been )?modified/i.test(words)) return "changed";
  return /\block(?:ed)?\b|\bin[- ]use\b|other sessions are changing|waiting for confirmation/i.test(words)
    ? "locked"
    : "not_taken";
}

const longestWords = 500;

function differenceIn(outputs: readonly Output[]): string | undefined {
  const texts = outputs.flatMap(({ output }) =>
    typeof output === "string"
      ? [output]
      : isRecord(output) && typeof output.diff === "string"
        ? [output.diff]
        : [],
  );
  const text = texts.join("\n").trim();
  return text === "" ? undefined : text;
}
