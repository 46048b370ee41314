/** `driver_args` of the driver pyeapi. */
import { laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import { exactFlag, flag, line, optional, positiveSeconds } from "../shared/fields.ts";
import { transportFields } from "./connection.ts";

const encoding = v.picklist(["json", "text"]);
const encodingFields = {
  encoding: optional(encoding, "`text`: as on the command line", { default: "json" }),
  format: optional(encoding, "Another name of `encoding`, which wins", { default: "json" }),
};
/** The commit timer is entered in hours and minutes of a day. */
const mostMinutes = 1_439;

const version = v.union(
  [v.literal("latest"), v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(1_000))],
  "must be latest or a number",
);

/** Common to query and configure. */
const shared = {
  ...transportFields,
  timeout: optional(positiveSeconds, "Seconds for each request. Default: `connection_args.timeout`", {
    examples: [30],
  }),
  version: optional(
    version,
    "Of the structures: a number, or `latest`, the newest of each command that the switch knows",
    { default: 1 },
  ),
  apiVersion: optional(version, "Another name of `version`, which wins", { default: 1 }),
  autoComplete: optional(flag, "The switch completes what is abbreviated", { default: false }),
  expandAliases: optional(flag, "The switch knows the aliases of its configuration", { default: false }),
};

/** Merges the synonyms `version` and `apiVersion`. */
const named = <Args extends Pick<v.InferOutput<typeof fields>, "version" | "apiVersion">>(args: Args) => ({
  ...args,
  version: args.version ?? args.apiVersion,
});
const fields = v.object(shared);

export const queryArgs = v.pipe(
  v.object({
    ...shared,
    ...encodingFields,
    timestamps: optional(flag, "Adds the times at which a command ran", { default: false }),
  }),
  v.transform(named),
);

export const configureArgs = v.pipe(
  v.object({
    ...shared,
    // Configuration commands return text.
    ...encodingFields,
    session: optional(
      v.union([exactFlag, v.pipe(line, v.regex(/^[A-Za-z][\w-]{0,62}$/, "must be the name of a session"))]),
      "`true` or a name: the lines go into a configuration session, which is compared and committed as a whole. A refused line aborts it, and the switch is as it was",
      { default: false },
    ),
    dry_run: optional(flag, "Uses a session: compares and aborts", { default: false }),
    diff: optional(flag, "Uses a session: adds the difference", { default: false }),
    confirm: optional(
      v.union([exactFlag, v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(mostMinutes))]),
      "Minutes (`true`: 10) after which the commit is undone unless it is confirmed; the result says by which command",
      { examples: [5] },
    ),
    save: optional(flag, "`write memory`", { default: false }),
  }),
  v.forward(
    v.check(
      ({ session, dry_run, confirm, diff }) => session !== false || !(dry_run || confirm || diff),
      "false excludes dry_run, diff and confirm",
    ),
    ["session"],
  ),
  v.forward(
    v.check(
      ({ confirm, save }) => !confirm || save !== true,
      "excludes confirm: what is not confirmed is not saved",
    ),
    ["save"],
  ),
  v.transform(named),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
