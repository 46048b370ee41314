/** The starter set: our own templates for common commands, used until a larger set is installed. */
import type { TemplateLibrary } from "../python/text.ts";
import { templates } from "./starter/files.ts";
import index from "./starter/index.txt" with { type: "text" };

/** Has the same interface as an installed set. */
export function starterSet(): TemplateLibrary {
  const files = new Map<string, string>([["index", index]]);
  for (const [name, text] of Object.entries(templates)) files.set(`${name}.textfsm`, text);
  return { installed: true, list: () => [...files.keys()].sort(), read: (path) => files.get(path) };
}
