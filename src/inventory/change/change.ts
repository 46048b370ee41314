/** Applies changes one at a time: plans on a revision, writes only if it is still current, and replans if it is not. */

import type { UpsertAnswer, UpsertMode } from "../../api/inventory/inventory.ts";
import { ServiceError } from "../../base/errors.ts";
import { giveWay } from "../../base/time/yield.ts";
import type { InventoryStore, NewAuditEntry } from "../../store/port.ts";
import type { ApplyOptions, Changer } from "../port.ts";
import type { InventoryReader, Read } from "../snapshot/reader.ts";
import { type NameCredential, requireCredentialsOf } from "./credential-reach.ts";
import { auditOf, changeOf, limitedDiff } from "./diff.ts";
import { type Asked, makePlan, type Plan, type PlanTools } from "./plan.ts";

export interface ChangeTools extends PlanTools {
  readonly store: InventoryStore;
  readonly reader: InventoryReader;
  readonly nameCredential: NameCredential;
}

/** Computes the requested entries from the current inventory. If it throws, nothing is changed. */
export type Ask = (read: Read) => Asked;

/**
 * @param isMany adds one audit entry for the whole change to those of its devices and groups.
 * @returns what was changed, or with a dry run would be changed.
 */
export type Change = (ask: Ask, caller: Changer, isMany: boolean) => Promise<UpsertAnswer>;

/** Other nodes write to the same store. */
const maxTries = 8;
const maxWaiting = 32;

export function createChange({ store, reader, nameCredential, ...tools }: ChangeTools): Change {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function change(ask: Ask, caller: Changer, isMany: boolean): Promise<UpsertAnswer> {
    for (let tries = 0; tries < maxTries; tries++) {
      const read = await reader.read();
      const request = ask(read);
      const plan = await makePlan(read.state, request, tools);
      const { hosts = [], credentials } = caller;
      await requireCredentialsOf(read.state, plan.over, { hosts, credentials }, nameCredential);
      const { revision } = read.state;
      if (request.options.dryRun || plan.differences.length === 0)
        return answerOf(plan, request.options, revision);
      const { devices, groups } = plan;
      const audit = await entriesOf(plan, request.options, isMany);
      const newRevision = await store.write({ expected: revision, devices, groups, by: caller, audit });
      if (newRevision !== undefined) return answerOf(plan, request.options, newRevision);
    }
    throw new ServiceError("Unavailable", "The inventory keeps changing: try again.", { retryAfter: 1 });
  }

  return async (ask, caller, isMany) => {
    if (waiting >= maxWaiting)
      throw new ServiceError("TooManyRequests", "Too many inventory changes are waiting.", { retryAfter: 1 });
    waiting++;
    const answer = last.then(() => change(ask, caller, isMany));
    last = answer.catch(() => {});
    try {
      return await answer;
    } finally {
      waiting--;
    }
  };
}

function answerOf(plan: Plan, { dryRun = false }: ApplyOptions, revision: number): UpsertAnswer {
  return { dry_run: dryRun, ...countsOf(plan), ...limitedDiff(plan.differences), revision };
}

function countsOf({ differences, unchanged }: Plan) {
  const counts = { added: 0, changed: 0, removed: 0, unchanged };
  for (const difference of differences) counts[changeOf(difference)]++;
  return counts;
}

async function entriesOf(
  plan: Plan,
  { mode = "merge", source }: ApplyOptions,
  isMany: boolean,
): Promise<Omit<NewAuditEntry, "caller">[]> {
  const entries = isMany ? [importEntry(plan, mode, source)] : [];
  for (const difference of plan.differences) {
    entries.push(auditOf(difference));
    const waits = giveWay();
    if (waits !== undefined) await waits;
  }
  return entries;
}

function importEntry(
  plan: Plan,
  mode: UpsertMode,
  source: string | undefined,
): Omit<NewAuditEntry, "caller"> {
  const { added, changed, removed, unchanged } = countsOf(plan);
  const from = source === undefined ? "" : ` from ${source}`;
  return {
    action: "inventory.import",
    outcome: mode,
    detail: `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged${from}`,
  };
}
