/** `driver_args` of the driver netmiko: of `send_command`, of `send_config_set`, and what the service adds. */

import { patternFault } from "patchbay/plugin";
import * as v from "valibot";
import { factor, flag, line, optional, positiveSeconds, seconds } from "../shared/fields.ts";
import { fileTransfer } from "../shared/file-transfer.ts";

const pattern = v.pipe(
  v.string("must be a regular expression"),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? patternFault(dataset.value) : undefined;
    if (fault !== undefined) addIssue({ message: fault });
  }),
);

/** Of both kinds of operation. */
const shared = {
  read_timeout: optional(seconds),
  delay_factor: optional(factor),
  cmd_verify: optional(flag),
  strip_prompt: optional(flag),
  strip_command: optional(flag),
  /** A session of its own, closed afterwards. */
  fresh: optional(flag),
  // Without a meaning where nothing polls or sleeps.
  max_loops: optional(v.number()),
  normalize: optional(flag),
  auto_find_prompt: optional(flag),
};

const queryFields = v.object({
  ...shared,
  expect_string: optional(pattern),
  /** Read by silence instead of the prompt, as `send_command_timing`; `last_read` is how long it must last. */
  timing: optional(flag),
  last_read: optional(positiveSeconds),
  use_textfsm: optional(flag),
  textfsm_template: optional(v.string()),
  use_ttp: optional(flag),
  ttp_template: optional(v.string()),
  raise_parsing_error: optional(flag),
  file_transfer: optional(fileTransfer),
  /** A command that the device refuses fails the job; default: it is a warning. */
  fail_on_refusal: optional(flag),
});

const configureFields = v.object({
  ...shared,
  save: optional(flag),
  enter_config_mode: optional(flag),
  exit_config_mode: optional(flag),
  /** Lines that leave the configuration do not end the push: what follows is typed where they led. */
  allow_exit: optional(flag),
  config_mode_command: optional(line),
  error_pattern: optional(v.union([v.literal(""), pattern])),
  ignore_errors: optional(flag),
  commit: optional(flag),
  commit_comment: optional(v.pipe(line, v.maxLength(512, "is too long"))),
  /** Minutes until the commit is undone unless it is confirmed; true: `confirm_delay`. */
  confirm: optional(v.union([flag, v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))])),
  confirm_delay: optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
  dry_run: optional(flag),
  /** Adds the device's own difference where it has a candidate. */
  diff: optional(flag),
  bypass_commands: optional(pattern),
  terminator: optional(pattern),
});

export const queryArgs = v.pipe(
  queryFields,
  v.forward(
    v.check(({ expect_string, timing }) => expect_string === undefined || timing !== true, "excludes timing"),
    ["expect_string"],
  ),
  v.forward(
    v.check(({ use_ttp, ttp_template }) => use_ttp !== true || !!ttp_template, "is missing beside use_ttp"),
    ["ttp_template"],
  ),
);
export const configureArgs = v.pipe(
  configureFields,
  v.forward(
    v.check(
      ({ commit, save }) => commit !== false || save !== true,
      "false and save true exclude each other: saving a candidate is committing it",
    ),
    ["commit"],
  ),
);
export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
