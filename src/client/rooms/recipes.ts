/** What the client reads of recipes and their runs, and the values of a run from flags. */
import * as v from "valibot";
import { hookRecord, writtenHook } from "../../api/recipes/hook.ts";
import { listedRecipe, listedRun, recipeRecord, runRecord, shippedRecipe } from "../../api/recipes/recipe.ts";
import { reader } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import { suggestion } from "../../base/text/near-names.ts";
import { readObject } from "../input/input.ts";

export const shippedList = v.array(reader(shippedRecipe));
export const oneRecipe = reader(recipeRecord);
export const recipeList = v.array(reader(listedRecipe));
export const oneRun = reader(runRecord);
export const proposedPath = "/proposed-run";
export const runList = v.array(reader(listedRun));
export const oneHook = reader(hookRecord);
export const hookList = v.array(oneHook);
export const newlyWrittenHook = reader(writtenHook);
export type Hook = v.InferOutput<typeof oneHook>;
export type Recipe = v.InferOutput<typeof oneRecipe>;
export type Run = v.InferOutput<typeof oneRun>;
export type ListedRecipe = v.InferOutput<typeof recipeList>[number];
export type ListedRun = v.InferOutput<typeof runList>[number];

export const recipePath = (name: string, step = "") => `/recipe/${encodeURIComponent(name)}${step}`;

/**
 * `--set name=value`, by the types of the parameters, over those of a file.
 * @throws ServiceError Validation
 */
export function valuesOfRun(
  { parameters }: Pick<Recipe, "parameters">,
  { set = [], values }: { readonly set?: readonly string[]; readonly values?: string },
): Record<string, unknown> {
  const properties = parameters?.properties ?? {};
  const given = set.map((pair) => {
    const [, name = "", text = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(pair) ?? [];
    if (name === "")
      throw new ServiceError("Validation", `--set: ${JSON.stringify(pair)} is not name=value.`);
    const one = properties[name];
    if (one === undefined)
      throw new ServiceError(
        "Validation",
        `--set: ${name} is not a parameter of this recipe.${suggestion(name, Object.keys(properties))}`,
      );
    const list = () =>
      text === "" ? [] : text.split(",").map((entry) => single(entry.trim(), one.items?.type));
    return [name, one.type === "array" ? list() : single(text, one.type)] as const;
  });
  return { ...(values === undefined ? {} : readObject(values)), ...Object.fromEntries(given) };
}

/** What is no number is left to the service to refuse. */
function single(text: string, type: string | undefined): unknown {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type !== "integer" && type !== "number") return text;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
