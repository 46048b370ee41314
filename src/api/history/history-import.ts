/** Versions that were made elsewhere: schemas of an import. */
import * as v from "valibot";
import { described, field, integer, named, text } from "../schema.ts";
import { isoMomentOf } from "../time.ts";
import { historyLimits } from "./history.ts";
import { configurationParts } from "./take-plan.ts";

export const importLimits = {
  /** Versions of one request. */
  versions: 500,
  nameChars: 128,
  originChars: 200,
  /** Names of devices in an answer. */
  named: 50,
} as const;

const line = (most: number) =>
  v.pipe(
    text,
    v.maxLength(most, `must have at most ${most} characters`),
    v.regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "must be one line without control characters"),
  );
const name = v.pipe(line(importLimits.nameChars), v.nonEmpty("must not be empty"));

export const importedVersion = v.strictObject({
  device: described(name, "Name of the device; the inventory need not have it"),
  group: field(described(name, "Group of a device that the inventory does not have")),
  part: v.optional(v.picklist(configurationParts), "running"),
  taken_at: described(
    v.pipe(
      text,
      v.check((given) => isoMomentOf(given) !== undefined, "must be a time in ISO 8601"),
      v.transform((given) => Date.parse(isoMomentOf(given) ?? "")),
    ),
    "When the device had it; a time in the future is now",
  ),
  who: field(described(line(128), "Who changed it")),
  note: field(line(historyLimits.noteChars)),
  origin: described(
    v.pipe(line(importLimits.originChars), v.nonEmpty("must not be empty")),
    "Tells it from all others of the device and part, such as a commit: sent again, it adds nothing",
  ),
  text: described(
    v.pipe(
      text,
      v.maxLength(historyLimits.textChars, `must have at most ${historyLimits.textChars} characters`),
    ),
    "The configuration. Secrets that are still in it are masked",
  ),
});

/** Body of POST /history/import. */
export const importRequest = named(
  "HistoryImport",
  v.strictObject({
    versions: described(
      v.pipe(
        v.array(importedVersion),
        v.nonEmpty("must not be empty"),
        v.maxLength(importLimits.versions, `must have at most ${importLimits.versions} versions`),
      ),
      "Of each device the oldest first",
    ),
  }),
);
export type ImportRequest = v.InferOutput<typeof importRequest>;

/** Answer of POST /history/import. */
export const importAnswer = named(
  "HistoryImported",
  v.object({
    added: integer,
    known: described(integer, "Already there: of the same origin"),
    unchanged: described(integer, "Left out: equal to the version before"),
    unlisted: described(
      v.array(text),
      `Devices that the inventory does not have, the first ${importLimits.named}: their history is kept under this name`,
    ),
  }),
);
export type ImportAnswer = v.InferOutput<typeof importAnswer>;
