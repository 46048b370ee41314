/** Recipes: stored operations with parameters, and their runs: schemas. */
import * as v from "valibot";
import { members } from "../../base/json/objects.ts";
import { isLinear } from "../../base/regex/linear.ts";
import { changeStates } from "../changes/change.ts";
import { nameForm, words } from "../forms.ts";
import { submitter } from "../jobs/job.ts";
import { described, documentHeads, field, integer, moment, named, text, type Unchanged } from "../schema.ts";

/** How long a dry run allows a run. */
export const dryRunHours = 24;
/** How long a run that an agent proposes waits for a person. */
export const proposalHours = 72;

export const recipeLimits = {
  most: 1_000,
  /** Versions kept per recipe. */
  versions: 50,
  /** Maximum body size in bytes. */
  maxBytes: 256 * 1024,
  parameters: 50,
  steps: 50,
  /** Runs that have not ended, in all and of one key or person, and all that are kept. */
  openRuns: 500,
  openRunsOfOne: 100,
  runs: 10_000,
  /** Runs that agents propose and nobody has decided, of one key and in all; devices of one, and bytes, as lists open them. */
  proposedOfOne: 50,
  proposed: 500,
  proposedDevices: 1_000,
  proposedBytes: 256 * 1024,
  /** Bytes of the body of a run, characters of all its rendered texts, and bytes of all runs that are kept. */
  runBytes: 1024 * 1024,
  runTextChars: 1024 * 1024,
  runsBytes: 1024 * 1024 * 1024,
  /** Devices of a run. */
  devices: 10_000,
  /** Characters of the recipes that the description of the API has, and that are kept read for it. */
  describedChars: 4 * 1024 * 1024,
  /** Characters of a value, and entries of a list. */
  valueChars: 64 * 1024,
  values: 1_000,
  /** Characters of a rendered text, or of a value as JSON. */
  textChars: 256 * 1024,
  /** Entries that a step of the kind `call` goes through. */
  calls: 1_000,
  /** Times that a step is tried, seconds between them, and seconds of all. */
  tries: 200,
  everyS: 3_600,
  retryS: 24 * 3_600,
  /** Seconds that a step can wait before it begins. */
  waitS: 24 * 3_600,
} as const;

export const stepKinds = ["query", "push", "change", "take", "render", "value", "call"] as const;
/** Those that ask the devices of the run by a bulk. */
export const bulkKinds: readonly StepKind[] = ["query", "push", "take"];
/** What may be done again. */
export const repeatableKinds: readonly StepKind[] = ["query", "take", "call"];
export type StepKind = (typeof stepKinds)[number];
const failurePolicies = ["stop", "continue", "ignore"] as const;
export type FailurePolicy = (typeof failurePolicies)[number];

export const runStates = [
  ...(["running", "cancelling", "finished", "failed", "cancelled"] as const),
  ...(["proposed", "refused", "expired"] as const),
] as const;
export type RecipeRunState = (typeof runStates)[number];
export const stepStates = ["waiting", "running", "finished", "failed", "skipped", "cancelled"] as const;
export type RecipeStepState = (typeof stepStates)[number];

export const recipeName = v.pipe(v.string("must be a string"), v.regex(...nameForm));
/** Of a parameter or a step: as in templates and expressions, where it is a name. */
const wordName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_]\w{0,63}$/, "must be up to 64 letters, digits and `_`"),
);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const pattern = v.pipe(
  v.string(),
  v.maxLength(500),
  v.check(
    (source) => isLinear(source),
    "is not a regular expression without back references and look-around",
  ),
);
const selector = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(2_000));
const expression = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(2_000));
/** A text that is nothing but the place of a parameter. */
export const wholePlace = /^\s*\{\{\s*([A-Za-z_]\w*)\s*\}\}\s*$/;
const place = v.pipe(v.string(), v.regex(wholePlace, "must be a number, or `{{ name }}` of a parameter"));
const plainValue = v.union([v.string(), v.number(), v.boolean()]);

/** What a single value may be: the part of JSON Schema that forms understand. An unknown keyword is refused. */
const valueKeywords = {
  enum: described(
    field(v.pipe(v.array(plainValue), v.nonEmpty("must not be empty"), v.maxLength(recipeLimits.values))),
    "The values that are allowed",
  ),
  format: described(
    field(v.picklist(["device", "group", "multiline", "secret"])),
    "Of a string: the name of an inventory device or group, a text that may have several lines, or a secret",
  ),
  minimum: field(v.number()),
  maximum: field(v.number()),
  minLength: field(count),
  maxLength: field(count),
  pattern: described(
    field(pattern),
    "A regular expression that is found in the string; `^` and `$` anchor it",
  ),
};

export const parameter = named(
  "RecipeParameter",
  v.strictObject({
    type: v.picklist(["string", "integer", "number", "boolean", "array"]),
    title: field(words(200)),
    description: field(words(2_000)),
    default: described(
      field(v.union([plainValue, v.array(plainValue)])),
      "The value of a run that gives none",
    ),
    ...valueKeywords,
    items: described(
      field(v.strictObject({ type: v.picklist(["string", "integer", "number"]), ...valueKeywords })),
      "Of a list: what its entries may be",
    ),
    minItems: field(count),
    maxItems: field(count),
  }),
);
export type RecipeParameter = v.InferOutput<typeof parameter>;

