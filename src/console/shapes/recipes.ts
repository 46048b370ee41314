/** What the console reads of recipes and their runs. */
import type * as v from "valibot";
import { hookRecord } from "../../api/recipes/hook.ts";
import {
  listedRecipe,
  listedRun,
  type RecipeRunState,
  type RecipeStepState,
  recipeRecord,
  runRecord,
  shippedRecipe,
} from "../../api/recipes/recipe.ts";
import { reader } from "../../api/schema.ts";

export const listed = reader(listedRecipe);
export const shipped = reader(shippedRecipe);
export const recipe = reader(recipeRecord);
export const listedRuns = reader(listedRun);
export const run = reader(runRecord);
export const hook = reader(hookRecord);
export type Recipe = v.InferOutput<typeof recipe>;
export type State = RecipeRunState | RecipeStepState;
export type Parameter = NonNullable<Recipe["parameters"]>["properties"][string];
