/** `driver_args` of the driver netmiko: those of `send_command` and `send_config_set`, and the service's own. */

import { laxNumber, patternFault } from "patchbay/plugin";
import * as v from "valibot";
import {
  exactFlag,
  factor,
  flag,
  line,
  noMeaning,
  optional,
  positiveSeconds,
  seconds,
} from "../shared/fields.ts";
import { fileTransfer } from "../shared/file-transfer.ts";

export const defaultSilenceS = 2;
export const defaultConfirmMinutes = 10;

const pattern = v.pipe(
  v.string("must be a regular expression"),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? patternFault(dataset.value) : undefined;
    if (fault !== undefined) addIssue({ message: fault });
  }),
);

/** Common to query and configure. */
const shared = {
  read_timeout: optional(
    seconds,
    "Seconds for each whole command. Default: none, but at most 10 seconds of silence",
    { examples: [60] },
  ),
  delay_factor: optional(factor, "Like `connection_args.global_delay_factor`, for this job", { default: 1 }),
  cmd_verify: optional(flag, "Waits for the echo of each line, and compares it with the line", {
    examples: [false],
  }),
  strip_prompt: optional(flag, "Queries: strips the prompt from the output", { default: true }),
  strip_command: optional(flag, "Queries: strips the command echo from the output", { default: true }),
  fresh: optional(flag, "Opens a new session and closes it after the job", { default: false }),
  // No effect, since nothing polls or sleeps.
  max_loops: optional(laxNumber(), noMeaning),
  normalize: optional(flag, noMeaning),
  auto_find_prompt: optional(flag, noMeaning),
};

const queryFields = v.object({
  ...shared,
  expect_string: optional(pattern, "Regular expression that ends the output, instead of the prompt", {
    examples: ["confirm\\]"],
  }),
  timing: optional(flag, "Ends the output when the device has been silent for `last_read` seconds", {
    default: false,
  }),
  last_read: optional(positiveSeconds, "Seconds of silence that end the output with `timing`", {
    default: defaultSilenceS,
  }),
  use_textfsm: optional(
    flag,
    "[`parsing`](../../guides/templates.md) with `textfsm`, under Netmiko's name; output that no template matches stays text",
    { default: false },
  ),
  textfsm_template: optional(v.string(), "Template for `use_textfsm`. Default: from the template set", {
    examples: ["file:///templates/show_version.textfsm"],
  }),
  use_ttp: optional(flag, "The same with `ttp`; requires `ttp_template`", { default: false }),
  ttp_template: optional(v.string(), "Template for `use_ttp`", { examples: ["interface {{ name }}"] }),
  raise_parsing_error: optional(flag, "Fails the job if no template matches", { default: false }),
  file_transfer: optional(
    fileTransfer,
    'With `"command": ["__FILE_TRANSFER__"]`, as for [paramiko](paramiko.md#files), by SFTP or SCP. The hash is verified on the device if it can compute one (`verified`)',
    { examples: [{ operation: "upload", local_path: "ios.bin", remote_path: "flash:ios.bin" }] },
  ),
  fail_on_refusal: optional(
    flag,
    "Fails the job if the device rejects a command, instead of adding a warning",
    {
      default: false,
    },
  ),
});

const configureFields = v.object({
  ...shared,
  save: optional(flag, "Saves the configuration with the platform's command", { default: false }),
  enter_config_mode: optional(flag, "Enters configuration mode before the lines", {
    default: true,
  }),
  exit_config_mode: optional(flag, "Leaves configuration mode after them", { default: true }),
  allow_exit: optional(
    flag,
    "Lines may leave configuration mode; the remaining lines are sent wherever that leads",
    {
      default: false,
    },
  ),
  config_mode_command: optional(line, "Command that enters configuration mode. Default: the platform's", {
    examples: ["configure exclusive"],
  }),
  error_pattern: optional(
    v.union([v.literal(""), pattern]),
    "Regular expression for error messages. Default, also if empty: the platform's",
    { examples: ["% .*"] },
  ),
  ignore_errors: optional(flag, "Does not check for error messages", { default: false }),
  commit: optional(flag, "Commits the candidate, on platforms that have one", { default: true }),
  commit_comment: optional(v.pipe(line, v.maxLength(512, "is too long")), "Commit comment", {
    examples: ["CHG-7"],
  }),
  confirm: optional(
    v.union([exactFlag, v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(65_535))]),
    "Minutes after which the device rolls back an unconfirmed commit; `true` means `confirm_delay`",
    { examples: [5] },
  ),
  confirm_delay: optional(
    v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(65_535)),
    "Minutes for `confirm: true`",
    { default: defaultConfirmMinutes },
  ),
  pipeline: optional(
    flag,
    "Sends [lines ahead](#lines-ahead) of the responses, on platforms that are known to support it",
    { default: false },
  ),
  dry_run: optional(
    flag,
    "Commits nothing and shows the diff; on a platform without a candidate it sends nothing and returns the lines, not compared with the device",
    { default: false },
  ),
  diff: optional(flag, "Adds the device's own diff, if it has a candidate", { default: false }),
  bypass_commands: optional(pattern, noMeaning),
  terminator: optional(pattern, noMeaning),
});

const notOfTransfers = "cannot be used with a file transfer";

export const queryArgs = v.pipe(
  queryFields,
  v.forward(
    v.check(({ expect_string, timing }) => expect_string === undefined || timing !== true, "excludes timing"),
    ["expect_string"],
  ),
  v.forward(
    v.check(({ use_ttp, ttp_template }) => use_ttp !== true || !!ttp_template, "is required with use_ttp"),
    ["ttp_template"],
  ),
  v.forward(
    v.check(({ use_textfsm, file_transfer }) => use_textfsm !== true || !file_transfer, notOfTransfers),
    ["use_textfsm"],
  ),
  v.forward(
    v.check(({ use_ttp, file_transfer }) => use_ttp !== true || !file_transfer, notOfTransfers),
    ["use_ttp"],
  ),
);
export const configureArgs = v.pipe(
  configureFields,
  v.forward(
    v.check(
      ({ commit, save }) => commit !== false || save !== true,
      "cannot be false with save true: saving a candidate commits it",
    ),
    ["commit"],
  ),
  v.forward(
    v.check(
      ({ pipeline, cmd_verify }) => pipeline !== true || cmd_verify !== true,
      "cannot be combined with cmd_verify true: lines sent ahead do not wait for their echo",
    ),
    ["pipeline"],
  ),
);
export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