const parameters = described(
  v.strictObject({
    type: v.literal("object"),
    properties: v.pipe(
      v.record(wordName, parameter),
      v.check(
        (all) => Object.keys(all).length <= recipeLimits.parameters,
        `at most ${recipeLimits.parameters}`,
      ),
    ),
    required: field(v.array(v.string())),
  }),
  "JSON Schema of the parameters: an object",
);
export type RecipeParameters = v.InferOutput<typeof parameters>;

const devices = described(
  v.strictObject({
    select: described(field(selector), "A selector: a run has these devices, and names none"),
    within: described(field(selector), "A selector: a run names devices, and all must be among these"),
    most: described(
      field(v.pipe(count, v.minValue(1), v.maxValue(recipeLimits.devices))),
      "At most so many devices",
    ),
  }),
  "Which inventory devices a run may have; absent: those that its caller may reach",
);

const policy = described(
  v.strictObject({
    change_required: described(
      field(v.boolean()),
      "`true`: it pushes by changes only, and a step of the kind `push` is refused",
    ),
    dry_run_first: described(
      field(v.boolean()),
      "`true`: a run must follow a dry run that its caller has finished within 24 hours, with the same values and devices",
    ),
  }),
  "What its steps must keep to",
);

const retry = v.pipe(
  v.strictObject({
    times: described(v.pipe(count, v.minValue(1), v.maxValue(recipeLimits.tries)), "Tries beside the first"),
    every: described(
      v.pipe(v.number(), v.minValue(1), v.maxValue(recipeLimits.everyS)),
      "Seconds between them",
    ),
  }),
  v.check(
    ({ times, every }) => times * every <= recipeLimits.retryS,
    `must not take more than ${recipeLimits.retryS} seconds in all`,
  ),
);

export const step = named(
  "RecipeStep",
  v.strictObject({
    name: described(wordName, "Unique in the recipe"),
    kind: described(
      v.picklist(stepKinds),
      "`query` and `push` submit a bulk, `take` reads configurations into the history, `change` drafts a change and waits for its end, `render` renders a template without a device, `value` computes a value, `call` calls this API",
    ),
    when: described(
      field(expression),
      "JSONata expression over `parameters`, `devices`, `dry_run` and `steps`: the step is skipped unless it is true",
    ),
    only: described(
      field(expression),
      "JSONata that gives names of devices: of those of the run, the step has these only; it is skipped if there are none",
    ),
    wait: described(
      field(v.union([v.pipe(v.number(), v.minValue(0), v.maxValue(recipeLimits.waitS)), place])),
      "Seconds between the end of the step before and its begin, or the place of a parameter",
    ),
    window: described(
      field(v.string()),
      "It begins only within this window, such as `Sat 22:00-04:00 Europe/Berlin`, or that of a parameter",
    ),
    expect: described(
      field(expression),
      "JSONata as in `when`, of what there is after the step: it has failed unless this is true",
    ),
    retry: described(
      field(retry),
      "It is tried again, what only reads: on the devices that failed, or on all if none did and `expect` is not true",
    ),
    dry_run: described(
      field(v.literal("skip")),
      "`skip`: a dry run leaves the step out. It leaves out calls that write in any case",
    ),
    on_failure: described(
      v.optional(v.picklist(failurePolicies), "stop"),
      "If one of its jobs fails, or its change is not done, or `expect` is not true: `stop` ends the run, `continue` goes on, and the run has failed all the same; with `ignore` it has not",
    ),
    request: described(
      members,
      "Body of POST /device/bulk, for `change` of POST /change, for `take` of POST /history/take, for `render` of POST /template/render; for `value` `expression`, for `call` `method`, `path`, `query`, `body` and `each`. `{{ name }}` stands for a parameter. The devices of the run are added to a bulk or change that names none",
    ),
  }),
);
export type RecipeStep = v.InferOutput<typeof step>;

const fields = {
  title: field(described(words(200), "Title for forms and lists")),
  description: field(described(words(10_000), "What it does, for those who run it")),
  parameters: field(parameters),
  devices: field(devices),
  ticket: field(described(pattern, "A regular expression that the ticket of a run must match")),
  policy: field(policy),
  steps: described(
    v.pipe(v.array(step), v.nonEmpty("must not be empty"), v.maxLength(recipeLimits.steps)),
    "One after the other",
  ),
};
/** Body of PUT /recipe/{name}, and the form that is stored. */
export const recipeRequest = v.strictObject(fields);
export type RecipeRequest = v.InferOutput<typeof recipeRequest>;

const heads = {
  name: described(text, "Name of the recipe"),
  ...documentHeads,
};
export const recipeRecord = named("Recipe", v.object({ ...heads, ...fields }));
export type RecipeRecord = v.InferOutput<typeof recipeRecord>;

