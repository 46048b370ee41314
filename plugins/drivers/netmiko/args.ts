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
    "Seconds for each command, in all; without it the device may be silent for 10",
    { examples: [60] },
  ),
  delay_factor: optional(factor, "As `connection_args.global_delay_factor`, for this job", { default: 1 }),
  cmd_verify: optional(flag, "Whether the echo of a line is waited for", { examples: [false] }),
  strip_prompt: optional(flag, "Of queries: takes the prompt out of the output", { default: true }),
  strip_command: optional(flag, "Of queries: takes the command out of the output", { default: true }),
  fresh: optional(flag, "A session of its own, closed afterwards", { default: false }),
  // No effect, since nothing polls or sleeps.
  max_loops: optional(laxNumber(), noMeaning),
  normalize: optional(flag, noMeaning),
  auto_find_prompt: optional(flag, noMeaning),
};

const queryFields = v.object({
  ...shared,
  expect_string: optional(pattern, "A regular expression that ends the output in place of the prompt", {
    examples: ["confirm\\]"],
  }),
  timing: optional(flag, "The output ends when the device has been silent for `last_read` seconds", {
    default: false,
  }),
  last_read: optional(positiveSeconds, "Seconds of silence that end an output with `timing`", { default: 2 }),
  use_textfsm: optional(
    flag,
    "[`parsing`](../templates.md) with `textfsm`, in Netmiko's words; what no template fits stays text",
    { default: false },
  ),
  textfsm_template: optional(v.string(), "The template of `use_textfsm`; default: the set's", {
    examples: ["file:///templates/show_version.textfsm"],
  }),
  use_ttp: optional(flag, "The same with `ttp`; `ttp_template` is required", { default: false }),
  ttp_template: optional(v.string(), "The template of `use_ttp`", { examples: ["interface {{ name }}"] }),
  raise_parsing_error: optional(flag, "What no template fits fails the job", { default: false }),
  file_transfer: optional(
    fileTransfer,
    'With `"command": ["__FILE_TRANSFER__"]`, as for [paramiko](paramiko.md#files); by SFTP or SCP, and the hash is checked on the device where it can tell one (`verified`)',
    { examples: [{ operation: "upload", local_path: "ios.bin", remote_path: "flash:ios.bin" }] },
  ),
  fail_on_refusal: optional(flag, "A command that the device refuses fails the job; else it is a warning", {
    default: false,
  }),
});

const configureFields = v.object({
  ...shared,
  save: optional(flag, "Saves, with the platform's own command", { default: false }),
  enter_config_mode: optional(flag, "Whether the configuration is entered before the lines", {
    default: true,
  }),
  exit_config_mode: optional(flag, "Whether it is left after them", { default: true }),
  allow_exit: optional(flag, "Lines may leave the configuration: what follows is typed where they led", {
    default: false,
  }),
  config_mode_command: optional(line, "Enters the configuration. Default: the platform's", {
    examples: ["configure exclusive"],
  }),
  error_pattern: optional(
    v.union([v.literal(""), pattern]),
    "A regular expression for refusals. Default, and with an empty text: the platform's",
    { examples: ["% .*"] },
  ),
  ignore_errors: optional(flag, "Looks for no refusals", { default: false }),
  commit: optional(flag, "Whether a candidate is committed, on platforms that have one", { default: true }),
  commit_comment: optional(v.pipe(line, v.maxLength(512, "is too long")), "Goes with the commit", {
    examples: ["CHG-7"],
  }),
  confirm: optional(
    v.union([exactFlag, v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(65_535))]),
    "Minutes until the commit is undone unless it is confirmed; `true`: `confirm_delay`",
    { examples: [5] },
  ),
  confirm_delay: optional(
    v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(65_535)),
    "Minutes of `confirm: true`",
    { default: 10 },
  ),
  pipeline: optional(
    flag,
    "[Lines go ahead](#lines-ahead) of the answers to those before them, on platforms that are known to take them",
    { default: false },
  ),
  dry_run: optional(flag, "Compares and commits nothing", { default: false }),
  diff: optional(flag, "Adds the device's own difference where it has a candidate", { default: false }),
  bypass_commands: optional(pattern, noMeaning),
  terminator: optional(pattern, noMeaning),
});

const notOfTransfers = "has no meaning for a file transfer";

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
      "false and save true exclude each other: saving a candidate is committing it",
    ),
    ["commit"],
  ),
  v.forward(
    v.check(
      ({ pipeline, cmd_verify }) => pipeline !== true || cmd_verify !== true,
      "excludes cmd_verify true: what is sent ahead waits for no echo",
    ),
    ["pipeline"],
  ),
);
export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
