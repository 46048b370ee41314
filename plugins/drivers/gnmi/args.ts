/** `driver_args` of the driver gnmi, and what each of its queries takes. */
import { type Command, laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import { flag, line, name, optional, optionalText, positiveSeconds } from "../shared/fields.ts";
import { readPath } from "./paths.ts";

/** The longest timer of a push that waits for its confirmation. */
export const mostRevertSeconds = 604_800;
export const defaultTimeoutS = 30;

const whole = (least: number, most: number) =>
  v.pipe(laxNumber(), v.integer(), v.minValue(least), v.maxValue(most));

const pathOfCaller = v.pipe(
  v.string("must be a string"),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
    const read = readPath(value);
    if ("path" in read) return read.path;
    addIssue({ message: read.fault });
    return NEVER;
  }),
);

/** Common to query and configure. */
const shared = {
  prefix: optionalText(pathOfCaller, "Path in front of those of the request", {
    examples: ["openconfig:/interfaces"],
  }),
  target: optionalText(
    v.pipe(line, v.maxLength(256, "is too long")),
    "The device behind a gateway, as the gateway names it",
    { examples: ["leaf1"] },
  ),
  timeout: optional(positiveSeconds, "Seconds for each request. Default: `connection_args.timeout`", {
    examples: [120],
  }),
};

export const queryArgs = v.object({
  ...shared,
  mode: optional(
    v.picklist(["get", "once", "stream", "poll"]),
    "`get` reads a snapshot, `once` the same as a subscription, leaf by leaf; `stream` collects updates for a while, `poll` asks several times",
    { default: "get" },
  ),
  encoding: optional(
    v.picklist(["json_ietf", "json", "ascii", "bytes", "proto"]),
    "Encoding of values. Default: `json_ietf`, or `json` if the device says that it has only that",
    { examples: ["proto"] },
  ),
  data: optional(
    v.picklist(["all", "config", "state", "operational"]),
    "Which data a `get` returns: all of them, configuration, state, or state that is no copy of configuration",
    { default: "all" },
  ),
  depth: optional(whole(1, 65_535), "Levels of data below the path, by an extension that few devices have", {
    examples: [2],
  }),
  format: optional(
    v.picklist(["object", "text"]),
    "`text` returns values as indented JSON, and texts as they are",
    { default: "object" },
  ),
  metadata: optional(
    flag,
    "Returns `{time, updates: [{path, value}]}` for each notification instead of the values alone",
    { default: false },
  ),
  subscription: optional(
    v.picklist(["target_defined", "on_change", "sample"]),
    "When a `stream` sends a value: as the device thinks best, at each change, or each `interval`",
    { default: "target_defined" },
  ),
  interval: optional(positiveSeconds, "Seconds between samples, and between polls", { examples: [10] }),
  heartbeat: optional(positiveSeconds, "Seconds after which a `stream` repeats what has not changed", {
    examples: [60],
  }),
  suppress_redundant: optional(flag, "Leaves samples out that have not changed", { default: false }),
  updates_only: optional(flag, "Leaves the state at the beginning out", { default: false }),
  aggregation: optional(flag, "Lets the device put values together that its models mark for it", {
    default: false,
  }),
  count: optional(
    whole(1, 100_000),
    "A `stream` ends after this many updates, those of the beginning included; a `poll` asks this many times (1)",
    { examples: [100] },
  ),
  duration: optional(
    positiveSeconds,
    "A `stream` ends after this many seconds. Default: 10, or none with `count`",
    {
      examples: [30],
    },
  ),
});

