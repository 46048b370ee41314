/** Schemas of device endpoint bodies, and of stored payloads. */
import * as v from "valibot";
import { laxNumber } from "../../base/json/lax.ts";
import { isRecord } from "../../base/json/members.ts";
import { alternatives, members, noList, nullsAsAbsent } from "../../base/json/objects.ts";
import { words } from "../forms.ts";
import { restorePlan, takePlan } from "../history/take-plan.ts";
import { discovery } from "../inventory/facts.ts";
import { rehearsalPlan } from "../rehearsal/rehearsal.ts";
import { described, field, moment, named, text, texts } from "../schema.ts";
import { beginning } from "./beginning.ts";
import { jobsRange, retriesRange, ttlRange } from "./bounds.ts";
import { checks, storedChecks } from "./checks.ts";
import { operations, priorities, strategies } from "./job.ts";
import { templateFields, templateUse, templateWord } from "./template-use.ts";

/** Fields that several bodies have. */
export const requestWords = {
  device: "Name of an inventory device, which supplies omitted fields",
  select: "A selector: these inventory devices, in place of `devices` or in addition to them",
  devices:
    "Each entry is merged over `connection_args`, field by field; it may have its own `command` or `config`",
  connection_args: "How to reach the device. `host` or `hostname` is required",
  credential: "Reference to a credential that supplies the secrets",
} as const;

export const defaultTtl = { single: 300, bulk: 600 } as const;

const seconds = (min: number, max: number) => v.pipe(laxNumber(), v.minValue(min), v.maxValue(max));
const wholeSeconds = (min: number, max: number) => v.pipe(seconds(min, max), v.integer());

/** `options.webhook`; the plugin validates the rest. */
export const webhookUse = noList(v.looseObject({ name: field(v.string()) }));

/** Purpose texts of a job, shown in its record. */
const purpose = {
  label: described(field(words(200)), "Purpose of the job"),
  ticket: described(field(words(100)), "Number of a change or incident"),
  note: described(field(words(2_000)), "Further notes"),
  tags: described(field(v.pipe(v.array(words(64)), v.maxLength(20))), "Tags to filter by"),
};

/** Order of the devices of a bulk. */
export const bulkOrders = ["given", "random", "host"] as const;
export type BulkOrder = (typeof bulkOrders)[number];
const jobCount = v.pipe(laxNumber(), v.integer(), v.minValue(jobsRange.min), v.maxValue(jobsRange.max));

/** Options that newer clients write at the top level. */
const flatOptions = {
  queue_strategy: described(
    field(v.picklist(strategies)),
    "`pinned`: one job at a time per host, on a persistent session; `fifo`: many in parallel",
  ),
  ttl: described(
    field(wholeSeconds(ttlRange.min, ttlRange.max)),
    "Seconds until a waiting job fails as `JobExpired`, and a running one as `JobTimeout`; default 300, bulk 600",
  ),
  execution_timeout: described(field(wholeSeconds(ttlRange.min, ttlRange.max)), "Alias of `ttl`"),
  result_ttl: described(field(wholeSeconds(60, 604_800)), "Seconds that the result is kept"),
  webhook: described(field(webhookUse), "Receiver that is notified when the job has ended"),
  priority: described(
    field(v.picklist(priorities)),
    "Order among the jobs of one API key in the queue `fifo`",
  ),
  not_before: described(
    field(beginning),
    "ISO 8601 with offset, at most 30 days ahead: earliest start of the job; its `ttl` starts then",
  ),
  checks: described(field(checks), "Checks before and after a push, and whether a failed one rolls it back"),
  ...purpose,
};
/** Of a push. */
const pushOptions = {
  rehearse: described(
    field(v.boolean()),
    "With `config`: nothing is pushed; the job tells what each line would do, and from where that is known",
  ),
};

/** Names of top-level options, except for `parsing` and `rendering`. */
export const flatOptionNames = v.keyof(v.object({ ...flatOptions, ...pushOptions })).options;

