/** Locates built-in templates: by platform and command, by getter, by YANG module, by path. */
import { TemplateError, type TemplateLibrary } from "../python/index.ts";
import type { TemplateSelection } from "./args.ts";

const lower = (text: string): string => text.toLowerCase();
const withTxt = (name: string): string => (name.endsWith(".txt") ? name : `${name}.txt`);

/** The path in the set; `undefined` if the arguments select no template. */
export function libraryPath({
  path,
  get,
  platform,
  command,
  yang,
  misc,
}: TemplateSelection): string | undefined {
  if (path !== undefined && path !== "") return path.replace(/^ttp:\/\//, "");
  if (get !== undefined && get !== "") return `get/${withTxt(get)}`;
  if (platform !== undefined && command !== undefined) {
    const name = (text: string) => lower(text).replaceAll("|", "pipe").replace(/[ -]/g, "_");
    return `platform/${lower(platform).replace(/[ -]/g, "_")}_${name(command)}.txt`;
  }
  if (platform !== undefined && yang !== undefined) {
    const name = (text: string) => lower(text).replaceAll(" ", "_");
    return `yang/${name(yang)}_${name(platform)}.txt`;
  }
  return misc === undefined || misc === "" ? undefined : `misc/${misc}`;
}

/** `undefined`: not found. A path outside the set is an error. */
export function readLibrary(library: TemplateLibrary, path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || parts.includes("..") || path.includes("\0"))
    throw new TemplateError("TemplateNotFound", `The path '${path}' leaves the set of built-in templates.`);
  return library.read(parts.join("/"));
}
