/** States of a change and of its devices: a sign, a word and a colour for each. */
import { type ChangeState, type TargetState, targetStates } from "../../../api/changes/change.ts";
import type { OneChange } from "../../shapes/changes.ts";
import type { JobStatus } from "../../shapes/shapes.ts";
import { labelOf } from "../../text/labels.ts";
import { Bar, type BarPart } from "../status.tsx";

/** The colours of the states of jobs. */
type Look = readonly [sign: string, colour: JobStatus];

const changeLooks: Readonly<Record<ChangeState, Look>> = {
  draft: ["○", "queued"],
  planning: ["▶", "running"],
  waiting_approval: ["?", "held"],
  approved: ["✓", "running"],
  running: ["▶", "running"],
  paused: ["‖", "held"],
  stopping: ["■", "failed"],
  stopped: ["■", "held"],
  returning: ["↩", "running"],
  done: ["✓", "finished"],
  returned: ["↩", "held"],
  partly_returned: ["!", "failed"],
  needs_person: ["!", "failed"],
  rejected: ["✕", "failed"],
  expired: ["–", "queued"],
  cancelled: ["–", "queued"],
};

const targetLooks: Readonly<Record<TargetState, Look>> = {
  waiting: ["○", "queued"],
  pushing: ["▶", "running"],
  pushed: ["✓", "finished"],
  unconfirmed: ["◷", "running"],
  failed: ["✕", "failed"],
  unreachable: ["–", "held"],
  unknown: ["?", "failed"],
  diverged: ["≠", "failed"],
  skipped: ["–", "queued"],
  returning: ["↩", "running"],
  returned: ["↩", "held"],
  not_returned: ["!", "failed"],
};

function Shown({ look: [sign, colour], state }: { look: Look; state: string }) {
  return (
    <span class={`status ${colour}`}>
      <span aria-hidden="true">{sign}</span> {labelOf(state)}
    </span>
  );
}

export function StateOfChange({ of }: { of: ChangeState }) {
  return <Shown look={changeLooks[of]} state={of} />;
}

export function StateOfTarget({ of }: { of: TargetState }) {
  return <Shown look={targetLooks[of]} state={of} />;
}

/** Devices by state, as a bar with its legend. */
export function TargetCounts({ of }: { of: OneChange["targets"] }) {
  const present = targetStates.filter((state) => of[state] > 0);
  const parts = present.map((state): BarPart => [targetLooks[state][1], of[state]]);
  return (
    <div class="counts">
      <Bar of={parts} />
      {present.map((state) => (
        <span key={state}>
          <StateOfTarget of={state} /> {of[state]}
        </span>
      ))}
    </div>
  );
}

export const totalOf = (counts: OneChange["targets"]): number =>
  targetStates.reduce((sum, state) => sum + counts[state], 0);
