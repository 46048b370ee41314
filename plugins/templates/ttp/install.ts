/** Finds a TTP template set in a file tree and validates it. */
import { type SetFile, TemplateError, type TemplateLibrary } from "../python/index.ts";
import { readLibrary } from "./library.ts";
import { createParser } from "./parser.ts";
import { withParts } from "./parts.ts";

/** Folders of a set: by platform and command, getters, others by path, by YANG module. */
const FOLDERS = ["platform", "get", "misc", "yang"];

const isTemplate = (path: string): boolean => path.endsWith(".txt");
const isNotice = (name: string): boolean => /^(?:LICEN[CS]E|NOTICE|COPYING)/.test(name);

/**
 * Finds the folder that contains `platform/*.txt`: the repository root (also unpacked from an archive with a
 * top-level folder) or the template folder itself.
 * @param paths relative file paths, with `/`.
 * @throws TemplateError if there is no such folder.
 */
export function chooseSetFiles(paths: readonly string[]): readonly SetFile[] {
  const sets = new Map<string, SetFile[]>();
  for (const from of paths) {
    const parts = from.split("/").filter((part) => part !== "" && part !== ".");
    if (from.startsWith("/") || parts.includes("..") || !isTemplate(from)) continue;
    // A folder inside `misc` may have one of these names too; the outermost ones belong to the set.
    const at = parts.findIndex((part, i) => FOLDERS.includes(part) && i < parts.length - 1);
    if (at < 0) continue;
    const root = parts.slice(0, at).join("/");
    const files = sets.get(root) ?? [];
    files.push({ from, to: parts.slice(at).join("/") });
    sets.set(root, files);
  }
  const complete = [...sets].filter(([, files]) => files.some(({ to }) => to.startsWith("platform/")));
  const [largest] = complete.sort(([, a], [, b]) => b.length - a.length);
  if (largest === undefined) {
    const message = "no set of TTP templates found: looked for a folder with `platform/*.txt`";
    throw new TemplateError("TemplateNotFound", message);
  }
  const [root, files] = largest;
  return [...files, ...notices(paths, root)].sort((a, b) => (a.to < b.to ? -1 : 1));
}

/** Licence files of the folder or its parents. */
function notices(paths: readonly string[], root: string): SetFile[] {
  const notices = new Map<string, SetFile>();
  for (let folder: string | undefined = root; folder !== undefined; folder = parentOf(folder)) {
    const prefix = folder === "" ? "" : `${folder}/`;
    for (const from of paths) {
      const path = from.replace(/^(?:\.\/)+/, "");
      const name = path.startsWith(prefix) ? path.slice(prefix.length) : "";
      if (!name.includes("/") && isNotice(name) && !notices.has(name)) notices.set(name, { from, to: name });
    }
  }
  return [...notices.values()];
}

function parentOf(folder: string): string | undefined {
  if (folder === "") return undefined;
  return folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : "";
}

/** Loads every template of a set. */
export async function checkSet(library: TemplateLibrary) {
  const templates = library.list().filter(isTemplate);
  const files = {
    read: (path: string) =>
      path.startsWith("ttp://") ? readLibrary(library, path.slice("ttp://".length)) : undefined,
    list: () => undefined,
  };
  const problems: { path: string; message: string }[] = [];
  for (const path of templates) {
    try {
      await withParts(() => createParser({ files }).addTemplate(library.read(path) ?? ""));
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems.push({ path, message: error.message });
    }
  }
  return { templates: templates.length, problems };
}
