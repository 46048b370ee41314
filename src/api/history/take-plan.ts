/** What makes a job a take of a configuration, and the words of the history. */
import * as v from "valibot";
import { type ConfigurationPart, configurationParts } from "../../base/configuration-parts.ts";

/** Tag of the bulks that read configurations for the history's own reasons: nobody waits for their end. */
export const ownTakeTag = "patchbay:history";

export { type ConfigurationPart, configurationParts };
export const versionStates = ["good", "suspect"] as const;
/** Wherever something cannot be said or done because the newest text of a device is suspect. */
export const notWhole = "what was read last of its configuration is not whole";
export const notWholeAdvice = `${notWhole}: read it again`;
export type VersionState = (typeof versionStates)[number];
export const versionSources = ["manual", "schedule", "push", "notify", "import"] as const;
export type VersionSource = (typeof versionSources)[number];

/** The part of a job's payload that makes it a take. */
export const takePlan = v.strictObject({
  device: v.strictObject({
    /** As the inventory writes it. */
    name: v.string(),
    host: v.string(),
    group: v.nullable(v.string()),
    platform: v.nullable(v.string()),
  }),
  /** Which part each command shows, in the order of the commands. */
  parts: v.array(v.picklist(configurationParts)),
  source: v.picklist(versionSources),
  causeJobId: v.optional(v.string()),
  who: v.nullable(v.string()),
  /** Files that are read in place of those of the platform. */
  files: v.optional(v.array(v.string())),
  note: v.optional(v.string()),
  /** A text that is shorter than before, or lacks modules, is whole. */
  less: v.optional(v.boolean()),
});
export type TakePlan = v.InferOutput<typeof takePlan>;

/**
 * `replace`: the whole text; `lines`: those that turn the newest good version of the target into it; `files`: a script that
 * puts back the files of a server that differ.
 */
export const restoreWays = ["replace", "lines", "files"] as const;
export type RestoreWay = (typeof restoreWays)[number];

const versionOfDevice = v.strictObject({
  /** Id of its history. */
  device: v.number(),
  part: v.picklist(configurationParts),
  version: v.number(),
});

/** The part of a job's payload that makes it restore a version, whose secrets are read when it runs. */
export const restorePlan = v.strictObject({
  wanted: versionOfDevice,
  /** What the target has; null: no version. */
  base: v.nullable(versionOfDevice),
  way: v.picklist(restoreWays),
  /** By name; null: unknown. */
  platform: v.nullable(v.string()),
  /** Lines in front. */
  first: v.array(v.string()),
  /** The text is pushed as one entry. */
  whole: v.boolean(),
});
export type RestorePlan = v.InferOutput<typeof restorePlan>;
