/** Rehearsals: what a line will do before it is sent, as grades with their evidence. */
import * as v from "valibot";
import { described, integer, moment, named, text, texts } from "../schema.ts";
import { notAsked, reasonsBefore } from "./not-asked.ts";
import { twinProof } from "./twin-proof.ts";

/** Grades of a line, best first. A grade is what is known, not a promise. */
export const gradeWords = {
  checked: "the device itself has checked it with the others, and discarded it",
  seen: "lines of this shape were accepted on this system and major version",
  alike: "lines of this shape stand in its configuration, or were accepted on another version",
  unknown: "nothing is known of such a line",
  refused: "refused before, or by the device's own check, or the system's rules say that it will be",
  leaves_mode: "it leaves the section or the configuration, and what follows goes elsewhere",
  asks: "the device asks a question about it",
  wrong_mode: "such lines are known in another section only",
  locks_out: "it cuts the way that we come by",
  no_effect: "it is so already",
} as const;
export type Grade = keyof typeof gradeWords;
// Object.keys loses the names.
export const grades = Object.keys(gradeWords) as Grade[];

export const rehearsalLimits = { lines: 2_000, chars: 2 * 1024 * 1024 } as const;

export const evidenceSources = ["device", "record", "configuration", "rules", "session", "none"] as const;

export const lineEvidence = named(
  "LineEvidence",
  v.object({
    from: described(
      v.picklist(evidenceSources),
      "`device`: its own check; `record`: what devices answered to pushes of this service; `configuration`: lines that stand in it; `rules`: what is known of the system; `session`: the way that we come by; `none`",
    ),
    accepted: v.exactOptional(
      described(integer, "How often lines of this shape were accepted, or stand there"),
    ),
    refused: v.exactOptional(integer),
    last_at: v.exactOptional(moment),
    words: v.exactOptional(described(text, "Of the device, without secrets")),
  }),
);
export type LineEvidence = v.InferOutput<typeof lineEvidence>;

export const rehearsedLine = named(
  "RehearsedLine",
  v.object({
    line: described(integer, "From 1"),
    text: described(text, "Without secrets"),
    grade: v.picklist(grades),
    why: described(text, "One sentence"),
    evidence: lineEvidence,
  }),
);
export type RehearsedLine = v.InferOutput<typeof rehearsedLine>;

export const gradeCounts = v.record(v.picklist(grades), integer);

export const rehearsal = named(
  "Rehearsal",
  v.object({
    message: described(text, "One sentence"),
    grades: described(gradeCounts, "How many lines have each grade"),
    lines: described(
      v.array(rehearsedLine),
      `In order; where there are more than ${rehearsalLimits.lines}, the worst of them`,
    ),
    refusals: described(
      v.array(integer),
      "Numbers of the lines that will probably be refused, as far as lines are shown",
    ),
    cut: v.exactOptional(described(v.literal(true), "There are more lines")),
    configuration: described(
      v.nullable(
        v.object({ version: integer, taken_at: moment, last_seen_at: moment, age_seconds: integer }),
      ),
      "The version of its configuration that is foretold from; null: none",
    ),
    diff: described(v.nullable(text), "What the lines would change in it; null: not known"),
    predicted: described(v.nullable(text), "What it would be, in its own order; null: not known"),
    reverse: described(v.nullable(texts), "Lines that take it back; null: not known"),
    reverse_proven: described(
      v.nullable(v.boolean()),
      "Whether the reverse lines, applied to what is foretold, give what is there now",
    ),
    twin: described(
      v.exactOptional(twinProof),
      "What a twin has shown of the lines; absent: no configuration of it is known, or it is too long to be played",
    ),
    device_diff: v.exactOptional(described(text, "The difference that the device itself has shown")),
    not_asked: described(
      v.exactOptional(v.array(notAsked)),
      "What was not asked of the device, and why; absent: made by an older service",
    ),
    warnings: texts,
    took: described(v.number(), "Seconds"),
  }),
);
export type Rehearsal = v.InferOutput<typeof rehearsal>;

/** The part of a job's payload that makes it a rehearsal. */
export const rehearsalPlan = v.strictObject({
  /** Name of the inventory device; null: none. */
  device: v.nullable(v.string()),
  /** The device checks the lines itself, with these arguments of the driver. */
  native: v.nullable(v.record(v.string(), v.unknown())),
  /** Why it does not. */
  unasked: v.exactOptional(v.picklist(reasonsBefore)),
  /** A push of such lines ends with a commit. */
  commits: v.exactOptional(v.boolean()),
  /** The caller may read configurations. */
  shows: v.boolean(),
  /** The caller may read their secrets, and so may learn whether one is the same. */
  comparesSecrets: v.optional(v.boolean(), false),
  /** The change, and the hash of its plan, that the lines are of. */
  change: v.exactOptional(v.strictObject({ id: v.string(), hash: v.string() })),
});
export type RehearsalPlan = v.InferOutput<typeof rehearsalPlan>;

/** What devices answered to lines of one shape. Names, values and secrets are never in it. */
export const evidenceRecord = named(
  "Evidence",
  v.object({
    platform: text,
    version: described(text, "Major version; empty: not known"),
    section: described(text, "Keywords of the sections that the lines stand in"),
    shape: described(text, "The keywords of the line, with words such as `<ip>` in place of values"),
    accepted: integer,
    refused: integer,
    error: described(v.nullable(text), "Words of a device, without values"),
    last_at: moment,
  }),
);
export type EvidenceRecord = v.InferOutput<typeof evidenceRecord>;

export const evidenceLimits = { shapes: 1_000_000, imported: 5_000, count: 1_000_000_000 } as const;

const counted = v.pipe(integer, v.minValue(0), v.maxValue(evidenceLimits.count));
const short = (most: number) => v.pipe(text, v.maxLength(most));

/** Body of an import: records as they are exported. */
export const evidenceImport = named(
  "EvidenceImport",
  v.strictObject({
    evidence: v.pipe(
      v.array(
        v.strictObject({
          platform: v.pipe(text, v.regex(/^[a-z][\w-]{0,63}$/, "must be the name of a platform")),
          version: v.pipe(text, v.regex(/^\d{0,4}(?:\.\d{1,4})?$/, "must be a major version, or empty")),
          section: short(600),
          shape: short(600),
          accepted: counted,
          refused: counted,
          error: v.nullable(short(200)),
          last_at: moment,
        }),
      ),
      v.maxLength(evidenceLimits.imported),
      v.description("Records as GET /evidence has them"),
    ),
  }),
);

export const evidenceAnswer = named("EvidenceImported", v.object({ added: integer }));
export type EvidenceAnswer = v.InferOutput<typeof evidenceAnswer>;
