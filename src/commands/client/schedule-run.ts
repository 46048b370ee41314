/** `patchbay schedule run`: fires now, prints the id of the bulk, and follows it on request. */
import { pause } from "../../base/time/deadline.ts";
import { exitCodes } from "../../client/output/outcome.ts";
import { jsonLine } from "../../client/output/table.ts";
import { type Firing, firingList, oneFiring } from "../../client/service/schedules.ts";
import { type Session, untilInterrupted } from "./action.ts";
import { clockTime } from "./jobs.ts";
import { type WatchFlags, watchBulks } from "./watch.ts";

export interface RunScheduleFlags extends WatchFlags {
  readonly follow?: boolean;
}

const firstLookMs = 50;
const maxLookMs = 1_000;
/** How long the id of a bulk is awaited; following waits without a limit. */
const idMs = 60_000;
const recent = 20;

/** @returns the exit code */
export async function runSchedule(path: string, flags: RunScheduleFlags, session: Session): Promise<number> {
  const { api, terminal } = session;
  const asked = await api.call(`${path}/run`, oneFiring, { method: "POST" });
  const firing = await submittedOf(path, asked, flags.follow === true, session);
  const { bulk_id: bulk, status, reason } = firing;
  const isFailed = !["submitted", "done", "submitting", "waiting"].includes(status);
  if (flags.follow === true && bulk !== undefined) {
    terminal.note(`Bulk ${bulk}.`);
    return watchBulks([bulk], flags, session, true);
  }
  if (flags.json === true) await terminal.write(`${jsonLine(firing)}\n`);
  else {
    terminal.note(`${clockTime(firing.due_at)}: ${status}${reason ? ` (${reason})` : ""}.`);
    if (bulk !== undefined) await terminal.write(`${bulk}\n`);
  }
  return isFailed ? exitCodes.failed : exitCodes.good;
}

/** Waits until it has been submitted or refused; one that waits for the firing before it only if `patient`. */
async function submittedOf(path: string, asked: Firing, patient: boolean, { api }: Session): Promise<Firing> {
  const signal = untilInterrupted();
  const until = performance.now() + idMs;
  let firing = asked;
  for (let lookMs = firstLookMs; ; lookMs = Math.min(maxLookMs, lookMs * 2)) {
    const isOpen = firing.status === "submitting" || (patient && firing.status === "waiting");
    if (!isOpen || (!patient && performance.now() > until)) return firing;
    await pause(lookMs, signal);
    const query = { limit: recent };
    const firings = await api.call(`${path}/firing`, firingList, { query, patient: true, signal });
    firing = firings.find(({ due_at }) => due_at === asked.due_at) ?? firing;
  }
}
