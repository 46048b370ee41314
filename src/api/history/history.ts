/** The history of configurations: requests, records and what a job brings. */
import * as v from "valibot";
import { words } from "../forms.ts";
import { jobTicket } from "../jobs/job.ts";
import { bulkRequest, executeRequest, requestWords } from "../jobs/request.ts";
import { described, integer, moment, named, text, type Unchanged } from "../schema.ts";
import { configurationParts, restoreWays, versionSources, versionStates } from "./take-plan.ts";

export * from "./take-plan.ts";

export const historyLimits = {
  /** Characters of one text. */
  textChars: 8 * 1024 * 1024,
  /** Versions of a device and part; the oldest are deleted. */
  versions: 10_000,
  noteChars: 500,
} as const;

/** Body of POST /history/take. */
export const takeRequest = named(
  "TakeRequest",
  v.strictObject({
    ...v.omit(v.object(bulkRequest.entries), [
      ...([
        "driver",
        "command",
        "config",
        "driver_args",
        "parsing",
        "rendering",
        "checks",
        "devices",
      ] as const),
      ...(["order", "queue_strategy"] as const),
    ]).entries,
    device: executeRequest.entries.device,
    devices: described(
      v.optional(v.nullable(v.pipe(v.array(text), v.nonEmpty("must not be empty")))),
      "Names of inventory devices",
    ),
    select: described(v.optional(v.nullable(text)), requestWords.select),
    parts: described(
      v.optional(
        v.pipe(v.array(v.picklist(configurationParts)), v.nonEmpty("must not be empty"), v.maxLength(3)),
      ),
      "What to read. Default: all that the platform has; a missing one is left out",
    ),
    accept_less: described(
      v.optional(v.boolean()),
      "A text that is far shorter than the good version before it, or lacks modules that answered then, is good: somebody has looked. Default: false, it is suspect",
    ),
    note: described(
      v.optional(v.nullable(words(historyLimits.noteChars))),
      "Kept with each version that is new",
    ),
  }),
);
export type TakeRequest = v.InferOutput<typeof takeRequest>;

const part = described(v.picklist(configurationParts), "What it is a text of");

export const versionRecord = named(
  "ConfigurationVersion",
  v.object({
    device: described(text, "Name of the device"),
    part,
    version: described(integer, "Counted from 1 per device and part"),
    state: described(
      v.picklist(versionStates),
      "`suspect`: the text is not whole; it is kept, and never used as the latest",
    ),
    reason: described(v.nullable(text), "Why it is suspect"),
    taken_at: moment,
    last_seen_at: described(moment, "When the device was last seen with it"),
    source: described(v.picklist(versionSources), "Why it was read"),
    job_id: described(v.nullable(text), "The job that read it"),
    cause_job_id: described(v.nullable(text), "The push after which it was read"),
    who: described(v.nullable(text), "Who asked for it, or pushed"),
    by_on_device: described(v.nullable(text), "Who changed it, as the device says"),
    note: v.nullable(text),
    lines: integer,
    size: described(integer, "Bytes"),
    added: described(integer, "Lines that the good version before did not have"),
    removed: described(integer, "Lines that only the good version before had"),
    sha256: described(text, "Of the text without what changes by itself: equal for equal configurations"),
  }),
);
export type VersionRecord = Unchanged<v.InferOutput<typeof versionRecord>>;

export const configuredDevice = named(
  "DeviceHistory",
  v.object({
    device: text,
    host: text,
    group: v.nullable(text),
    platform: v.nullable(text),
    in_inventory: v.boolean(),
    versions: described(integer, "Good versions of the running configuration"),
    latest: described(v.nullable(versionRecord), "The newest good version; null: there is none"),
    suspects: described(integer, "Suspect versions of which none was followed by a good text"),
    last_good_at: described(v.nullable(moment), "When a good text was last read"),
    failed_at: described(
      v.nullable(moment),
      "When reading it failed last; null: it did not since the last good one",
    ),
    error: described(v.nullable(text), "Error type of that failure"),
    unsaved: described(
      v.nullable(v.boolean()),
      "Whether the startup configuration differs from the running one; null: unknown",
    ),
  }),
);
export type ConfiguredDevice = Unchanged<v.InferOutput<typeof configuredDevice>>;

/** Which devices to list. `missing`: no good text was ever read. */
export const deviceHistoryStates = ["missing", "suspect", "failed", "unsaved"] as const;
export type DeviceHistoryState = (typeof deviceHistoryStates)[number];

/** The states that a device is in; none: its configuration is known, and saved as far as that can be told. */
export function statesOf({
  latest,
  suspects,
  failed_at,
  unsaved,
}: Pick<ConfiguredDevice, "latest" | "suspects" | "failed_at" | "unsaved">): DeviceHistoryState[] {
  const isIn = {
    missing: latest === null,
    suspect: suspects > 0,
    failed: failed_at !== null,
    unsaved: unsaved === true,
  };
  return deviceHistoryStates.filter((state) => isIn[state]);
}

/** A version with its text. */
export const versionText = named(
  "ConfigurationText",
  v.object({
    ...versionRecord.entries,
    text: described(
      text,
      "The configuration; a secret is `<secret 7c41d0>`, the same mark for the same secret",
    ),
  }),
);

export const versionNote = v.strictObject({
  note: described(v.nullable(takeRequest.entries.note.wrapped.wrapped), "Null removes it"),
});

