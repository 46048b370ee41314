/** Files and pages that documents name are there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const inBackticks = /`((?:src|plugins|scripts|test|docs|examples|migrations)\/[\w./-]*)`/g;
const inCommands = /(?<=\s)(?:src|plugins|scripts|test|examples)\/[\w./-]+(?=\s)/g;
const links = /\]\((?!https?:)([^)#\s]+)/g;

/** In order, as often as they are named. */
export function pathsIn(text: string): string[] {
  return [...text.matchAll(inBackticks)].map((match) => match[1] ?? "");
}

/** All documents of the house. */
export function papers(): string[] {
  const docs = readdirSync("docs", { recursive: true }).map((name) => join("docs", String(name)));
  return [...readdirSync("."), ...docs].filter((name) => name.endsWith(".md")).sort();
}

export function paperFaults(): string[] {
  return papers().flatMap((paper) => {
    const text = readFileSync(paper, "utf8");
    const targets = [
      ...pathsIn(text),
      ...[...text.matchAll(/^```bash\n.*?^```$/gms)].flatMap(([block]) => block.match(inCommands) ?? []),
      ...[...text.matchAll(links)].map((match) => join(dirname(paper), match[1] ?? "")),
    ];
    return targets.filter((path) => !existsSync(path)).map((path) => `${paper}: ${path} is not there`);
  });
}
