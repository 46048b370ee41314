/** What makes a job a take of a configuration, and the words of the history. */
import * as v from "valibot";

/** `set`: the running configuration in the system's second form. */
export const configurationParts = ["running", "startup", "set"] as const;
export type ConfigurationPart = (typeof configurationParts)[number];
export const versionStates = ["good", "suspect"] as const;
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
});
export type TakePlan = v.InferOutput<typeof takePlan>;
