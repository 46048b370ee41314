/** Whether a planned change is still what the groups of its devices ask for. */
import type { ChangeRequest } from "../../api/changes/change.ts";
import type { Returns } from "../../history/port.ts";
import type { EffectiveDevice, Inventory } from "../../inventory/port.ts";
import type { Store, StoredChange } from "../../store/port.ts";
import { createRehearsalCheck, type Objection } from "../rehearsing/rehearsal-check.ts";
import { createTargetReading } from "../targets.ts";
import type { StoredPlan } from "./plan.ts";
import { authorMayVote, type Demands, demandsOf, originFault, ticketFault, waveGroupOf } from "./policy.ts";

export interface PolicyTools {
  readonly store: Pick<Store, "changes" | "jobs" | "history">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly returns: Pick<Returns, "byLines">;
}

/** What the groups ask today. */
export function createPolicyCheck({ store, inventory, returns }: PolicyTools) {
  const { targetsOf } = createTargetReading(store);
  const objectionToLines = createRehearsalCheck(store);

  return async (
    change: PlannedChange,
    request: ChangeRequest | undefined,
    { demands, restored }: Pick<StoredPlan, "demands" | "restored">,
  ): Promise<Objection | undefined> => {
    const [snapshot, targets] = await Promise.all([inventory.snapshot(), targetsOf(change.id, {})]);
    // One that has gone since gets nothing: its turn says so.
    const known = targets.flatMap(({ device, wave }) => {
      const found = snapshot.device(device);
      return found === undefined ? [] : [{ found, wave }];
    });
    const why = await objectionToPlan(change, request, demands, known);
    if (why !== undefined) return { why, way: "Plan it again" };
    return objectionToLines(
      change.id,
      known.map(({ found }) => ({
        ...found,
        isWhole: restored[found.name] !== undefined && !returns.byLines(found),
      })),
    );
  };

  async function objectionToPlan(
    change: PlannedChange,
    request: ChangeRequest | undefined,
    planned: Demands,
    known: readonly KnownTarget[],
  ): Promise<string | undefined> {
    const today = demandsOf(known.map(({ found }) => found));
    const { votes } = today;
    if (votes !== null && votes.least > change.needed)
      return `the group ${votes.group} asks for ${votes.least} votes since, and the plan has ${change.needed}`;
    if (today.required !== null && authorMayVote(request, planned))
      return `the group ${today.required} requires changes since: the author's own vote does not count any more`;
    const fault = ticketFault(change.ticket, today);
    if (fault !== undefined) return `its ticket ${fault}`;
    const notByAgents = originFault(change.origin, today);
    if (notByAgents !== undefined) return notByAgents;
    const crowd = crowdedWave(known, today);
    if (crowd !== undefined) return crowd;
    const given = (await store.changes.votes(change.id)).filter(
      ({ revision, verdict }) => revision === change.revision && verdict === "approve",
    );
    return given.length < change.needed ? `it has ${given.length} of ${change.needed} votes` : undefined;
  }
}

type PlannedChange = Pick<StoredChange, "id" | "needed" | "ticket" | "revision" | "origin">;

interface KnownTarget {
  readonly found: EffectiveDevice;
  readonly wave: number;
}

function crowdedWave(devices: readonly KnownTarget[], { waves }: Demands): string | undefined {
  const room = new Map(waves.map(({ group, most }) => [group, most]));
  const counts = new Map<string, number>();
  for (const { found, wave } of devices) {
    const group = waveGroupOf(found);
    if (group === null) continue;
    const key = `${wave} ${group}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const most = room.get(group);
    if (most !== undefined && count > most)
      return `wave ${wave} has more devices of the group ${group} than the ${most} that it allows since`;
  }
  return undefined;
}
