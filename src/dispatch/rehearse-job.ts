/** Runs a job that rehearses a push: where the device can check lines itself, it is asked; nothing is changed. */
import type { Payload } from "../api/jobs/request.ts";
import { ServiceError } from "../base/errors.ts";
import { isRecord } from "../base/json/members.ts";
import type { Deadline } from "../base/time/deadline.ts";
import type { Pool } from "../pool/port.ts";
import type { NativeCheck, Rehearsals } from "../rehearsal/port.ts";
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
  const native =
    rehearsal.native === null
      ? undefined
      : await checkedByDevice(pool, job, { ...payload, lines }, rehearsal.native, deadline, observer);
  const output = await rehearsals.rehearse(
    {
      ...{ device: rehearsal.device, host: job.host, via: payload.through?.at(-1)?.host, lines, native },
      ...{ platform: job.deviceType, driver: job.driver, connection, shows: rehearsal.shows },
      // Marks that the caller may read anyway: nothing is guessed.
      ...{ isMasked: payload.restore !== undefined },
      comparesSecrets: payload.restore !== undefined || rehearsal.comparesSecrets,
      change: rehearsal.change && { ...rehearsal.change, jobId: job.fence.id },
    },
    { share: job.caller, job: true, deadline },
  );
  return [{ command: rehearsalName, output }];
}

/** @returns undefined if the device turned out not to compare */
async function checkedByDevice(
  pool: Pool,
  job: ClaimedJob,
  { rehearsal: _, rendering: __, contextJson: ___, ...payload }: Payload,
  driverArgs: Record<string, unknown>,
  deadline: Deadline,
  observer: JobObserver,
): Promise<NativeCheck | undefined> {
  try {
    const { outputs, compared } = await runJob(
      pool,
      job,
      { ...payload, operation: "config", driverArgs },
      deadline,
      observer,
    );
    return compared === true ? { refused: new Map(), difference: differenceIn(outputs) } : undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== "CommandError") throw error;
    const { command = "", output } = error.detail ?? {};
    const at = payload.lines?.findIndex((line) => line.trim() === command.trim()) ?? -1;
    const words =
      at >= 0 && typeof output === "string" && output.trim() !== "" ? output.trim() : error.message;
    return { refused: new Map([[at + 1, words.slice(0, longestWords)]]), difference: undefined };
  }
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
