/** What tools answer of rehearsals: grades with their evidence, and what is foretold. */
import * as v from "valibot";
import type { ChangeDetail } from "../../api/changes/change.ts";
import type { ListedJob } from "../../api/jobs/job.ts";
import { notAskedText } from "../../api/rehearsal/not-asked.ts";
import { type Grade, gradeCounts, grades, lineEvidence, rehearsal } from "../../api/rehearsal/rehearsal.ts";
import { described } from "../../api/schema.ts";
import { cutText } from "../marking.ts";
import { most } from "../tool.ts";
import { resultOf } from "./asking.ts";

const cutShown = v.object({ text: v.string(), cut_from: v.exactOptional(v.number()) });

const rehearsedDevice = v.object({
  device: v.string(),
  status: described(v.string(), "Of its job: queued, running, finished, failed or cancelled"),
  message: described(v.nullable(v.string()), "One sentence, with the worst line"),
  grades: described(gradeCounts, "How many lines have each grade"),
  lines: described(
    v.array(
      v.object({
        line: described(v.number(), "From 1"),
        text: v.string(),
        grade: v.picklist(grades),
        why: v.string(),
        evidence: lineEvidence,
      }),
    ),
    "In order; where there is no room for all, the worst",
  ),
  lines_in_all: v.number(),
  refusals: described(v.array(v.number()), "Lines that will probably be refused"),
  configuration: described(
    v.nullable(v.object({ version: v.number(), age_seconds: v.number() })),
    "What is foretold from; null: none is kept",
  ),
  difference: described(v.nullable(cutShown), "What would change; null: not known, or without `history`"),
  predicted: described(v.nullable(cutShown), "What the configuration would be"),
  reverse: described(v.nullable(cutShown), "Lines that take it back"),
  reverse_proven: v.nullable(v.boolean()),
  twin: described(v.nullable(v.string()), "What a twin with its configuration has shown"),
  not_asked: described(v.array(v.string()), "What was not asked of the device, and why"),
  warnings: v.array(v.string()),
  failure: v.nullable(v.object({ type: v.string(), message: v.string() })),
});
type RehearsedDevice = v.InferOutput<typeof rehearsedDevice>;

export const rehearsedDevices = v.array(rehearsedDevice);

export const rehearsalSum = v.object({
  devices: described(v.number(), "Of the plan"),
  rehearsed: described(v.number(), "Those whose lines have grades"),
  refusing: described(v.number(), "Those with lines that will probably be refused"),
  grades: described(gradeCounts, "Lines of all devices"),
});

export const sumOf = ({
  devices,
  rehearsed,
  refusing,
  grades: counts,
}: NonNullable<ChangeDetail["rehearsal"]>): v.InferOutput<typeof rehearsalSum> => ({
  ...{ devices, rehearsed, refusing, grades: counts },
});

export const rehearsalTag = "rehearsal";
export const isRehearsal = ({ tags }: ListedJob): boolean => tags?.includes(rehearsalTag) === true;

/** Texts of all together are bounded, and those of each in the same way. */
export function shownRehearsals(jobs: readonly ListedJob[]): RehearsedDevice[] {
  const room = Math.floor(most.outputs / Math.max(1, jobs.length));
  return jobs.map((job) => shownRehearsal(job, room));
}

const named = v.object({ rehearsal });
/** Of the room of a device. */
const shares = { lines: 0.5, difference: 0.2, predicted: 0.2, reverse: 0.1 } as const;
const longest = { line: 1_000, why: 500, warnings: 10 } as const;

function shownRehearsal(job: ListedJob, room: number): RehearsedDevice {
  const { retval, failure } = resultOf(job);
  const read = v.safeParse(named, retval);
  const found = read.success ? read.output.rehearsal : undefined;
  const cut = (text: string | null | undefined, share: number) =>
    text === null || text === undefined ? null : cutText(text, Math.floor(room * share));
  return {
    ...{ device: job.device ?? job.host, status: job.status },
    message: found === undefined ? null : cutText(found.message, longest.why).text,
    grades: found?.grades ?? {},
    lines: fitting(found?.lines ?? [], room * shares.lines),
    lines_in_all: Object.values(found?.grades ?? {}).reduce((sum, count) => sum + count, 0),
    refusals: found?.refusals ?? [],
    configuration: found?.configuration
      ? { version: found.configuration.version, age_seconds: found.configuration.age_seconds }
      : null,
    difference: cut(found?.diff, shares.difference),
    predicted: cut(found?.predicted, shares.predicted),
    reverse: cut(found?.reverse?.join("\n"), shares.reverse),
    reverse_proven: found?.reverse_proven ?? null,
    twin: found?.twin === undefined ? null : cutText(found.twin.message, longest.why).text,
    not_asked: (found?.not_asked ?? []).map((one) => cutText(notAskedText(one), longest.why).text),
    warnings: (found?.warnings ?? [])
      .slice(0, longest.warnings)
      .map((text) => cutText(text, longest.why).text),
    failure,
  };
}

/** From the one to look at first on. */
const urgency: readonly Grade[] = [
  ...(["locks_out", "refused", "wrong_mode", "leaves_mode", "asks"] as const),
  ...(["unknown", "no_effect", "alike", "seen", "checked"] as const),
];

function fitting(lines: v.InferOutput<typeof rehearsal>["lines"], room: number): RehearsedDevice["lines"] {
  const worstFirst = lines
    .map(({ line, text, grade, why, evidence }) => ({
      ...{ line, grade, text: cutText(text, longest.line).text, why: cutText(why, longest.why).text },
      evidence:
        evidence.words === undefined
          ? evidence
          : { ...evidence, words: cutText(evidence.words, longest.why).text },
    }))
    .sort((a, b) => urgency.indexOf(a.grade) - urgency.indexOf(b.grade) || a.line - b.line);
  let left = room;
  const kept = worstFirst.filter((line) => {
    left -= JSON.stringify(line).length;
    return left >= 0;
  });
  return (kept.length > 0 ? kept : worstFirst.slice(0, 1)).sort((a, b) => a.line - b.line);
}
