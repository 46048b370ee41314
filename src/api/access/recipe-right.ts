/** Which recipes a key or a person may run, or an agent propose: by the scope, or by a list of their names. */
import * as v from "valibot";
import { fitsPatterns } from "../../base/net/ssh-patterns.ts";

const maxPatterns = 1_000;

export const recipePatterns = v.pipe(
  v.array(
    v.pipe(
      v.string("must be a string"),
      v.regex(
        /^[\w.*?-]{1,64}$/,
        "must be the name of a recipe, where `*` stands for any text and `?` for one character",
      ),
    ),
    "must be a list",
  ),
  v.maxLength(maxPatterns, `has more than ${maxPatterns} entries`),
);

export const recipesWord =
  "Names of the recipes that it may run, with wildcards, also with the scope `read`, which starts nothing else; not given: those of the scope, which are all with `operate` and `admin`, and none with `read`. Of a key with the scope `agent`: those whose runs it may propose; not given: none";

interface RecipeHolder {
  readonly scope: string;
  /** Null or absent: no list of its own. */
  readonly recipes?: readonly string[] | null | undefined;
}

/** Patterns of the recipes that it may run. A list gives no scope: agents run none. */
export function recipesOf({ scope, recipes }: RecipeHolder): readonly string[] {
  const canRun = scope === "operate" || scope === "admin";
  if (recipes === null || recipes === undefined) return canRun ? ["*"] : [];
  return canRun || scope === "read" ? recipes : [];
}

/** Patterns of the recipes whose runs it may propose: what it may run, and as an agent those of its list. */
export const proposableOf = (holder: RecipeHolder): readonly string[] =>
  holder.scope === "agent" ? (holder.recipes ?? []) : recipesOf(holder);

export function mayRunRecipe(holder: RecipeHolder, name: string): boolean {
  return fitsPatterns(name, recipesOf(holder));
}
