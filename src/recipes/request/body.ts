/** The request that a step submits, or that its dry run does. Pure, and the same at each try: a repeat is recognised by its text. */

import { committingArgs } from "../../api/jobs/request.ts";
import type { RecipeStep, StepKind } from "../../api/recipes/recipe.ts";
import { isGiven, isRecord } from "../../base/json/members.ts";
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
  if (kind === "value" || kind === "call") return { request: asked };
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
  if (kind === "take")
    return {
      request: {
        ...request,
        ...(names ? {} : { devices: [...run.devices] }),
        ...(isGiven(run.note) && !isGiven(request.note) ? { note: run.note } : {}),
        options: { ...(isRecord(options) ? options : {}), tags: [...run.tags] },
      },
    };
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

/** Members of a change that a bulk does not have. */
const ofChanges = ["name", "sentinels", "strategy", "on_stop", "hold", "approvals", "not_before", "checks"];

/**
 * The push of a step as a dry run of its driver, without its checks: they would look for what is not there yet.
 * @returns undefined: what it would send is computed only when its change is planned
 */
export function dryBody(
  kind: StepKind,
  request: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  if (isGiven(request.restore) || isGiven(request.fix)) return undefined;
  const kept = Object.fromEntries(Object.entries(request).filter(([name]) => !ofChanges.includes(name)));
  const given = Object.entries(isRecord(request.driver_args) ? request.driver_args : {});
  const args = Object.fromEntries(given.filter(([name]) => !committingArgs.has(name)));
  const devices =
    kind === "change" && Array.isArray(request.devices)
      ? { devices: request.devices.map((device) => ({ device })) }
      : {};
  return { ...kept, ...devices, driver_args: { ...args, dry_run: true } };
}

export const contextOf = ({ context }: Readonly<Record<string, unknown>>) =>
  isRecord(context) ? context : {};
