/** The starter set: templates of our own, so that common commands parse before a larger set is installed. */
import type { TemplateLibrary } from "patchbay/plugin";
import { templates } from "./starter/files.ts";
import index from "./starter/index.txt" with { type: "text" };

/** The same shape as an installed set. */
export function starterSet(): TemplateLibrary {
  const files = new Map<string, string>([["index", index]]);
  for (const [name, text] of Object.entries(templates)) files.set(`${name}.textfsm`, text);
  return { installed: true, list: () => [...files.keys()].sort(), read: (path) => files.get(path) };
}
