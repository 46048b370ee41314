/**
 * The next round of a fix that did not help: what its push left is compared, and while that differs, a change with the
 * same demands is drafted and planned for those devices. Nothing of it runs before somebody has voted on it.
 */
import { createHash } from "node:crypto";
import type { ChangeRequest } from "../../api/changes/change.ts";
import { changeDefaults } from "../../api/changes/change-defaults.ts";
import { submitterOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { hasRight } from "../../auth/rights.ts";
import type { Log } from "../../base/log.ts";
import type { DriftAgain, Store, StoredChange } from "../../store/port.ts";
import { readRequest } from "../request.ts";

export interface FurtherRoundsTools {
  readonly store: Pick<Store, "changes" | "intents" | "makeId">;
  readonly log: Log;
  /** With the rights of today; undefined: they have none any more. */
  ownerOf(id: string): Promise<Caller | undefined>;
  /** Something is to be planned. */
  onDrafted(): void;
}

const nameChars = 200;

/** @returns drafts what is due; never rejects. What fails for the moment is tried again by the next call. */
export function createFurtherRounds({ store, log, ownerOf, onDrafted }: FurtherRoundsTools) {
  const { changes, intents } = store;

  async function draft(of: StoredChange, again: readonly DriftAgain[]): Promise<void> {
    const request = readRequest(of.request);
    const author = await ownerOf(of.holder);
    const mayNot = author === undefined || !hasRight(author, "history");
    if (request?.fix === undefined || request.fix === null || mayNot) {
      log.warn("drift.no_round", {
        change: of.id,
        reason: mayNot ? "its author has no rights any more" : "it is no fix",
      });
      return intents.drafted(of.id);
    }
    const next = nextRequest(request, again, 1 + Math.max(...again.map(({ rounds }) => rounds)));
    const { kind: submitterKind, name: submitter } = submitterOf(author);
    // Another node drafts the same one once.
    const key = createHash("sha256").update(`round ${of.id}`).digest("hex");
    const done = await changes.add(
      {
        ...{ id: store.makeId(), submitterKind, submitter, holder: of.holder },
        ...{ name: next.name, ticket: next.ticket ?? null, request: JSON.stringify(next) },
        needed: Math.max(1, next.approvals?.count ?? changeDefaults.approvals.count),
        proposal: { key, sha256: key, since: 0, origin: "drift" },
      },
      author,
    );
    if (done === "full")
      return log.warn("drift.no_round", { change: of.id, reason: "there are too many changes" });
    await intents.drafted(of.id);
    onDrafted();
  }

  return async (): Promise<void> => {
    try {
      for (const [change, again] of Map.groupBy(await intents.again(), (one) => one.change)) {
        const of = await changes.find(change);
        if (of === undefined) await intents.drafted(change);
        else await draft(of, again);
      }
    } catch (error) {
      log.warn("drift.no_round", { reason: String(error) });
    }
  };
}

/** Of the same author, with the same demands, for the devices that still drift; it begins at no time by itself. */
function nextRequest(
  { select: _, not_before: __, ...request }: ChangeRequest,
  again: readonly DriftAgain[],
  round: number,
): ChangeRequest {
  const name = request.name.replace(/ \(round \d+\)$/, "");
  const word = ` (round ${round})`;
  return {
    ...request,
    name: `${name.slice(0, nameChars - word.length)}${word}`,
    devices: [...new Set(again.map(({ device }) => device))],
  };
}
