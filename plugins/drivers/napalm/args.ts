/** `driver_args` of the driver napalm: method arguments, by name or flat, and the service's own. */
import { laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import { exactFlag, flag, optional } from "../shared/fields.ts";
import { optionalArgs } from "./optional-args.ts";

const maxRevertS = 86_400;
const defaultRevertS = 600;

const comment = v.pipe(
  v.string("must be a string"),
  v.maxLength(512, "is too long"),
  v.regex(/^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$/, "must not contain control characters"),
);
const revertIn = v.pipe(
  laxNumber("must be a number of seconds"),
  v.integer("must be whole seconds"),
  v.minValue(1, "must be 1 second or more"),
  v.maxValue(maxRevertS, "must not be more than a day"),
);

/**
 * Commit options; the first three are synonyms.
 * @param of the command of a query to which they apply
 */
const commitFields = (of = "") => ({
  message: optional(
    comment,
    `${of}comment stored with the commit; a system that stores none adds an entry to \`warnings\``,
  ),
  commit_message: optional(comment, "alias of `message`"),
  comment: optional(comment, "alias of `message`"),
  revert_in: optional(
    revertIn,
    `${of}seconds after which an unconfirmed commit is rolled back; at most a day`,
  ),
  confirm: optional(
    v.union([exactFlag, revertIn], "must be true, false or a number of seconds"),
    "the same; `true` means 600",
  ),
});

const shared = {
  optional_args: optional(optionalArgs, "merged over those of `connection_args`"),
  fresh: optional(flag, "opens a new session and closes it after the job"),
};

/** Method arguments allowed beside `kwargs`; each one goes to the methods that have it. */
const flat = optional(v.unknown(), "passed to the methods that have an argument of that name");
export const flatArguments = {
  commands: flat,
  count: flat,
  destination: flat,
  encoding: flat,
  format: flat,
  full: flat,
  group: flat,
  handle: flat,
  interface: flat,
  longer: flat,
  name: flat,
  neighbor: flat,
  neighbor_address: flat,
  protocol: flat,
  retrieve: flat,
  sanitized: flat,
  size: flat,
  source: flat,
  source_interface: flat,
  timeout: flat,
  ttl: flat,
  validation_source: flat,
  vrf: flat,
};

export const queryArgs = v.object({
  kwargs: optional(
    v.record(v.string(), v.unknown()),
    "method arguments: flat for one method, keyed by method for several",
  ),
  raw: optional(flag, "`true` adds the key `raw`: the device's responses by method and request"),
  ...shared,
  ...commitFields("of `commit_config`: "),
  ...flatArguments,
});

export const configureArgs = v.pipe(
  v.object({
    replace: optional(flag, "`true` replaces the whole configuration; otherwise the text is merged into it"),
    dry_run: optional(flag, "`true` returns the diff and discards the candidate"),
    ...commitFields(),
    ...shared,
  }),
  v.forward(
    v.check(
      ({ dry_run, revert_in, confirm }) => dry_run !== true || (revert_in === undefined && !confirm),
      "excludes dry_run: nothing is committed",
    ),
    ["revert_in"],
  ),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;

type CommitArgs = Pick<QueryArgs, keyof ReturnType<typeof commitFields>>;

/** Normalizes the commit options. */
export function commitOf(args: CommitArgs): { readonly message?: string; readonly revertIn?: number } {
  const message = args.message ?? args.commit_message ?? args.comment;
  const confirm = args.confirm === true ? defaultRevertS : args.confirm || undefined;
  const revertIn = args.revert_in ?? confirm;
  return {
    ...(message === undefined || message === "" ? {} : { message }),
    ...(revertIn === undefined ? {} : { revertIn }),
  };
}
