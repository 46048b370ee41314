/** Grades of rehearsed lines: a sign, a word and a colour for each. */
import { type Grade, grades, gradeWords } from "../../../api/rehearsal/rehearsal.ts";
import type { JobStatus } from "../../shapes/shapes.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";

const looks: Readonly<Record<Grade, readonly [sign: string, colour: JobStatus]>> = {
  checked: ["✓", "finished"],
  seen: ["✓", "finished"],
  alike: ["≈", "finished"],
  unknown: ["?", "held"],
  refused: ["✕", "failed"],
  leaves_mode: ["↰", "failed"],
  asks: ["!", "failed"],
  wrong_mode: ["≠", "failed"],
  locks_out: ["⊘", "failed"],
  no_effect: ["–", "queued"],
};

export function GradeMark({ of }: { of: Grade }) {
  const [sign, colour] = looks[of];
  return (
    <span class={`status ${colour}`} title={gradeWords[of]}>
      <span aria-hidden="true">{sign}</span> {labelOf(of)}
    </span>
  );
}

/** Lines by grade, the best first. */
export function GradeCounts({ of }: { of: Readonly<Partial<Record<Grade, number>>> }) {
  return (
    <span class="counts">
      {grades.flatMap((grade) => {
        const count = of[grade] ?? 0;
        return count === 0
          ? []
          : [
              <span key={grade}>
                <GradeMark of={grade} /> {text.change.lines(count)}
              </span>,
            ];
      })}
    </span>
  );
}
