/** The request that a step submits. Pure, and the same at each try: a repeat is recognised by its text. */
import type { RecipeStep } from "../api/recipe.ts";
import { isGiven, isRecord } from "../base/json/members.ts";
import { filled } from "./fill.ts";
import type { Values } from "./parameters.ts";

interface OfRun {
  readonly values: Values;
  readonly devices: readonly string[];
  readonly tags: readonly string[];
  readonly label?: string;
  readonly ticket?: string | null;
  readonly note?: string | null;
}

type Made =
  | { readonly request: Record<string, unknown> }
  | { readonly path: string; readonly message: string };

export function bodyOfStep({ kind, request: asked }: Pick<RecipeStep, "kind" | "request">, run: OfRun): Made {
  const made = filled(asked, run.values);
  if ("message" in made) return made;
  const { request } = made;
  if (kind === "render")
    return { request: { ...request, context: { ...run.values, ...contextOf(request) } } };
  const { rendering, config, options } = request;
  const own = isRecord(options) ? options : {};
  const tags = Array.isArray(own.tags) ? own.tags : [];
  return {
    request: {
      ...request,
      // A template gets the parameters as its variables.
      ...(isGiven(rendering) && (!isGiven(config) || isRecord(config))
        ? { config: { ...run.values, ...(isRecord(config) ? config : {}) } }
        : {}),
      ...(isGiven(request.devices) || isGiven(request.select)
        ? {}
        : { devices: run.devices.map((device) => ({ device })) }),
      ...(isGiven(request.label) || run.label === undefined ? {} : { label: run.label }),
      ...(isGiven(run.ticket) ? { ticket: run.ticket } : {}),
      ...(isGiven(run.note) ? { note: run.note } : {}),
      options: { ...own, tags: [...tags, ...run.tags] },
    },
  };
}

const contextOf = ({ context }: Readonly<Record<string, unknown>>) => (isRecord(context) ? context : {});
