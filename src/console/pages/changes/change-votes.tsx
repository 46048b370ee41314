/** Votes on a change, and the vote of this session: for exactly the plan that was on the page when it was opened. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import * as v from "valibot";
import type { Verdict } from "../../../api/changes/change.ts";
import { useAlert } from "../../parts/alert.tsx";
import { Decide } from "../../parts/decide.tsx";
import { When } from "../../parts/when.tsx";
import { ask, holds, isPerson, me } from "../../reading/api.ts";
import { changePath, type OneChange } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";
import { approvedOf } from "./change-consequences.ts";
import { Foretold } from "./change-rehearsal.tsx";
import { isAuthor } from "./change-words.tsx";

interface BallotProps {
  readonly at: RefObject<HTMLElement | null>;
  readonly of: OneChange;
  readonly done: () => void;
}

export function Ballot({ at, of, done }: BallotProps) {
  const { votes, state, approvals, revision, hash } = of;
  // Kept here: the vote goes from the page while a new plan is made, and what was read is still the former one.
  const [read, setRead] = useState({ revision, hash });
  useEffect(() => {
    if (read.hash === null) setRead({ revision, hash });
  }, [hash]);
  if (votes.length === 0 && state !== "waiting_approval") return null;
  return (
    <section ref={at} tabIndex={-1} aria-label={text.change.votes}>
      <h2>
        {text.change.votes}{" "}
        <span class="faint">
          {approvals.given} of {approvals.needed}
        </span>
      </h2>
      {votes.length === 0 && <p class="empty">{text.change.noVote}</p>}
      <ul class="versions">
        {votes.map(({ person, verdict, revision, note, at: voted }) => (
          <li key={`${person} ${revision}`} class={revision === of.revision ? undefined : "faint"}>
            <Mark of={verdict} /> <strong>{person}</strong> <When at={voted} />
            {revision !== of.revision && ` ${text.change.oldRevision(revision)}`}
            {note !== null && <em class="note"> {note}</em>}
          </li>
        ))}
      </ul>
      {state === "waiting_approval" && <Vote of={of} done={done} read={read} setRead={setRead} />}
    </section>
  );
}

function Mark({ of }: { of: Verdict }) {
  return (
    <span class={of === "approve" ? "status finished" : "status failed"}>
      <span aria-hidden="true">{of === "approve" ? "✓" : "✕"}</span> {of}
    </span>
  );
}

interface VoteProps extends Omit<BallotProps, "at"> {
  readonly read: ReadPlan;
  readonly setRead: (read: ReadPlan) => void;
}
type ReadPlan = Pick<OneChange, "revision" | "hash">;

function Vote({ of, done, read, setRead }: VoteProps) {
  const { revision, hash } = of;
  const why = whyNotOf(of);
  const isOther = read.revision !== revision || read.hash !== hash;
  const replaced = isOther && why === undefined ? text.change.replaced(revision, read.revision) : "";
  useAlert(replaced);
  if (why !== undefined) return <p class="faint">{why}</p>;
  if (isOther)
    return (
      <div class="warning">
        <p>{replaced}</p>
        <p>
          <button type="button" class="quiet" onClick={() => setRead({ revision, hash })}>
            {text.change.haveRead(revision)}
          </button>
        </p>
      </div>
    );
  const vote = (verdict: Verdict) => async (note: string) => {
    const body = { ...read, verdict, ...(note === "" ? {} : { note }) };
    await ask(v.unknown(), changePath(of.id, "vote"), { method: "POST", body });
    done();
  };
  return (
    <div class="actions">
      <Decide label={text.change.approve} act={vote("approve")}>
        <p>{text.change.sureApprove(approvedOf(of))}</p>
        <Foretold of={of.rehearsal} />
        {of.not_returnable > 0 && (
          <p>
            {text.change.notReturnable}: {text.change.devices(of.not_returnable)}
          </p>
        )}
      </Decide>
      <Decide label={text.change.reject} danger act={vote("reject")}>
        <p>{text.change.sureReject}</p>
      </Decide>
    </div>
  );
}

/** Why this session cannot vote; the service says so in any case. */
function whyNotOf(of: OneChange): string | undefined {
  const whyNot = text.change.whyNot;
  if (!isPerson()) return whyNot.key;
  if (!holds("approve")) return whyNot.right;
  if (of.waits_for_you) return undefined;
  const hasVoted = of.votes.some(
    ({ person, revision }) => person === me.value?.person && revision === of.revision,
  );
  if (hasVoted) return whyNot.voted;
  return isAuthor(of) ? whyNot.author : undefined;
}
