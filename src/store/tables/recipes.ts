/** Tables of recipes, of their runs, and of templates. Times are milliseconds since 1970. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { submitterKinds } from "../../api/job.ts";
import { runStates } from "../../api/recipe.ts";
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

export type DocumentRow = Row<DocumentTable>;
export type RecipeRunRow = Row<typeof recipeRuns>;