export const configureArgs = v.pipe(
  v.object({
    ...shared,
    operation: optional(
      v.picklist(["update", "replace", "delete", "union_replace"]),
      "What is done at `path` with `config`: `delete` takes paths in `config`, one in a line. Without it, `config` is an object of `delete`, `replace`, `update` and `union_replace`",
      { examples: ["replace"] },
    ),
    path: optionalText(pathOfCaller, "Where `operation` puts `config`. Default: `/`", {
      examples: ["/system/config"],
    }),
    encoding: optional(
      v.picklist(["json_ietf", "json", "ascii", "proto"]),
      "Encoding of values: `ascii` sends a text, such as command lines for `cli:/`; `proto` a scalar by its own type. Default: as for queries",
      { examples: ["ascii"] },
    ),
    diff: optional(
      flag,
      "Reads what is edited before and after the push, and returns what has changed. `false` saves both requests",
      { default: true },
    ),
    revert_in: optional(
      whole(1, mostRevertSeconds),
      "Seconds after which the device rolls the push back, unless `confirm` with the returned `handle` follows. For devices that have commit-confirmed",
      { examples: [300] },
    ),
    confirm: optionalText(name, "Confirms the push of this `handle`; `config` is then an empty object", {
      examples: ["patchbay-1f2e3d4c"],
    }),
    cancel: optionalText(name, "Rolls the push of this `handle` back; `config` is then an empty object", {
      examples: ["patchbay-1f2e3d4c"],
    }),
  }),
  v.forward(
    v.check(
      ({ path, operation }) => path === undefined || (operation !== undefined && operation !== "delete"),
      "needs an operation, and for delete config has the paths",
    ),
    ["path"],
  ),
  v.forward(
    v.check(
      ({ confirm, cancel, revert_in, operation }) =>
        [confirm, cancel, revert_in].filter((one) => one !== undefined).length <= 1 &&
        (operation === undefined || (confirm ?? cancel) === undefined),
      "cannot be combined with cancel, revert_in or operation",
    ),
    ["confirm"],
  ),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;

/** Queries that are no path. */
const queryNames = ["facts", "capabilities"] as const;
export type QueryName = (typeof queryNames)[number];

export const isNamed = (text: string): text is QueryName => queryNames.some((name) => name === text);
export const textOf = (command: Command): string =>
  (typeof command === "string" ? command : command.send).trim();

/** Arguments by the mode that takes them. */
const modeArgs: Readonly<Record<string, readonly string[]>> = {
  data: ["get"],
  subscription: ["stream"],
  interval: ["stream", "poll"],
  heartbeat: ["stream"],
  suppress_redundant: ["stream"],
  count: ["stream", "poll"],
  duration: ["stream"],
  updates_only: ["once", "stream", "poll"],
  aggregation: ["once", "stream", "poll"],
};

type Faults = readonly { path: string; message: string }[];

/** Commands that are no path, and arguments that none of the commands takes. */
export function needlessArgs(list: readonly Command[], args: QueryArgs): Faults {
  const texts = list.map(textOf);
  const faults = texts.flatMap((text, at) => {
    const read = isNamed(text) ? undefined : readPath(text);
    if (read === undefined || "path" in read) return [];
    return [{ path: `command.${at}`, message: `${read.fault}; or one of ${queryNames.join(", ")}` }];
  });
  if (faults.length > 0) return faults;
  const given = Object.entries(args).filter(([name, value]) => value !== undefined && name !== "timeout");
  const refuse = (name: string, message: string) => ({ path: `driver_args.${name}`, message });
  if (texts.every(isNamed))
    return given.map(([name]) => refuse(name, "is not an argument of any of the commands"));
  const { mode = "get", subscription } = args;
  if (mode !== "get" && texts.some(isNamed))
    return [refuse("mode", `is for paths, and one of the commands is ${texts.find(isNamed)}`)];
  const wrong = given.flatMap(([name]) => {
    const modes = modeArgs[name];
    return modes === undefined || modes.includes(mode)
      ? []
      : [refuse(name, `is for mode ${modes.join(" or ")}`)];
  });
  if (wrong.length > 0 || args.interval === undefined || mode === "poll" || subscription === "sample")
    return wrong;
  return [refuse("interval", "is for the subscription sample")];
}
