/** The request that a step submits. Pure, and the same at each try: a repeat is recognised by its text. */
import type { RecipeStep } from "../api/recipes/recipe.ts";
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
  /** Parameters that are secrets: what a change sends is shown to those who vote on it. */
  readonly secrets?: ReadonlySet<string>;
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
  const words = {
    ...(isGiven(run.ticket) ? { ticket: run.ticket } : {}),
    ...(isGiven(run.note) ? { note: run.note } : {}),
  };
  const names = isGiven(request.devices) || isGiven(request.select);
  // A template gets the parameters as its variables.
  const context = (values: Values) =>
    isGiven(rendering) && (!isGiven(config) || isRecord(config))
      ? { config: { ...values, ...(isRecord(config) ? config : {}) } }
      : {};
  if (kind === "change") {
    const open = Object.entries(run.values).filter(([name]) => run.secrets?.has(name) !== true);
    return {
      request: {
        ...{ name: run.label ?? "any", ...request, ...context(Object.fromEntries(open)) },
        ...(names ? {} : { devices: [...run.devices] }),
        ...words,
      },
    };
  }
  const own = isRecord(options) ? options : {};
  const tags = Array.isArray(own.tags) ? own.tags : [];
  return {
    request: {
      ...request,
      ...context(run.values),
      ...(names ? {} : { devices: run.devices.map((device) => ({ device })) }),
      ...(isGiven(request.label) || run.label === undefined ? {} : { label: run.label }),
      ...words,
      options: { ...own, tags: [...tags, ...run.tags] },
    },
  };
}

const contextOf = ({ context }: Readonly<Record<string, unknown>>) => (isRecord(context) ? context : {});
