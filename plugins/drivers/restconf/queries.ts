/** The driver's queries: what each takes. Loaded with the manifest. */
import type { Command } from "patchbay/plugin";
import { resourceOf } from "./resources.ts";

/** Queries that are no path. */
export const queryNames = ["facts", "capabilities", "root"] as const;
export type QueryName = (typeof queryNames)[number];

export const isNamed = (text: string): text is QueryName => queryNames.some((name) => name === text);
export const textOf = (command: Command): string =>
  (typeof command === "string" ? command : command.send).trim();

/** Commands that are no path, and arguments that none of the commands takes. */
export function needlessArgs(
  list: readonly Command[],
  args: Readonly<Record<string, unknown>>,
): readonly { path: string; message: string }[] {
  const texts = list.map(textOf);
  const faults = texts.flatMap((text, at) => {
    const resource = isNamed(text) ? undefined : resourceOf(text);
    if (resource === undefined || "path" in resource) return [];
    // The root may be another than the usual one: the session knows it.
    if (text.startsWith("/") && resource.fault.startsWith("must be a path")) return [];
    return [{ path: `command.${at}`, message: `${resource.fault}; or one of ${queryNames.join(", ")}` }];
  });
  if (faults.length > 0 || !texts.every(isNamed)) return faults;
  return Object.entries(args)
    .filter(([name, value]) => value !== undefined && name !== "timeout")
    .map(([name]) => ({
      path: `driver_args.${name}`,
      message: "is not an argument of any of the commands",
    }));
}
