/** Schemas of device endpoint bodies, and of stored payloads. */
import * as v from "valibot";
import { laxNumber } from "../base/json/lax.ts";
import { isRecord } from "../base/json/members.ts";
import { alternatives, members, noList, nullsAsAbsent } from "../base/json/objects.ts";
import { beginning } from "./beginning.ts";
import { checks, storedChecks } from "./checks.ts";
import { discovery } from "./facts.ts";
import { operations, priorities, strategies } from "./job.ts";
import { templateFields, templateUse } from "./template-use.ts";

/** Allowed values in seconds. */
export const ttlRange = { min: 1, max: 86_400 } as const;
export const defaultTtl = { single: 300, bulk: 600 } as const;

const seconds = (min: number, max: number) => v.pipe(laxNumber(), v.minValue(min), v.maxValue(max));
const wholeSeconds = (min: number, max: number) => v.pipe(seconds(min, max), v.integer());

/** `options.webhook`; the plugin validates the rest. */
export const webhookUse = noList(v.looseObject({ name: v.optional(v.nullable(v.string())) }));

/** Purpose texts of a job, shown in its record. */
const words = (most: number) =>
  v.pipe(
    v.string(),
    v.maxLength(most),
    v.regex(/^[^\0-\x08\x0b-\x1f\x7f]*$/, "must not hold control characters"),
  );
const purpose = {
  label: v.optional(v.nullable(words(200))),
  ticket: v.optional(v.nullable(words(100))),
  note: v.optional(v.nullable(words(2_000))),
  tags: v.optional(v.nullable(v.pipe(v.array(words(64)), v.maxLength(20)))),
};

/** Order of the devices of a bulk. */
export const bulkOrders = ["given", "random", "host"] as const;
export type BulkOrder = (typeof bulkOrders)[number];
/** Above the maximum size of a bulk. */
const maxJobs = 1_000_000;
const jobCount = v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(maxJobs));

/** Options that newer clients write at the top level. */
const flatOptions = {
  queue_strategy: v.optional(v.nullable(v.picklist(strategies))),
  ttl: v.optional(v.nullable(wholeSeconds(ttlRange.min, ttlRange.max))),
  /** Alias of `ttl`, which takes precedence. */
  execution_timeout: v.optional(v.nullable(wholeSeconds(ttlRange.min, ttlRange.max))),
  result_ttl: v.optional(v.nullable(wholeSeconds(60, 604_800))),
  webhook: v.optional(v.nullable(webhookUse)),
  /** Order in the fifo queue among jobs of the same API key. */
  priority: v.optional(v.nullable(v.picklist(priorities))),
  /** Earliest start; the ttl counts from then. */
  not_before: v.optional(v.nullable(beginning)),
  /** Checks before and after a push. */
  checks: v.optional(v.nullable(checks)),
  ...purpose,
};

/** Names of top-level options, except for `parsing` and `rendering`. */
export const flatOptionNames = v.keyof(v.object(flatOptions)).options;

export const operationOptions = noList(
  v.looseObject({
    ...flatOptions,
    /** How often a query is retried after a lost worker. */
    retries: v.optional(v.nullable(v.pipe(laxNumber(), v.integer(), v.minValue(0), v.maxValue(10))), 0),
    parsing: v.optional(v.nullable(templateUse)),
    rendering: v.optional(v.nullable(templateUse)),
  }),
);
export type OperationOptions = v.InferOutput<typeof operationOptions>;

const commandText = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(65_536));
const dialogue = nullsAsAbsent(
  v.strictObject({
    send: v.string(),
    expect: v.exactOptional(v.pipe(v.string(), v.maxLength(1_000))),
    reply: v.exactOptional(v.string()),
    hidden: v.exactOptional(v.boolean()),
  }),
);
const commandEntry = alternatives(
  v.union([commandText, dialogue], "must be a string, or an object with `send`"),
  (value) => (typeof value === "string" ? commandText : isRecord(value) ? dialogue : undefined),
);
const commandList = v.pipe(v.array(commandEntry), v.nonEmpty("must not be empty"), v.maxLength(5_000));
export const commandField = alternatives(
  v.union([commandText, commandList], "must be a string, or a list"),
  (value) => (typeof value === "string" ? commandText : Array.isArray(value) ? commandList : undefined),
);

const configLines = v.pipe(v.array(v.string()), v.nonEmpty("must not be empty"), v.maxLength(100_000));
export const configField = alternatives(
  v.union(
    [v.pipe(v.string(), v.nonEmpty("must not be empty")), configLines, members],
    "must be a string, a list of strings, or an object",
  ),
  (value) => (Array.isArray(value) ? configLines : undefined),
);

/** Inventory name of a device. */
const deviceName = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(128));

const fields = {
  /** May come from the inventory. */
  driver: v.optional(v.nullable(v.pipe(v.string(), v.nonEmpty("must not be empty")))),
  command: v.optional(v.nullable(commandField)),
  config: v.optional(v.nullable(configField)),
  driver_args: v.optional(v.nullable(members)),
  options: v.optional(v.nullable(operationOptions)),
  parsing: v.optional(v.nullable(templateUse)),
  rendering: v.optional(v.nullable(templateUse)),
  ...flatOptions,
};

