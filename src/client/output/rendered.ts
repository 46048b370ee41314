/** Renders a template for each device, as its push would. */
import { ServiceError } from "../../base/errors.ts";
import type { TemplateWork } from "../rooms/templates.ts";
import { text } from "../service/answers.ts";
import type { Api } from "../service/api.ts";

export type Target = Readonly<Record<string, unknown>>;

export interface Rendered {
  readonly target: Target;
  readonly text: string;
  readonly warnings: readonly string[];
  /** Why nothing can be pushed to this device. */
  readonly failure?: string;
}

const atOnce = 8;

/** Yields in the order of the targets. Targets outside of the inventory share one rendering. */
export async function* renderedFor(
  api: Api,
  work: TemplateWork,
  targets: readonly Target[],
): AsyncGenerator<Rendered> {
  let shared: Promise<Rendered> | undefined;
  const start = (target: Target): Promise<Rendered> => {
    if (typeof target.device === "string") return rendered(api, work, target);
    shared ??= rendered(api, work, target);
    return shared.then((common) => ({ ...common, target }));
  };
  const running: Promise<Rendered>[] = [];
  for (const target of targets) {
    const next = start(target);
    // Rejected before its turn, while an earlier one is awaited.
    next.catch(() => {});
    running.push(next);
    if (running.length < atOnce) continue;
    const first = running.shift();
    if (first !== undefined) yield await first;
  }
  for (const rest of running) yield await rest;
}

async function rendered(api: Api, { rendering, context }: TemplateWork, target: Target): Promise<Rendered> {
  const { device } = target;
  const body = { ...rendering, context, ...(device === undefined ? {} : { device }) };
  try {
    const page = await api.page("/template/render", text, { method: "POST", body, patient: true });
    const { data, warnings = [] } = page;
    const isEmpty = linesOf(data).length === 0;
    return {
      target,
      text: data,
      warnings,
      ...(isEmpty ? { failure: "The template rendered no lines: there is nothing to push." } : {}),
    };
  } catch (error) {
    // Of this device's values; what concerns the service or the key concerns all devices.
    if (!(error instanceof ServiceError) || error.kind !== "BadRequest") throw error;
    return { target, text: "", warnings: [], failure: error.message };
  }
}

/** The lines that are sent. */
export function linesOf(rendered: string): string[] {
  return rendered.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
}

/** Devices with the same lines, in order of appearance. */
export function groupedByLines(
  all: readonly Rendered[],
): { readonly lines: readonly string[]; readonly targets: readonly Target[] }[] {
  const groups = new Map<string, Target[]>();
  for (const { target, text } of all) {
    const lines = linesOf(text).join("\n");
    const targets = groups.get(lines);
    if (targets === undefined) groups.set(lines, [target]);
    else targets.push(target);
  }
  return [...groups].map(([lines, targets]) => ({ lines: lines.split("\n"), targets }));
}

export function nameOfTarget(target: Target | undefined): string {
  return String(target?.device ?? target?.host ?? "");
}
