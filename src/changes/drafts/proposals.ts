/** What agents propose and recipes draft: once for each key, however often it is said, and planned at once. */
import { changeLimits } from "../../api/changes/change.ts";
import { submitterOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import type { NewChange, Proposal, Store, StoredChange } from "../../store/port.ts";

export const planWaitMs = 20_000;
const repeatMs = 24 * 3_600_000;

interface ProposalTools {
  readonly store: Pick<Store, "changes" | "clock" | "makeId">;
  onMoved(): void;
  planned(id: string, forMs: number): Promise<void>;
}

type Written = () => Promise<Pick<NewChange, "name" | "ticket" | "needed" | "request">>;

export function createProposals({ store, onMoved, planned }: ProposalTools) {
  const { changes, clock } = store;

  return { draftOnce, propose };

  async function draftOnce(proposal: Proposal, caller: Caller, written: Written): Promise<StoredChange> {
    const { keyId: holder } = caller;
    let known = await changes.proposal(holder, proposal);
    if (known === undefined) {
      const { kind: submitterKind, name: submitter } = submitterOf(caller);
      const author = { submitterKind, submitter, holder };
      const change = { id: store.makeId(), ...author, ...(await written()), proposal };
      // One row says all: whoever dies now, or asks twice at once, finds it by its key.
      if ((await changes.add(change, caller)) === "full")
        throw proposal.origin === "agent" ? tooManyProposed() : tooMany();
      known = await changes.proposal(holder, proposal);
    }
    if (known === undefined) throw new ServiceError("Internal", "The proposal is gone.");
    if (known.proposed !== proposal.sha256)
      throw new ServiceError("InUse", "This key was used for another proposal: choose a new one.");
    return known;
  }

  async function propose(
    { key, sha256 }: Pick<Proposal, "key" | "sha256">,
    caller: Caller,
    written: Written,
  ): Promise<StoredChange> {
    const proposal = { key, sha256, since: clock.wall() - repeatMs, origin: "agent" as const };
    const known = await draftOnce(proposal, caller, written);
    if (known.state === "planning") {
      const plan = planned(known.id, planWaitMs);
      onMoved();
      await plan;
    }
    return (await changes.find(known.id)) ?? known;
  }
}

function tooManyProposed(): ServiceError {
  const { open, most } = changeLimits.proposed;
  return new ServiceError(
    "TooManyRequests",
    `This key has ${open} proposals that have not ended, or ${most} in all, or there are too many changes: a person has to vote on some, or cancel them.`,
    { retryAfter: 60 },
  );
}

export function tooMany(): ServiceError {
  return new ServiceError(
    "TooManyRequests",
    `There are ${changeLimits.open} changes that have not ended, or ${changeLimits.most} in all: end or cancel some, or wait until old ones are deleted.`,
    { retryAfter: 60 },
  );
}
