/** What is known of the lines of a change, before it starts. */
import * as v from "valibot";
import { rehearsableChanges } from "../../../api/changes/change.ts";
import { Action } from "../../parts/action.tsx";
import { GradeCounts } from "../../parts/changes/grade.tsx";
import { When } from "../../parts/when.tsx";
import { ask, may } from "../../reading/api.ts";
import { to } from "../../route.ts";
import { changePath, type OneChange, type Target } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";

export function ChangeRehearsal({ of, done }: { of: OneChange; done: () => void }) {
  const { rehearsal, state, id, revision } = of;
  const isOpen = rehearsableChanges.includes(state);
  if (!isOpen && rehearsal === null) return null;
  const begin = async () => {
    await ask(v.unknown(), changePath(id, "rehearse"), { method: "POST", body: { revision } });
    done();
  };
  return (
    <section aria-label={text.rehearsal.title}>
      <h2>{text.rehearsal.title}</h2>
      {rehearsal === null ? <p>{text.rehearsal.never}</p> : <Said of={rehearsal} />}
      {isOpen && may("operate") && (
        <p class="actions">
          <Action
            quiet={rehearsal?.stale === false}
            label={rehearsal === null ? text.rehearsal.rehearse : text.rehearsal.again}
            act={begin}
          />
          {rehearsal !== null && (
            <button type="button" class="quiet" onClick={done}>
              {text.reload}
            </button>
          )}
        </p>
      )}
    </section>
  );
}

function Said({ of }: { of: NonNullable<OneChange["rehearsal"]> }) {
  const { stale, revision, rehearsed, devices, refusing, grades, bulk_id, at } = of;
  return (
    <>
      <p class={stale ? "warning" : ""}>
        {stale ? text.rehearsal.stale(revision) : text.rehearsal.of(rehearsed, devices)}{" "}
        {refusing > 0 && <Refused what={text.rehearsal.refusing(refusing)} />} <When at={at} />,{" "}
        <a href={to(["bulk", bulk_id])}>{text.rehearsal.bulk}</a>
      </p>
      <GradeCounts of={grades} />
    </>
  );
}

/** What one should know before a yes: lines of this plan that devices would refuse. */
export function Foretold({ of }: { of: OneChange["rehearsal"] }) {
  if (of === null || of.stale || of.refusing === 0) return null;
  return (
    <p>
      <Refused what={text.rehearsal.refusing(of.refusing)} />
    </p>
  );
}

function Refused({ what }: { what: string }) {
  return (
    <strong class="failed">
      <span aria-hidden="true">✕</span> {what}
    </strong>
  );
}

/** Of one device, with the page that has its lines. */
export const targetRehearsal = ({ rehearsal }: Target) =>
  rehearsal && (
    <>
      <a href={to(["job", rehearsal.job_id])}>
        <GradeCounts of={rehearsal.grades} />
      </a>
      {rehearsal.refusals > 0 && <Refused what={text.rehearsal.refusals(rehearsal.refusals)} />}
    </>
  );
