/** The recipes that come with the program. Loaded when somebody asks for them. */
import type { ShippedRecipe } from "../../api/recipes/recipe.ts";
import { isRecord } from "../../base/json/members.ts";
import { readYaml } from "../../base/yaml/yaml-read.ts";
import { shippedRecipes } from "./shipped.ts";

/** By name. */
export function listShipped(): ShippedRecipe[] {
  return Object.entries(shippedRecipes).map(([name, text]) => {
    const { value } = readYaml(text, "", "core");
    const recipe = isRecord(value) ? value : {};
    const said = (member: unknown) => (typeof member === "string" ? member : null);
    return { name, title: said(recipe.title), description: said(recipe.description), recipe };
  });
}
