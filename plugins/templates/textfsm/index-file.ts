/** The index of a template set: which template reads the output of a command on a platform. */

import { strip } from "../python/blanks.ts";
import { compilePython, type PythonPattern } from "../python/regex/index.ts";

export interface IndexRow {
  /** One template, or several joined by `:`. */
  readonly templates: string;
  /** The expressions as written. */
  readonly platform: string;
  readonly command: string;
}

export interface TemplateIndex {
  readonly rows: readonly IndexRow[];
  /** The first row whose expressions match from the start; case matters. */
  find(platform: string, command: string): IndexRow | undefined;
  /** Rows of a platform, in order. */
  ofPlatform(platform: string): readonly IndexRow[];
}

/** @throws PatternError from `find` where a row that is reached holds a bad expression. */
export function readIndex(text: string): TemplateIndex {
  const lines = text.split("\n");
  const headerAt = lines.findIndex((line) => strip(line.split("#")[0] ?? "") !== "");
  const header = (lines[headerAt]?.split("#")[0] ?? "").split(",").map(strip);
  const column = (name: string) => header.indexOf(name);
  const rows: IndexRow[] = [];
  for (const line of headerAt < 0 ? [] : lines.slice(headerAt + 1)) {
    // A comma inside of an expression makes a line of another width: it is dropped, as the reference does.
    const fields = line.split(",").map(strip);
    if (line.startsWith("#") || fields.length !== header.length) continue;
    rows.push({
      templates: fields[column("Template")] ?? "",
      platform: fields[column("Platform")] ?? "",
      command: fields[column("Command")] ?? "",
    });
  }

  const platforms = new Map<string, PythonPattern>();
  const commands = new Map<string, PythonPattern>();
  const byPlatform = new Map<string, readonly IndexRow[]>();

  function ofPlatform(platform: string): readonly IndexRow[] {
    let found = byPlatform.get(platform);
    if (found === undefined) {
      found = rows.filter(
        (row) => row.platform === "" || matches(platforms, row.platform, row.platform, platform),
      );
      if (byPlatform.size < 1000) byPlatform.set(platform, found);
    }
    return found;
  }

  return {
    rows,
    ofPlatform,
    find: (platform, command) =>
      ofPlatform(platform).find(
        (row) => row.command === "" || matches(commands, row.command, expandCommand(row.command), command),
      ),
  };
}

function matches(cache: Map<string, PythonPattern>, key: string, source: string, text: string): boolean {
  let pattern = cache.get(key);
  if (pattern === undefined) {
    pattern = compilePython(source, { observe: () => false });
    cache.set(key, pattern);
  }
  return pattern.match(text) !== null;
}

/** `sh[[ow]]` stands for `sh(o(w)?)?`. */
export function expandCommand(command: string): string {
  return command.replace(/\[\[(.+?)\]\]/g, (_, word: string) => {
    const letters = Array.from(word);
    return `(${letters.join("(")}${")?".repeat(letters.length)}`;
  });
}
