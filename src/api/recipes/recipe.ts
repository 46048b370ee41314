/** Recipes: stored operations with parameters, and their runs: schemas. */
import * as v from "valibot";
import { members } from "../../base/json/objects.ts";
import { linearPattern } from "../../base/regex/linear.ts";
import { changeStates } from "../changes/change.ts";
import { submitter } from "../jobs/job.ts";
import { described, field, integer, moment, named, text, type Unchanged } from "../schema.ts";

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
  /** Bytes of the body of a run, characters of all its rendered texts, and bytes of all runs that are kept. */
  runBytes: 1024 * 1024,
  runTextChars: 1024 * 1024,
  runsBytes: 1024 * 1024 * 1024,
  /** Devices of a run. */
  devices: 10_000,
  /** Characters of a value, and entries of a list. */
  valueChars: 64 * 1024,
  values: 1_000,
  /** Characters of a rendered text. */
  textChars: 256 * 1024,
} as const;

export const stepKinds = ["query", "push", "change", "render"] as const;
const failurePolicies = ["stop", "continue"] as const;

export const runStates = ["running", "cancelling", "finished", "failed", "cancelled"] as const;
export type RecipeRunState = (typeof runStates)[number];
export const stepStates = ["waiting", "running", "finished", "failed", "skipped", "cancelled"] as const;
export type RecipeStepState = (typeof stepStates)[number];

export const recipeName = v.pipe(
  v.string("must be a string"),
  v.regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "must be up to 64 letters, digits, `.`, `_` and `-`"),
);
/** As in templates and expressions, where it is a name. */
const parameterName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_]\w{0,63}$/, "must be up to 64 letters, digits and `_`"),
);
const stepName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_]\w{0,63}$/, "must be up to 64 letters, digits and `_`"),
);
const words = (most: number) =>
  v.pipe(
    v.string(),
    v.maxLength(most),
    v.regex(/^[^\0-\x08\x0b-\x1f\x7f]*$/, "must not hold control characters"),
  );
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const pattern = v.pipe(
  v.string(),
  v.maxLength(500),
  v.check((source) => {
    try {
      linearPattern(source);
      return true;
    } catch {
      return false;
    }
  }, "is not a regular expression without back references and look-around"),
);
const selector = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(2_000));
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
      v.record(parameterName, parameter),
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
  }),
  "What its steps must keep to",
);

export const step = named(
  "RecipeStep",
  v.strictObject({
    name: described(stepName, "Unique in the recipe"),
    kind: described(
      v.picklist(stepKinds),
      "`query` and `push` submit a bulk, `change` drafts a change and waits for its end, `render` renders a template without a device",
    ),
    when: described(
      field(v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(2_000))),
      "JSONata expression over `parameters`, `devices` and `steps`: the step is skipped unless it is true",
    ),
    on_failure: described(
      v.optional(v.picklist(failurePolicies), "stop"),
      "If one of its jobs fails, or its change is not done: `stop` ends the run, `continue` goes on",
    ),
    request: described(
      members,
      "Body of POST /device/bulk, for `change` of POST /change, for `render` of POST /template/render. `{{ name }}` stands for a parameter. The devices of the run are added to a bulk or change that names none",
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
  version: described(integer, "Increases with each change; also its ETag"),
  changed_at: moment,
  changed_by: described(text, "Name of the key or person"),
  source: v.exactOptional(described(text, "The source that brings it: it is changed there")),
  revision: v.exactOptional(described(text, "Of one that a source brings: the commit")),
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
});
export type RunRequest = v.InferOutput<typeof runRequest>;

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
  note: v.nullable(text),
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
  v.omit(wholeRun, ["parameters", "steps", "devices", "note"]),
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
});
export type StoredRunRequest = Unchanged<v.InferOutput<typeof storedRun>>;
