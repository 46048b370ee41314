/** Bodies of the device endpoints and the operation they mean. */
import * as v from "valibot";
import { laxNumber } from "../base/lax.ts";
import { isRecord } from "../base/members.ts";
import { alternatives, members, noList, nullsAsAbsent } from "../base/objects.ts";
import { beginning } from "./beginning.ts";
import { checks, storedChecks } from "./checks.ts";
import { discovery } from "./facts.ts";
import { operations, priorities, strategies } from "./job.ts";
import { templateFields, templateUse } from "./template-use.ts";

/** Numbers of seconds that callers may ask for. */
export const ttlRange = { min: 1, max: 86_400 } as const;
export const defaultTtl = { single: 300, bulk: 600 } as const;

const seconds = (min: number, max: number) => v.pipe(laxNumber(), v.minValue(min), v.maxValue(max));
const wholeSeconds = (min: number, max: number) => v.pipe(seconds(min, max), v.integer());

/** `options.webhook`; the webhook plugin checks the rest. */
export const webhookUse = noList(v.looseObject({ name: v.optional(v.nullable(v.string())) }));

/** What a job is for, in the words of its caller; its record shows them. */
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

/** Which devices of a bulk come first. */
export const bulkOrders = ["given", "random", "host"] as const;
export type BulkOrder = (typeof bulkOrders)[number];
/** More devices than a bulk may have. */
const mostJobs = 1_000_000;
const jobCount = v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(mostJobs));

/** Of `options`; newer clients write them beside `driver`. */
const flatOptions = {
  queue_strategy: v.optional(v.nullable(v.picklist(strategies))),
  ttl: v.optional(v.nullable(wholeSeconds(ttlRange.min, ttlRange.max))),
  /** Another name of `ttl`, which counts where both are given. */
  execution_timeout: v.optional(v.nullable(wholeSeconds(ttlRange.min, ttlRange.max))),
  result_ttl: v.optional(v.nullable(wholeSeconds(60, 604_800))),
  webhook: v.optional(v.nullable(webhookUse)),
  /** Which jobs of the fifo queue go first among those of the same API key. */
  priority: v.optional(v.nullable(v.picklist(priorities))),
  /** The job begins no sooner, and its ttl begins then. */
  not_before: v.optional(v.nullable(beginning)),
  /** What is looked at before and after a push. */
  checks: v.optional(v.nullable(checks)),
  ...purpose,
};

/** Options that may stand beside `driver`, besides `parsing` and `rendering`. */
export const flatOptionNames = v.keyof(v.object(flatOptions)).options;

export const operationOptions = noList(
  v.looseObject({
    ...flatOptions,
    /** How often a query whose worker was lost is started again. */
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
  v.union([commandText, dialogue], "must be a text, or an object with `send`"),
  (value) => (typeof value === "string" ? commandText : isRecord(value) ? dialogue : undefined),
);
const commandList = v.pipe(v.array(commandEntry), v.nonEmpty("must not be empty"), v.maxLength(5_000));
export const commandField = alternatives(
  v.union([commandText, commandList], "must be a text, or a list"),
  (value) => (typeof value === "string" ? commandText : Array.isArray(value) ? commandList : undefined),
);

const configLines = v.pipe(v.array(v.string()), v.nonEmpty("must not be empty"), v.maxLength(100_000));
export const configField = alternatives(
  v.union(
    [v.pipe(v.string(), v.nonEmpty("must not be empty")), configLines, members],
    "must be a text, a list of texts, or an object",
  ),
  (value) => (Array.isArray(value) ? configLines : undefined),
);

/** Name of a device in the inventory. */
const deviceName = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(128));

const fields = {
  /** The inventory may say it. */
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

/** Body of POST /device/bulk; entries are checked one by one, so that one bad device does not refuse the others. */
export const bulkRequest = v.looseObject({
  ...fields,
  connection_args: v.optional(v.nullable(members)),
  devices: v.optional(v.nullable(v.pipe(v.array(members), v.nonEmpty("must not be empty")))),
  /** A selector: these devices of the inventory, in place of `devices` or beside them. */
  select: v.optional(v.nullable(v.string())),
  /** The first of those that are selected. */
  limit: v.optional(v.nullable(jobCount)),
  /** So many of those that are selected, by chance. */
  sample: v.optional(v.nullable(jobCount)),
  /** How many of its jobs may run at once. */
  concurrency: v.optional(v.nullable(jobCount)),
  /** After so many that failed, what waits is cancelled. */
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
  /** A platform that is found is written where nobody has said one. */
  apply: v.optional(v.boolean(), false),
  /** For devices without a credential, as of a bulk. */
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

/** Bodies of the template endpoints; `name` may stand in the path instead. */
const { args, strict, templates, ...ofSets } = templateFields;
const shared = {
  name: v.optional(v.nullable(v.string())),
  args,
  strict,
  /** Seconds the engine may take. */
  timeout: v.optional(v.nullable(seconds(0.1, 60))),
};

export const renderRequest = v.looseObject({
  ...shared,
  template: v.string(),
  /** Of the inventory: the context has its `device`, `group` and `vars`. */
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

/** `<source>:<ref>`, and whether it lies in the store of the appliance. */
export const namedCredential = v.object({ name: v.string(), kept: v.boolean() });

/** The sealed part of a job: everything a thread needs, and every secret. Stored as JSON text. */
export const payload = v.object({
  connection: v.record(v.string(), v.unknown()),
  operation: v.picklist(operations),
  commands: v.optional(v.array(v.union([v.string(), dialogue]))),
  /** Configuration lines, unless `contextJson` is rendered first. */
  lines: v.optional(v.array(v.string())),
  /** Raw JSON text of the rendering context: key order and number kinds are kept. */
  contextJson: v.optional(v.string()),
  /** What is rendered is one text, not taken apart at its line ends. */
  renderedWhole: v.optional(v.boolean()),
  /** Logins at jump hosts on the way, the nearest first; absent: there are none. */
  through: v.optional(v.array(v.object({ host: v.string(), user: v.string() }))),
  driverArgs: v.record(v.string(), v.unknown()),
  rendering: v.optional(templateUse),
  parsing: v.optional(templateUse),
  checks: v.optional(storedChecks),
  /** A text that no template fits stays text, where a driver's own arguments ask for it. */
  parsingLenient: v.optional(v.boolean()),
  /** How the engine's set is told the platform, where `parsing` names no template. */
  setField: v.optional(v.string()),
  /** The engine of `parsing` has no templates to pick from. */
  argsOnly: v.optional(v.boolean()),
  /** The work is to outlive its session: which arguments find it again, and what is shown of it. */
  detached: v.optional(
    v.object({
      keeps: v.array(v.string()),
      asked: v.string(),
      /** Texts of the request that its output must not show. */
      secrets: v.optional(v.array(v.string()), []),
    }),
  ),
  /** What its connection names in place of passwords; absent: nothing. */
  credential: v.optional(namedCredential),
  /** What the key of its caller may reach; absent: everything. */
  reach: v.optional(v.array(v.string())),
  /** What the device says of itself is noted for the inventory. */
  discovery: v.optional(discovery),
});
export type Payload = v.InferOutput<typeof payload>;
