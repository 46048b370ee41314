/** The index of a template set: maps platform and command to templates. */

import { compilePython, type PythonPattern, splitAt, strip } from "../python/text.ts";

export interface IndexRow {
  /** One template, or several joined by `:`. */
  readonly templates: string;
  /** The expressions as written. */
  readonly platform: string;
  readonly command: string;
}

export class TemplateIndex {
  readonly rows: readonly IndexRow[];
  private readonly platforms = new Map<string, PythonPattern>();
  private readonly commands = new Map<string, PythonPattern>();
  private readonly byPlatform = new Map<string, readonly IndexRow[]>();

  constructor(text: string) {
    this.rows = readRows(text);
  }

  /** Rows of a platform, in order. */
  ofPlatform(platform: string): readonly IndexRow[] {
    let rows = this.byPlatform.get(platform);
    if (rows === undefined) {
      rows = this.rows.filter(
        (row) => row.platform === "" || matches(this.platforms, row.platform, row.platform, platform),
      );
      if (this.byPlatform.size < 1000) this.byPlatform.set(platform, rows);
    }
    return rows;
  }

  /**
   * The first row whose expressions match from the start; case-sensitive.
   * @throws PatternError if a row on the way has an invalid expression.
   */
  find(platform: string, command: string): IndexRow | undefined {
    return this.ofPlatform(platform).find(
      (row) => row.command === "" || matches(this.commands, row.command, expandCommand(row.command), command),
    );
  }
}

function readRows(text: string): IndexRow[] {
  const lines = text.split("\n");
  const headerAt = lines.findIndex((line) => strip(line.split("#")[0] ?? "") !== "");
  const header = splitAt(lines[headerAt]?.split("#")[0] ?? "", ",");
  const column = (name: string) => header.indexOf(name);
  const rows: IndexRow[] = [];
  for (const line of headerAt < 0 ? [] : lines.slice(headerAt + 1)) {
    // A comma inside an expression changes the number of fields: the line is skipped, as in the reference.
    const fields = splitAt(line, ",");
    if (line.startsWith("#") || fields.length !== header.length) continue;
    rows.push({
      templates: fields[column("Template")] ?? "",
      platform: fields[column("Platform")] ?? "",
      command: fields[column("Command")] ?? "",
    });
  }
  return rows;
}

function matches(cache: Map<string, PythonPattern>, key: string, source: string, text: string): boolean {
  let pattern = cache.get(key);
  if (pattern === undefined) {
    pattern = compilePython(source, { observe: () => false });
    cache.set(key, pattern);
  }
  return pattern.match(text) !== null;
}

/** `sh[[ow]]` becomes `sh(o(w)?)?`. */
export function expandCommand(command: string): string {
  return command.replace(/\[\[(.+?)\]\]/g, (_, word: string) => {
    const letters = Array.from(word);
    return `(${letters.join("(")}${")?".repeat(letters.length)}`;
  });
}
