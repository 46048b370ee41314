/** `driver_args` of the driver pyeapi. */
import { laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import { exactFlag, flag, line, optional, positiveSeconds } from "../shared/fields.ts";
import { transportFields } from "./connection.ts";

/** The commit timer is entered in hours and minutes of a day. */
export const mostMinutes = 1_439;

const encoding = v.picklist(["json", "text"]);
const encodingFields = {
  encoding: optional(encoding, "`text` returns the output as on the command line", { default: "json" }),
  format: optional(encoding, "Alias of `encoding`, which takes precedence", { default: "json" }),
};

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
    "Version of the structures: a number, or `latest` for the newest version of each command that the switch supports",
    { default: 1 },
  ),
  apiVersion: optional(version, "Alias of `version`, which takes precedence", { default: 1 }),
  autoComplete: optional(flag, "The switch completes abbreviated commands", { default: false }),
  expandAliases: optional(flag, "The switch expands the aliases in its configuration", { default: false }),
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
    timestamps: optional(flag, "Adds the start and run time of each command", { default: false }),
    stop_on_error: optional(
      flag,
      "`false`: a refused command has its error in place of its result, and the others are run. Each is a request of its own",
      { default: true },
    ),
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
      "`true` or a name: applies the lines in a configuration session, which is compared and committed as a whole. A rejected line aborts the session and leaves the switch unchanged",
      { default: false },
    ),
    dry_run: optional(flag, "Uses a session: returns the diff and aborts", { default: false }),
    diff: optional(flag, "Uses a session: adds the diff", { default: false }),
    confirm: optional(
      v.union([exactFlag, v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(mostMinutes))]),
      "Minutes (`true`: 10) after which the switch rolls back an unconfirmed commit; the result names the command that confirms it",
      { examples: [5] },
    ),
    save: optional(flag, "Runs `write memory`", { default: false }),
  }),
  v.forward(
    v.check(
      ({ session, dry_run, confirm, diff }) => session !== false || !(dry_run || confirm || diff),
      "false cannot be combined with dry_run, diff or confirm",
    ),
    ["session"],
  ),
  v.forward(
    v.check(
      ({ confirm, save }) => !confirm || save !== true,
      "cannot be combined with confirm: an unconfirmed commit is not saved",
    ),
    ["save"],
  ),
  v.transform(named),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