/** Body of POST /device/execute. */
export const executeRequest = v.looseObject({
  ...fields,
  device: v.optional(v.nullable(deviceName)),
  connection_args: v.optional(v.nullable(members)),
});
export type ExecuteRequest = v.InferOutput<typeof executeRequest>;

/** Body of POST /device/bulk; entries are validated individually, so that one does not fail the others. */
export const bulkRequest = v.looseObject({
  ...fields,
  connection_args: v.optional(v.nullable(members)),
  devices: v.optional(v.nullable(v.pipe(v.array(members), v.nonEmpty("must not be empty")))),
  /** Selector of inventory devices, instead of or in addition to `devices`. */
  select: v.optional(v.nullable(v.string())),
  /** Limits the selected devices to the first ones. */
  limit: v.optional(v.nullable(jobCount)),
  /** Random sample of the selected devices. */
  sample: v.optional(v.nullable(jobCount)),
  /** Maximum concurrent jobs of the bulk. */
  concurrency: v.optional(v.nullable(jobCount)),
  /** Cancels waiting jobs after this many failures. */
  max_failures: v.optional(v.nullable(jobCount)),
  order: v.optional(v.nullable(v.picklist(bulkOrders))),
});
export type BulkRequest = v.InferOutput<typeof bulkRequest>;

/** Body of POST /inventory/discover. */
export const discoverRequest = v.strictObject({
  ...flatOptions,
  device: v.optional(v.nullable(deviceName)),
  select: v.optional(v.nullable(v.string())),
  limit: bulkRequest.entries.limit,
  sample: bulkRequest.entries.sample,
  /** Writes a detected platform if the device has none. */
  apply: v.optional(v.boolean(), false),
  /** For devices without a credential, as in a bulk. */
  connection_args: bulkRequest.entries.connection_args,
  options: fields.options,
  concurrency: bulkRequest.entries.concurrency,
  max_failures: bulkRequest.entries.max_failures,
});
export type DiscoverRequest = v.InferOutput<typeof discoverRequest>;

/** Body of POST /device/test-connection. */
export const testRequest = v.looseObject({
  driver: fields.driver,
  device: v.optional(v.nullable(deviceName)),
  connection_args: v.optional(v.nullable(members)),
  driver_args: fields.driver_args,
});

/** Bodies of the template endpoints; `name` may be in the path instead. */
const { args, strict, templates, ...ofSets } = templateFields;
const shared = {
  name: v.optional(v.nullable(v.string())),
  args,
  strict,
  /** Time limit of the engine in seconds. */
  timeout: v.optional(v.nullable(seconds(0.1, 60))),
};

export const renderRequest = v.looseObject({
  ...shared,
  template: v.string(),
  /** Inventory device that supplies `device`, `group` and `vars` of the context. */
  device: v.optional(v.nullable(deviceName)),
  context: v.optional(v.nullable(members)),
  templates,
});

export const parseRequest = v.looseObject({
  ...shared,
  ...ofSets,
  template: v.optional(v.nullable(v.string())),
  context: v.string(),
});

/** `<source>:<ref>`, and whether it is stored here. */
export const namedCredential = v.object({ name: v.string(), kept: v.boolean() });

/** The sealed part of a job: everything a worker thread needs, with secrets. Stored as JSON. */
export const payload = v.object({
  connection: v.record(v.string(), v.unknown()),
  operation: v.picklist(operations),
  commands: v.optional(v.array(v.union([v.string(), dialogue]))),
  /** Configuration lines, unless `contextJson` is rendered. */
  lines: v.optional(v.array(v.string())),
  /** Raw JSON of the template context, to keep key order and number formats. */
  contextJson: v.optional(v.string()),
  /** Whether rendered text is not split into lines. */
  renderedWhole: v.optional(v.boolean()),
  /** Logins at jump hosts, nearest first. */
  through: v.optional(v.array(v.object({ host: v.string(), user: v.string() }))),
  driverArgs: v.record(v.string(), v.unknown()),
  rendering: v.optional(templateUse),
  parsing: v.optional(templateUse),
  checks: v.optional(storedChecks),
  /** Whether output without a matching template stays text, as arguments of some drivers request. */
  parsingLenient: v.optional(v.boolean()),
  /** Name of the set argument for the platform, if `parsing` names no template. */
  setField: v.optional(v.string()),
  /** True if the engine of `parsing` has no template set. */
  argsOnly: v.optional(v.boolean()),
  /** For detached work: arguments to find it again, and what to show of it. */
  detached: v.optional(
    v.object({
      keeps: v.array(v.string()),
      asked: v.string(),
      /** Secrets of the request, masked in output. */
      secrets: v.optional(v.array(v.string()), []),
    }),
  ),
  /** Credential reference of the connection. */
  credential: v.optional(namedCredential),
  /** Host patterns of the key; undefined: all hosts. */
  reach: v.optional(v.array(v.string())),
  /** Set if the result is recorded in the inventory. */
  discovery: v.optional(discovery),
});
export type Payload = v.InferOutput<typeof payload>;
