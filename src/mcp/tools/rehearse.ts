/** The tool that rehearses: what is known of lines before anybody sends them. Nothing of them goes to a device. */
import * as v from "valibot";
import { grades as gradeNames } from "../../api/rehearsal/rehearsal.ts";
import { described } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import type { ToolCall, ToolServices } from "../tool.ts";
import { chosen, configLines, reads, tool, untrustedWord, waitSeconds } from "../tool.ts";
import { chosenDevices, hasEnded, jobsOf } from "./asking.ts";
import { isOwn, ownChange } from "./devices.ts";
import { rehearsalSum, rehearsalTag, rehearsedDevices, shownRehearsals } from "./rehearsals.ts";

export const rehearse = tool({
  name: "rehearse",
  title: "Rehearse lines",
  description:
    "Tells what is known of configuration lines before they are proposed: a grade with its evidence for each line, what would change in the configuration that the service keeps, and the lines that take it back. With `change`, of a proposal of this key. Nothing of it is sent to a device. Without the right `history` there are grades only; secrets are shown as marks.",
  annotations: reads,
  input: v.strictObject({
    ...chosen,
    lines: v.optional(configLines),
    change: v.optional(
      described(
        v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
        "Id of a proposed change, in place of devices and lines; if a person has rehearsed it since, there are its grades only",
      ),
    ),
    wait_seconds: waitSeconds,
  }),
  output: v.object({
    task: described(
      v.nullable(v.string()),
      "Id of the bulk: the tool `job` reads it until `done`, also after a restart of either side; null: of a change, which the same call tells again",
    ),
    done: described(v.boolean(), "Whether all jobs have ended"),
    ...rehearsalSum.entries,
    untrusted: described(v.object({ rehearsals: rehearsedDevices }), untrustedWord),
  }),
  async run({ change, lines, wait_seconds, ...choice }, call, services) {
    const forMs = wait_seconds * 1_000;
    const isOfLines = lines !== undefined;
    if ((change === undefined) !== isOfLines)
      throw new ServiceError("BadRequest", "Give either lines, with devices or select, or change.");
    if (change !== undefined) {
      if (choice.devices !== undefined || choice.select !== undefined)
        throw new ServiceError("BadRequest", "A change has its own devices: leave out devices and select.");
      return ofChange(change, forMs, call, services);
    }
    const devices = await chosenDevices(choice, call, services);
    call.charge(devices.length);
    const value = {
      devices: devices.map(({ name }) => ({ device: name })),
      ...{ config: lines, rehearse: true, label: "mcp rehearse", tags: ["mcp", rehearsalTag], ttl: 120 },
    };
    const body = { text: JSON.stringify(value), value };
    const { bulk_id } = await services.jobs.bulk(body, call.acting, undefined, call.signal);
    await services.jobs.waitForBulk(bulk_id, forMs, call.signal);
    const found = await jobsOf({ bulk_id }, call, services);
    const rehearsals = shownRehearsals(found);
    return {
      ...{ task: bulk_id, done: found.every(hasEnded), devices: devices.length },
      rehearsed: rehearsals.filter(({ message }) => message !== null).length,
      refusing: rehearsals.filter(({ refusals }) => refusals.length > 0).length,
      grades: Object.fromEntries(
        gradeNames.flatMap((grade) => {
          const count = rehearsals.reduce((sum, { grades }) => sum + (grades[grade] ?? 0), 0);
          return count > 0 ? [[grade, count]] : [];
        }),
      ),
      untrusted: { rehearsals },
    };
  },
});

/** Of the plan that it has now: begun anew only if there is none of it. */
async function ofChange(id: string, forMs: number, call: ToolCall, services: ToolServices) {
  const { changes, jobs } = services;
  const known = await ownChange(id, call, services);
  const isThere = known.rehearsal !== null && !known.rehearsal.stale;
  if (!isThere) call.charge(Object.values(known.targets).reduce((sum, count) => sum + count, 0));
  const { rehearsal } = isThere ? known : await changes.rehearse(id, undefined, call.acting);
  if (rehearsal === null) throw new ServiceError("InUse", "The plan of the change has no rehearsal.");
  await jobs.waitForBulk(rehearsal.bulk_id, forMs, call.signal);
  const found = await jobsOf({ bulk_id: rehearsal.bulk_id }, call, services);
  const { rehearsal: now } = await changes.read(id, call.acting);
  const { devices, rehearsed, refusing, grades } = now ?? rehearsal;
  return {
    ...{ task: null, done: found.every(hasEnded), devices, rehearsed, refusing, grades },
    // Of others it may tell what only they may read.
    untrusted: { rehearsals: shownRehearsals(found.filter((job) => isOwn(job.submitted_by, call))) },
  };
}
