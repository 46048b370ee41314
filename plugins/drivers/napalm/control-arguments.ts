/** Arguments of NAPALM methods other than getters: session, validation, candidate. */
import { laxNumber } from "patchbay/plugin";
import * as v from "valibot";

const maxText = 16 * 1024 * 1024;
const maxCommands = 1000;

const text = v.pipe(v.string("must be a string"), v.maxLength(maxText, "is too long"));
const line = v.pipe(
  v.string("must be a string"),
  v.nonEmpty("must not be empty"),
  v.maxLength(65_536, "is too long"),
  v.regex(/^[^\x00-\x1f\x7f]*$/, "must be one line"),
);
const configuration = v.union(
  [
    text,
    v.pipe(
      v.array(text),
      v.transform((lines) => lines.join("\n")),
    ),
  ],
  "must be a string or a list of lines",
);
const handle = v.optional(v.pipe(line, v.maxLength(256, "is too long")));
const load = v.strictObject({ config: configuration });
const commit = v.strictObject({
  message: v.optional(v.pipe(v.string("must be a string"), v.maxLength(512, "is too long"))),
  revert_in: v.optional(v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(86_400))),
});

/** NAPALM's names, plus `handle`, which names a commit waiting for confirmation. */
export const controlArguments = {
  cli: v.strictObject({
    commands: v.union(
      [
        v.pipe(
          line,
          v.transform((command) => [command]),
        ),
        v.pipe(v.array(line), v.nonEmpty("must not be empty"), v.maxLength(maxCommands, "has too many")),
      ],
      "must be a list of commands, one line each",
    ),
    encoding: v.optional(v.picklist(["text", "json"]), "text"),
  }),
  is_alive: v.strictObject({}),
  compliance_report: v.strictObject({
    validation_source: v.pipe(
      v.array(
        v.record(v.string(), v.unknown(), "must be an object of methods with their expected results"),
        "must be a list",
      ),
      v.maxLength(maxCommands, "has too many entries"),
    ),
  }),
  load_merge_candidate: load,
  load_replace_candidate: load,
  compare_config: v.strictObject({}),
  commit_config: commit,
  discard_config: v.strictObject({}),
  rollback: v.strictObject({ handle }),
  confirm_commit: v.strictObject({ handle }),
  has_pending_commit: v.strictObject({}),
} as const;

export type ControlName = keyof typeof controlArguments;
