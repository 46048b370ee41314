/** Checks background work: schedules that stopped or did not fire, inventory sources that were not synced. */
import { readRun } from "../../api/inventory-source.ts";
import { stateOfKey } from "../../api/key.ts";
import { scheduleLimits } from "../../api/schedule.ts";
import type { Store, StoredFiring, StoredSchedule } from "../../store/port.ts";
import { type Finding, ok, warn } from "./finding.ts";

/** Per kind; the others are counted. */
const maxTold = 10;

export async function findUnattended(store: Store): Promise<Finding[]> {
  return [...(await schedulesOf(store)), ...(await sourcesOf(store))];
}

async function schedulesOf(store: Store): Promise<Finding[]> {
  const check = "schedules";
  const schedules = await store.schedules.page(undefined, scheduleLimits.most);
  if (schedules.length === 0) return [];
  const now = store.clock.wall();
  const inForce = (await store.keys.list()).filter((key) => stateOfKey(key, now) === "in_force");
  const owners = new Set(inForce.map(({ id }) => id));
  const last = await store.schedules.lastFirings(schedules.map(({ id }) => id));
  const bad = schedules.flatMap((schedule) => {
    const [text, advice] = faultOf(schedule, owners.has(schedule.owner), last.get(schedule.id)) ?? [];
    return text === undefined || advice === undefined
      ? []
      : [warn(check, `${schedule.name} ${text}`, advice)];
  });
  return told(check, bad, `${schedules.length}, none stopped or failed`);
}

/** The problem with one item, and what to do. */
function faultOf(
  { name, state, why }: StoredSchedule,
  hasOwner: boolean,
  last: StoredFiring | undefined,
): readonly [text: string, advice: string] | undefined {
  const again = "Create it again with a valid key, and remove this one (docs/guides/schedules.md).";
  if (state === "ended") return undefined;
  if (state === "stopped") return [`is stopped: ${why ?? "its owner is gone"}`, again];
  if (!hasOwner) return ["does not fire: its API key was revoked or has expired", again];
  if (state === "paused" && why !== null)
    return [`is paused: ${why}`, `\`patchbay schedule resume '${name}'\` on the node where it should run.`];
  if (state !== "active" || (last?.status !== "failed" && last?.status !== "missed")) return undefined;
  const at = new Date(last.dueAt).toISOString();
  const reason = last.reason === null ? "" : `: ${last.reason}`;
  return [
    `${last.status === "failed" ? "failed" : "was missed"} at ${at}${reason}`,
    `\`patchbay schedule show '${name}'\`; fix it, then \`patchbay schedule run '${name}'\`.`,
  ];
}

async function sourcesOf(store: Store): Promise<Finding[]> {
  const check = "sources";
  const sources = await store.sources.list();
  if (sources.length === 0) return [];
  const bad = sources.flatMap(({ key, runs }) => {
    const run = runs.map((text) => readRun(JSON.parse(text))).find(({ dry_run }) => !dry_run);
    if (run?.status !== "failed") return [];
    const advice = `Nothing was imported from it: try POST /inventory/source/${key}/sync?dry_run=true (docs/guides/inventory.md).`;
    return [warn(check, `${key} was not synced at ${run.ended_at}: ${run.error ?? "it failed"}`, advice)];
  });
  return told(check, bad, `${sources.length}, none failed when it was last synced`);
}

function told(check: string, bad: readonly Finding[], well: string): Finding[] {
  if (bad.length === 0) return [ok(check, well)];
  const rest = bad.length - maxTold;
  const more = warn(check, `${rest} more`, "Fix these and run the check again.");
  return [...bad.slice(0, maxTold), ...(rest > 0 ? [more] : [])];
}
