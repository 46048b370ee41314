/** Tables of recipes, of their runs, and of templates. Times are milliseconds since 1970. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { submitterKinds } from "../../api/jobs/job.ts";
import { runStates } from "../../api/recipes/recipe.ts";
import { type Row, sealed, table } from "./columns.ts";

/** Documents by name, every version; the newest one is in force. */
const documents = (name: string) =>
  table(
    name,
    {
      name: text("name").notNull(),
      version: integer("version").notNull(),
      changedAt: integer("changed_at").notNull(),
      /** Name of the key or person. */
      who: text("who").notNull(),
      /** What lists show of it, as JSON; null: written by a version before. */
      listed: sealed("listed"),
      /** The source that has brought it, and which of its states; null: somebody wrote it. */
      source: text("source"),
      revision: text("revision"),
      document: sealed("document").notNull(),
    },
    (one) => [primaryKey({ columns: [one.name, one.version] })],
  );

export const recipes = documents("recipes");
export const templates = documents("templates");
export type DocumentTable = typeof recipes;

export const recipeRuns = table(
  "recipe_runs",
  {
    id: text("id").primaryKey(),
    recipe: text("recipe").notNull(),
    version: integer("version").notNull(),
    /** Id of the key or person with whose rights it runs. */
    holder: text("holder").notNull(),
    submitterKind: text("submitter_kind", { enum: submitterKinds }).notNull(),
    submitter: text("submitter").notNull(),
    ticket: text("ticket"),
    state: text("state", { enum: runStates }).notNull(),
    reason: text("reason"),
    /** Of a dry run: fingerprint of its recipe, values and devices, which it allows a run of; null: it is none. */
    dry: text("dry"),
    /** Id and name of the key of the agent that has proposed it; null: nobody has. */
    proposer: text("proposer"),
    proposedBy: text("proposed_by"),
    /** When a person accepted it, from which on it runs. */
    acceptedAt: integer("accepted_at"),
    /** Increases with each move: whoever moves it on must have read the last one. */
    move: integer("move").notNull(),
    createdAt: integer("created_at").notNull(),
    endedAt: integer("ended_at"),
    /** The recipe, the values and the devices, as they were at the start. */
    request: sealed("request").notNull(),
    /** State of each step; a rendered text may be among them. */
    steps: sealed("steps").notNull(),
  },
  (run) => [
    index("recipe_runs_open").on(run.createdAt).where(sql`ended_at is null`),
    index("recipe_runs_recipe").on(run.recipe, run.createdAt),
  ],
);

/** Addresses where other systems start runs. */
export const hooks = table(
  "hooks",
  {
    id: text("id").primaryKey(),
    recipe: text("recipe").notNull(),
    name: text("name").notNull(),
    /** Id of the key or person with whose rights its runs go. */
    owner: text("owner").notNull(),
    createdAt: integer("created_at").notNull(),
    changedAt: integer("changed_at").notNull(),
    /** SHA-256 of the token. */
    token: text("token").notNull(),
    spec: sealed("spec").notNull(),
    /** Shared with the sender. */
    secret: sealed("secret").notNull(),
  },
  (hook) => [
    uniqueIndex("hooks_token").on(hook.token),
    uniqueIndex("hooks_recipe").on(hook.recipe, hook.name),
  ],
);

/** What hooks have got, so that nothing starts a second run. */
export const hookDeliveries = table(
  "hook_deliveries",
  {
    hook: text("hook").notNull(),
    /** SHA-256 of what its proof covers. */
    content: text("content").notNull(),
    /** The id that the sender gave it, or `content`. */
    delivery: text("delivery").notNull(),
    run: text("run").notNull(),
    /** The run is stored, or was. */
    begun: integer("begun", { mode: "boolean" }).notNull(),
    at: integer("at").notNull(),
  },
  (one) => [
    primaryKey({ columns: [one.hook, one.content] }),
    uniqueIndex("hook_deliveries_delivery").on(one.hook, one.delivery),
    index("hook_deliveries_at").on(one.hook, one.at),
  ],
);

export type HookRow = Row<typeof hooks>;
export type HookDeliveryRow = Row<typeof hookDeliveries>;
export type DocumentRow = Row<DocumentTable>;
export type RecipeRunRow = Row<typeof recipeRuns>;
