/** Hooks: addresses where other systems start runs of recipes: schemas. */
import * as v from "valibot";
import { members } from "../../base/json/objects.ts";
import { words } from "../forms.ts";
import { described, field, moment, named, text } from "../schema.ts";
import { recipeLimits, recipeName } from "./recipe.ts";

export const hookLimits = {
  /** Of one recipe, and in all. */
  ofRecipe: 20,
  most: 1_000,
  /** Maximum size in bytes of a hook, and of what a sender sends. */
  maxBytes: 64 * 1024,
  deliveryBytes: 256 * 1024,
  /** How long deliveries are remembered, and how many of one hook there may be in that time. */
  rememberedMs: 7 * 24 * 3_600_000,
  remembered: 10_000,
  /** How far the time in a signature may be from that of the service. */
  skewMs: 5 * 60_000,
  /** Deliveries of one hook. */
  rate: { perSecond: 1, burst: 60 },
  /** Characters of an expression, and of the id of a delivery. */
  expressionChars: 2_000,
  idChars: 200,
} as const;

export const hookProviders = ["github", "gitlab", "netbox", "alertmanager", "patchbay"] as const;
export type HookProvider = (typeof hookProviders)[number];

const expression = v.pipe(
  v.string(),
  v.nonEmpty("must not be empty"),
  v.maxLength(hookLimits.expressionChars),
);
const note = words(2_000);

const fields = {
  provider: described(
    v.picklist(hookProviders),
    "Who sends, which says how a delivery is proven: a signature of `github`, `netbox` or `patchbay`, the token of `gitlab`, bearer or basic authentication of `alertmanager`",
  ),
  when: field(
    described(
      expression,
      "JSONata expression over `body` and `event`: a delivery starts a run only if it is true",
    ),
  ),
  parameters: field(described(members, "Values that are always the same, by name")),
  map: field(
    described(
      v.pipe(
        v.record(
          v.pipe(v.string(), v.regex(/^[A-Za-z_]\w{0,63}$/, "must be the name of a parameter")),
          expression,
        ),
        v.check(
          (all) => Object.keys(all).length <= recipeLimits.parameters,
          `at most ${recipeLimits.parameters}`,
        ),
      ),
      "JSONata expressions over `body` and `event`, by the parameter that gets the value",
    ),
  ),
  devices: field(
    described(
      v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.maxLength(recipeLimits.devices)),
      "Names of inventory devices",
    ),
  ),
  map_devices: field(
    described(
      expression,
      "JSONata expression for the name of a device or a list of names, in place of `devices`",
    ),
  ),
  select: field(
    described(v.pipe(v.string(), v.nonEmpty(), v.maxLength(2_000)), "A selector of inventory devices"),
  ),
  ticket: field(described(v.pipe(v.string(), v.maxLength(100)), "Ticket of its runs")),
  note: field(described(note, "Note of its runs")),
};

/** What is stored. */
export const hookSpec = v.strictObject(fields);
export type HookSpec = v.InferOutput<typeof hookSpec>;

/** Body of POST /recipe/{name}/hook. */
export const newHook = v.strictObject({
  name: described(recipeName, "Unique among the hooks of the recipe"),
  ...fields,
});
/** Body of PUT /recipe/{name}/hook/{item}. */
export const hookChange = v.strictObject({
  ...fields,
  new_secret: field(described(v.boolean(), "Makes another secret, which the answer shows once")),
});

const heads = {
  recipe: text,
  name: text,
  owner: described(
    v.object({ kind: v.picklist(["key", "person"]), name: text, in_force: v.boolean() }),
    "Whose rights its runs have: whoever wrote it last",
  ),
  created_at: moment,
  changed_at: moment,
};
export const hookRecord = named("RecipeHook", v.object({ ...heads, ...fields }));
export type HookRecord = v.InferOutput<typeof hookRecord>;

export const writtenHook = named(
  "WrittenRecipeHook",
  v.object({
    ...hookRecord.entries,
    path: v.exactOptional(described(text, "Path for the sender, with the token; shown once")),
    secret: v.exactOptional(described(text, "Secret for the sender; shown once")),
  }),
);
export type WrittenHook = v.InferOutput<typeof writtenHook>;

export const hookOutcomes = ["started", "repeated", "skipped"] as const;
/** Answer to a delivery. */
export const hookAnswer = named(
  "HookAnswer",
  v.object({
    outcome: described(
      v.picklist(hookOutcomes),
      "`repeated`: it was delivered before, and started that run; `skipped`: the condition of the hook is not true",
    ),
    run: described(v.nullable(text), "Id of the run"),
  }),
);
export type HookAnswer = v.InferOutput<typeof hookAnswer>;