/** Body of POST /history/notify. */
export const noticeRequest = named(
  "ChangeNotice",
  v.strictObject({
    device: v.optional(described(text, "Name of the inventory device")),
    host: v.optional(described(text, "Its name or address, as another system knows it")),
    user: v.optional(described(v.pipe(text, v.maxLength(100)), "Who changed the configuration")),
    text: v.optional(described(v.pipe(text, v.maxLength(historyLimits.noteChars)), "Kept as a note")),
  }),
);

export const noticeAnswer = v.object({
  device: text,
  in_seconds: described(integer, "Its configuration is read at the latest then"),
});

export const renameRequest = v.strictObject({
  to: described(v.pipe(text, v.nonEmpty("must not be empty"), v.maxLength(128)), "Its new name"),
});

export const differenceForms = ["unified", "side", "structured"] as const;
export type DifferenceForm = (typeof differenceForms)[number];

const lineNumber = described(integer, "From 1");
const sideLine = v.object({ line: lineNumber, text });
const span = described(v.tuple([integer, integer]), "Begin, and end behind it, in UTF-16 units");
const sideRow = v.object({
  kind: v.picklist(["same", "changed", "added", "removed"]),
  left: v.exactOptional(sideLine),
  right: v.exactOptional(sideLine),
  leftSpans: v.exactOptional(described(v.array(span), "Of a changed row: the parts that differ")),
  rightSpans: v.exactOptional(v.array(span)),
});
const treeChange = v.object({
  change: described(
    v.picklist(["added", "removed", "moved", "within"]),
    "`within`: the line is the same, and lines below it differ",
  ),
  text: described(text, "The line, or all lines of a text such as a banner"),
  depth: described(integer, "How many of the lines above it stand above it, too: 0 for the outermost"),
  from: v.exactOptional(described(integer, "Number of the line in the first text")),
  to: v.exactOptional(described(integer, "Number of the line in the second text")),
});

/** Answer of GET /history/device/{name}/diff. */
export const differenceAnswer = named(
  "ConfigurationDifference",
  v.object({
    from: versionRecord,
    to: versionRecord,
    unified: v.exactOptional(described(text, "As `diff -u` writes it; empty: they are equal")),
    parts: v.exactOptional(
      described(
        v.array(v.array(sideRow)),
        "Of the form `side`: rows side by side, without the equal ones between",
      ),
    ),
    changes: v.exactOptional(described(v.array(treeChange), "Of the form `structured`")),
    cut: v.exactOptional(described(v.boolean(), "There are more rows or changes than are answered")),
  }),
);
export type DifferenceAnswer = Unchanged<v.InferOutput<typeof differenceAnswer>>;

/** Answer of GET /history/device/{name}/blame. */
export const blameAnswer = named(
  "ConfigurationBlame",
  v.object({
    version: versionRecord,
    text,
    runs: described(
      v.array(v.object({ version: integer, lines: integer })),
      "The lines of the text in order: so many come from this version",
    ),
    versions: described(v.array(versionRecord), "Those that `runs` names"),
    complete: described(
      v.boolean(),
      "False: older versions were not compared, and the oldest one stands for them",
    ),
  }),
);
export type BlameAnswer = Unchanged<v.InferOutput<typeof blameAnswer>>;

const foundLine = v.object({ line: lineNumber, text });

/** A device whose configuration has what was searched for. */
export const searchResult = named(
  "ConfigurationMatch",
  v.object({
    version: versionRecord,
    first_version: v.exactOptional(
      described(integer, "With `scope=ever`: the oldest version that has it; `version` is the newest one"),
    ),
    total: described(integer, "Number of lines; `hits` may have fewer"),
    hits: v.array(
      v.object({
        ...foundLine.entries,
        found: described(
          v.array(v.object({ from: integer, to: integer })),
          "Where in `text` it is, in UTF-16 units; at most 20 places",
        ),
        parents: described(v.array(foundLine), "The lines above that it belongs to, from the outermost"),
      }),
    ),
  }),
);
export type SearchResult = Unchanged<v.InferOutput<typeof searchResult>>;
export const searchScopes = ["latest", "ever"] as const;

/** Body of POST /history/device/{name}/{version}/restore. */
export const restoreRequest = named(
  "RestoreRequest",
  v.strictObject({
    target: described(
      v.optional(v.nullable(text)),
      "The device to restore it on, such as a replacement unit. Default: the device of the version",
    ),
    connection_args: executeRequest.entries.connection_args,
  }),
);
export type RestoreRequest = v.InferOutput<typeof restoreRequest>;

/** Answer of POST /history/device/{name}/{version}/restore. */
export const restoreDraft = named(
  "RestoreDraft",
  v.object({
    version: versionRecord,
    target: text,
    base: described(
      v.nullable(versionRecord),
      "The newest good version of the target, which the version is compared with; null: there is none",
    ),
    driver: text,
    way: described(
      v.picklist(restoreWays),
      "`replace`: the device replaces its whole configuration; `lines`: lines are pushed; `files`: a script writes the files of a server that differ",
    ),
    driver_args: described(v.record(v.string(), v.unknown()), "Of a push that restores it"),
    lines: described(
      v.array(text),
      "What is pushed: of `replace` the whole text. Secrets are shown as marks",
    ),
    unified: described(
      text,
      "From the newest good version of the target to this one, as `diff -u` writes it",
    ),
    warnings: described(v.array(text), "What to look at before it is pushed"),
    job: described(
      v.nullable(jobTicket),
      "The dry run, of which the device itself tells the difference; null: it cannot compare, or nothing differs",
    ),
  }),
);
export type RestoreDraft = Unchanged<v.InferOutput<typeof restoreDraft>>;