export const operationOptions = noList(
  v.looseObject({
    ...flatOptions,
    ...pushOptions,
    /** How often a query is retried after a lost worker. */
    retries: described(
      v.optional(
        v.nullable(
          v.pipe(laxNumber(), v.integer(), v.minValue(retriesRange.min), v.maxValue(retriesRange.max)),
        ),
        0,
      ),
      "How often a query is restarted if its worker is lost",
    ),
    parsing: described(field(templateUse), "Parses the output of each command"),
    rendering: described(field(templateUse), "Renders the configuration to push"),
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
  driver: described(field(v.pipe(v.string(), v.nonEmpty("must not be empty"))), "Name of a driver"),
  command: described(
    field(commandField),
    "A query: one or more commands. Exactly one of `command` and `config` is required",
  ),
  config: described(
    field(configField),
    "A configuration: lines or, with `rendering`, the context of the template",
  ),
  driver_args: described(field(members), "Arguments of the driver for this operation"),
  options: described(field(operationOptions), "Options of the job, independent of the driver"),
  parsing: described(field(templateUse), "Parses the output of each command. Also accepted in `options`"),
  rendering: described(field(templateUse), "Renders the configuration to push. Also accepted in `options`"),
  ...flatOptions,
  ...pushOptions,
};

/** Body of POST /device/execute. */
export const executeRequest = named(
  "ExecuteRequest",
  v.looseObject({
    ...fields,
    device: described(field(deviceName), requestWords.device),
    connection_args: described(field(members), requestWords.connection_args),
  }),
);
export type ExecuteRequest = v.InferOutput<typeof executeRequest>;

/** Members of `driver_args` that decide about a commit, which a dry run excludes. */
export const committingArgs: ReadonlySet<string> = new Set([
  ...["save", "commit", "confirm", "revert_in", "commit_confirm"],
]);

/** Body of POST /device/bulk; entries are validated individually, so that one does not fail the others. */
export const bulkRequest = named(
  "BulkRequest",
  v.looseObject({
    ...fields,
    connection_args: described(field(members), requestWords.connection_args),
    devices: described(
      field(v.pipe(v.array(members), v.nonEmpty("must not be empty"))),
      requestWords.devices,
    ),
    select: described(field(v.string()), requestWords.select),
    limit: described(field(jobCount), "Maximum number of devices from `select`, in the order of `order`"),
    sample: described(field(jobCount), "Number of devices from `select`, chosen at random"),
    concurrency: described(field(jobCount), "How many jobs of the bulk may be queued or running at once"),
    max_failures: described(
      field(jobCount),
      "Number of failed jobs after which the rest of the bulk is cancelled",
    ),
    order: described(field(v.picklist(bulkOrders)), "Order in which the devices of the bulk start"),
  }),
);
export type BulkRequest = v.InferOutput<typeof bulkRequest>;

/** Body of POST /inventory/discover. */
export const discoverRequest = v.strictObject({
  ...flatOptions,
  device: described(field(deviceName), requestWords.device),
  select: described(field(v.string()), requestWords.select),
  limit: bulkRequest.entries.limit,
  sample: bulkRequest.entries.sample,
  apply: described(
    v.optional(v.boolean(), false),
    "Whether a detected platform is written into the inventory if none is set",
  ),
  /** For devices without a credential, as in a bulk. */
  connection_args: bulkRequest.entries.connection_args,
  options: fields.options,
  concurrency: bulkRequest.entries.concurrency,
  max_failures: bulkRequest.entries.max_failures,
});
export type DiscoverRequest = v.InferOutput<typeof discoverRequest>;

/** Body of POST /device/test-connection. */
export const testRequest = named(
  "TestRequest",
  v.looseObject({
    driver: fields.driver,
    device: described(field(deviceName), requestWords.device),
    connection_args: described(field(members), requestWords.connection_args),
    driver_args: fields.driver_args,
  }),
);

/** Its answer. A failed login is a result, not an error. */
export const testAnswer = named(
  "TestAnswer",
  v.object({
    success: v.boolean(),
    connection_time: described(v.nullable(v.number()), "Seconds; null when it failed"),
    error_message: v.nullable(text),
    device_info: described(v.nullable(v.record(text, text)), "As the driver tells; null when it failed"),
    timestamp: moment,
    warnings: v.exactOptional(described(texts, "Members of the request that were ignored")),
  }),
);
export type TestAnswer = v.InferOutput<typeof testAnswer>;

/** Bodies of the template endpoints; `name` may be in the path instead. */
const { args, strict, templates, ...ofSets } = templateFields;
const shared = {
  name: described(field(v.string()), "Name of the engine"),
  args,
  strict,
  timeout: described(field(seconds(0.1, 60)), "CPU time limit, in seconds"),
};

export const renderRequest = named(
  "RenderRequest",
  v.looseObject({
    ...shared,
    template: described(v.string(), templateWord),
    device: described(
      field(deviceName),
      "Inventory device that supplies `device`, `group` and `vars` of the context",
    ),
    context: described(field(members), "Variables of the template"),
    templates,
  }),
);

export const parseRequest = named(
  "ParseRequest",
  v.looseObject({
    ...shared,
    ...ofSets,
    template: described(field(v.string()), templateWord),
    context: described(v.string(), "The text to parse"),
  }),
);

/** `data` of a parse. */
export const parsedText = v.array(
  described(v.record(text, v.unknown()), "A record, with the names and types of the template"),
);

/** Beside `data` of both. */
export const templateWarnings = v.object({
  warnings: v.exactOptional(described(texts, "Likely mistakes in the template.")),
});

/** `<source>:<ref>`, and whether it is stored here. */
export const namedCredential = v.object({ name: v.string(), kept: v.boolean() });

/** The end of a push that was left open (`CheckReport.open`). */
export const openEnd = v.variant("word", [
  v.object({ word: v.picklist(["confirm", "cancel"]), open: v.string() }),
  /** Its timer starts anew. */
  v.object({ word: v.literal("extend"), open: v.string(), seconds: v.number() }),
]);
export type OpenEnd = v.InferOutput<typeof openEnd>;

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
  /** Set if the result is a configuration, and stored as one. */
  take: v.optional(takePlan),
  /** Set if `lines`, which are masked, stand for those of a version. */
  restore: v.optional(restorePlan),
  /** Set if the lines are rehearsed, and nothing is pushed. */
  rehearsal: v.optional(rehearsalPlan),
  /** Set if it ends a push that another job has left open. */
  ends: v.optional(openEnd),
});
export type Payload = v.InferOutput<typeof payload>;
