/** `driver_args` of the driver pyeapi. */
import * as v from "valibot";
import { flag, line, optional, positiveSeconds } from "../shared/fields.ts";
import { transportFields } from "./connection.ts";

const encoding = v.picklist(["json", "text"]);
/** The timer of a commit is written in hours and minutes of a day. */
const mostMinutes = 1_439;

/** Of both kinds of operation. */
const shared = {
  ...transportFields,
  /** Seconds for each request; default `connection_args.timeout`. */
  timeout: optional(positiveSeconds),
  /** The switch completes what is abbreviated. */
  autoComplete: optional(flag),
  /** The switch knows the aliases of its configuration. */
  expandAliases: optional(flag),
};

export const queryArgs = v.object({
  ...shared,
  encoding: optional(encoding),
  /** Another name of it; `encoding` wins. */
  format: optional(encoding),
  /** Adds the times at which a command ran. */
  timestamps: optional(flag),
});

export const configureArgs = v.pipe(
  v.object({
    ...shared,
    // Answers of a configuration are text.
    encoding: optional(encoding),
    format: optional(encoding),
    /** A configuration session: compared, then committed as a whole; a text is its name. */
    session: optional(
      v.union([flag, v.pipe(line, v.regex(/^[A-Za-z][\w-]{0,62}$/, "must be the name of a session"))]),
    ),
    /** Compares and aborts. */
    dry_run: optional(flag),
    diff: optional(flag),
    /** Minutes until the commit is undone unless it is confirmed; true: 10. */
    confirm: optional(
      v.union([flag, v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(mostMinutes))]),
    ),
    save: optional(flag),
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
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