/** What is stored of it for lists. */
export const recipeLine = v.object({
  ...{ title: v.nullable(text), description: v.nullable(text), steps: integer },
});
export type RecipeLine = v.InferOutput<typeof recipeLine>;
export const listedRecipe = named("ListedRecipe", v.object({ ...heads, ...recipeLine.entries }));
export type ListedRecipe = v.InferOutput<typeof listedRecipe>;

export const shippedRecipe = named(
  "ShippedRecipe",
  v.object({
    name: text,
    title: v.nullable(text),
    description: v.nullable(text),
    recipe: described(members, "Body of PUT /recipe/{name}"),
  }),
);
export type ShippedRecipe = v.InferOutput<typeof shippedRecipe>;

/** Body of POST /recipe/{name}/run. */
export const runRequest = v.strictObject({
  parameters: field(described(members, "Values by name")),
  devices: field(
    described(
      v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.maxLength(recipeLimits.devices)),
      "Names of inventory devices",
    ),
  ),
  select: field(
    described(selector, "A selector of inventory devices, in place of `devices` or in addition to them"),
  ),
  version: field(
    described(v.pipe(count, v.minValue(1)), "The version that the caller has read; another one is refused"),
  ),
  ticket: field(described(v.pipe(v.string(), v.maxLength(100)), "Ticket of its jobs")),
  note: field(described(words(2_000), "Note of its jobs")),
  dry_run: field(
    described(
      v.boolean(),
      "`true`: pushes and changes are dry runs of their drivers, calls that write are left out, and nothing waits",
    ),
  ),
});
export type RunRequest = v.InferOutput<typeof runRequest>;

/** Body of POST /recipe/{name}/run/{item}/refuse. */
export const refusal = v.strictObject({
  note: field(described(words(2_000), "Why, for the agent that has proposed it")),
});

/** `request` of a step that computes. */
export const valueStep = v.strictObject({
  expression: v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(10_000)),
});
/** `request` of a step that calls this API. */
export const callStep = v.strictObject({
  method: v.picklist(["GET", "PUT", "PATCH", "POST"]),
  path: v.pipe(v.string(), v.maxLength(1_000)),
  query: field(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
  body: field(members),
  each: field(v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(2_000))),
});
export type CallStep = v.InferOutput<typeof callStep>;

const counts = v.object({ total: integer, finished: integer, failed: integer, cancelled: integer });
export const runStep = v.object({
  name: text,
  kind: v.picklist(stepKinds),
  state: v.picklist(stepStates),
  reason: described(v.nullable(text), "Why it failed or was skipped"),
  bulk_id: described(v.nullable(text), "The bulk that it has submitted"),
  change: described(
    v.nullable(v.object({ id: text, state: v.picklist(changeStates) })),
    "The change that it has drafted, with the state that the run knows",
  ),
  counts: described(v.nullable(counts), "Jobs of the bulk by how they ended, once they have"),
  text: described(v.nullable(text), "Of a step that renders: the text"),
  value: described(v.unknown(), "Of a step of the kind `value` or `call`; a list of objects is a table"),
  tries: described(integer, "How often it was tried again"),
  due_at: described(v.nullable(moment), "It waits until then"),
  started_at: v.nullable(moment),
  ended_at: v.nullable(moment),
});

const wholeRun = v.object({
  id: text,
  recipe: text,
  version: described(integer, "The version of the recipe that it runs"),
  state: v.picklist(runStates),
  reason: described(v.nullable(text), "Why it failed"),
  submitted_by: submitter,
  ticket: v.nullable(text),
  dry_run: v.boolean(),
  proposed_by: described(
    v.nullable(text),
    "Key of the agent that has proposed it; it runs as the person who accepted it",
  ),
  expires_at: described(v.nullable(moment), "Of one that is proposed: a person can accept it until then"),
  note: v.nullable(text),
  proposal: described(
    v.nullable(v.object({ reason: text, devices: v.array(text) })),
    "Of one that is proposed: what the agent says of it, and names of its devices",
  ),
  devices: described(integer, "Number of its devices"),
  parameters: described(members, "Values by name, defaults included"),
  created_at: moment,
  ended_at: v.nullable(moment),
  steps: v.array(runStep),
});
export const runRecord = named("RecipeRun", wholeRun);
export type RunRecord = v.InferOutput<typeof runRecord>;
export const listedRun = named(
  "ListedRecipeRun",
  v.omit(wholeRun, ["parameters", "steps", "devices", "note", "proposal"]),
);
export type ListedRun = v.InferOutput<typeof listedRun>;

/** What a run keeps: it does not change with its recipe. */
export const storedRun = v.object({
  recipe: recipeRequest,
  parameters: v.record(v.string(), v.union([plainValue, v.array(v.union([v.string(), v.number()]))])),
  devices: v.array(v.string()),
  note: v.nullable(v.string()),
  /** Fingerprint of what was asked, for a repeat. */
  asked: v.string(),
  dry: v.optional(v.boolean(), false),
  /** What the agent said that has proposed it. */
  reason: v.optional(v.nullable(v.string()), null),
  /** Of one that an agent has proposed: its devices, with those that its steps select themselves. */
  reached: v.optional(v.array(v.string())),
});
export type StoredRunRequest = Unchanged<v.InferOutput<typeof storedRun>>;
