/** Finds a TextFSM template set in a file tree and validates it. */
import {
  PatternError,
  parsePattern,
  type SetFile,
  TemplateError,
  type TemplateLibrary,
} from "../python/text.ts";
import { expandCommand, TemplateIndex } from "./index-file.ts";
import { readTemplate } from "./template.ts";

/**
 * Finds the folder with an `index` and `*.textfsm` files: the repository root (also unpacked from an archive
 * with a top-level folder), the package folder or the template folder itself.
 * @param paths relative file paths, with `/`.
 * @throws TemplateError if there is no such folder.
 */
export function chooseSetFiles(paths: readonly string[]): readonly SetFile[] {
  const folders = new Map<string, SetFile[]>();
  for (const from of paths) {
    const parts = from.split("/").filter((part) => part !== "" && part !== ".");
    const to = parts.pop() ?? "";
    if (from.startsWith("/") || parts.includes("..") || !belongs(to)) continue;
    const folder = parts.join("/");
    const files = folders.get(folder) ?? [];
    files.push({ from, to });
    folders.set(folder, files);
  }
  const sets = [...folders.values()].filter(
    (files) => files.some(({ to }) => to === "index") && files.some(({ to }) => to.endsWith(".textfsm")),
  );
  const [largest] = sets.sort((a, b) => b.length - a.length);
  if (largest === undefined) {
    const message =
      "no TextFSM template set found: looked for a folder with a file `index` and `*.textfsm` files";
    throw new TemplateError("TemplateNotFound", message);
  }
  return largest.sort((a, b) => (a.to < b.to ? -1 : 1));
}

const belongs = (name: string) =>
  name === "index" || name.endsWith(".textfsm") || /^(?:LICENSE|NOTICE)/.test(name);

/** Parses the index and compiles every template and expression of a set. */
export function checkSet(library: TemplateLibrary) {
  const problems: { path: string; message: string }[] = [];
  const files = new Set(library.list());
  const attempt = (path: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems.push({ path, message: error.message });
    }
  };

  const { rows } = new TemplateIndex(library.read("index") ?? "");
  if (rows.length === 0) problems.push({ path: "index", message: "no entries" });
  for (const row of rows) {
    for (const name of row.templates.split(":")) {
      if (!files.has(name)) problems.push({ path: "index", message: `names ${name}, which is missing` });
    }
    for (const source of [row.platform, expandCommand(row.command)]) {
      attempt("index", () => {
        try {
          parsePattern(source);
        } catch (error) {
          if (!(error instanceof PatternError)) throw error;
          throw new TemplateError("TemplateSyntax", `${row.templates}: '${source}': ${error.message}`);
        }
      });
    }
  }
  const templates = [...files].filter((name) => name.endsWith(".textfsm"));
  for (const name of templates) attempt(name, () => readTemplate(library.read(name) ?? ""));
  return { templates: templates.length, entries: rows.length, problems };
}
