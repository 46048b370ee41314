/** What the groups of its devices ask of a change: votes, a ticket, the size of waves. Pure. */
import * as v from "valibot";
import type { ChangeRequest } from "../../api/changes/change.ts";
import { changeDefaults } from "../../api/changes/change-defaults.ts";
import { linearPattern } from "../../base/regex/linear.ts";
import type { EffectiveDevice } from "../../inventory/port.ts";
import type { StoredChange } from "../../store/port.ts";
import { countOf } from "./waves.ts";

const ofGroup = { group: v.string() };

/** Part of the plan, and so of its hash. */
export const storedDemands = v.object({
  /** The most votes that a group asks for. */
  votes: v.nullable(v.object({ ...ofGroup, least: v.number() })),
  /** A group that requires changes: the author's own vote never counts. */
  required: v.nullable(v.string()),
  tickets: v.array(v.object({ ...ofGroup, pattern: v.string() })),
  waves: v.array(v.object({ ...ofGroup, most: v.number() })),
  /** A group whose devices agents may not propose changes of. */
  noAgents: v.optional(v.nullable(v.string()), null),
});
export type Demands = v.InferOutput<typeof storedDemands>;

export const noDemands: Demands = { votes: null, required: null, tickets: [], waves: [], noAgents: null };

type PolicyDevice = Pick<EffectiveDevice, "change" | "changeFrom">;

/** The group that bounds the device's wave. */
export const waveGroupOf = ({ changeFrom }: PolicyDevice): string | null => changeFrom.max_wave ?? null;

export function demandsOf(devices: Iterable<PolicyDevice>): Demands {
  let { votes, required, noAgents } = noDemands;
  const tickets = new Map<string, string>();
  const waves = new Map<string, { readonly share: number | string; devices: number }>();
  for (const { change, changeFrom } of devices) {
    if (change === null) continue;
    const { approvals, ticket, max_wave: share } = change;
    if (approvals !== undefined && approvals > (votes?.least ?? 0))
      votes = { group: changeFrom.approvals ?? "", least: approvals };
    if (change.agents === false) noAgents ??= changeFrom.agents ?? "";
    if (change.required === true) required ??= changeFrom.required ?? "";
    if (ticket !== undefined && !tickets.has(ticket)) tickets.set(ticket, changeFrom.ticket ?? "");
    if (share === undefined) continue;
    const group = changeFrom.max_wave ?? "";
    const known = waves.get(group) ?? { share, devices: 0 };
    waves.set(group, { share, devices: known.devices + 1 });
  }
  return {
    votes,
    required,
    noAgents,
    tickets: [...tickets].map(([pattern, group]) => ({ group, pattern })),
    waves: [...waves].map(([group, { share, devices: count }]) => ({ group, most: countOf(share, count) })),
  };
}

export type Origin = StoredChange["origin"];

/** What neither a person nor the author of a recipe has asked for needs somebody's vote, whatever else is asked for. */
export const votesNeeded = ({ approvals }: ChangeRequest, { votes }: Demands, origin: Origin): number =>
  Math.max(
    approvals?.count ?? changeDefaults.approvals.count,
    votes?.least ?? 0,
    origin === null || origin === "recipe" ? 0 : 1,
  );

/** @returns why it may not be what it is */
export const originFault = (origin: Origin, { noAgents }: Demands): string | undefined =>
  origin === "agent" && noAgents !== null
    ? `the group ${noAgents} of the inventory takes no changes from agents`
    : undefined;

/** Whether the author's own vote counts. */
export const authorMayVote = (request: ChangeRequest | undefined, { required }: Demands): boolean =>
  request?.approvals?.not_author === false && required === null;

/** @returns what is wrong with the ticket */
export function ticketFault(ticket: string | null | undefined, { tickets }: Demands): string | undefined {
  const unmet = tickets.find(({ pattern }) => !linearPattern(pattern).test(ticket ?? ""));
  return unmet && `must match ${unmet.pattern}, which the group ${unmet.group} of the inventory asks for`;
}

/** What the groups have changed in the plan. */
export function demandWarnings(request: ChangeRequest, demands: Demands, wavesAsked: number, waves: number) {
  const { votes, required } = demands;
  const least = request.approvals?.count ?? changeDefaults.approvals.count;
  return [
    ...(votes !== null && votes.least > least
      ? [`it needs ${votes.least} votes, as the group ${votes.group} asks for`]
      : []),
    ...(required !== null && request.approvals?.not_author === false
      ? [`the author's own vote does not count: the group ${required} requires changes`]
      : []),
    ...(waves > wavesAsked
      ? [
          `there are ${waves} waves in place of ${wavesAsked}, because a wave may have ${demands.waves.map(({ group, most }) => `${most} of the group ${group}`).join(", ")}`,
        ]
      : []),
  ];
}
