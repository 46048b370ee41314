/**
 * Checks that files, pages and headings named in documents exist, also files named in comments, and that no two
 * documents say the same sentence.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPackages } from "./packages.ts";
import { repeatedSentences } from "./sentences.ts";
import type { SourceFile } from "./source.ts";

const inBackticks = /`((?:src|plugins|scripts|test|docs|examples|migrations)\/[\w./-]*)`/g;
const inCommands = /(?<=\s)(?:src|plugins|scripts|test|examples)\/[\w./-]+(?=\s)/g;
const comments = /\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm;
/** As a whole: `recipes/running/runner.ts` of a room is none. */
const inComments =
  /(?<![\w./<-])(?:src|plugins|scripts|test|docs|migrations)\/[\w./-]*\.(?:tsx?|mjs|sql|md)\b/g;
const links = /\]\((?!https?:)([^)#\s]+)/g;

/** All occurrences in order. */
export function pathsIn(text: string): string[] {
  return [...text.matchAll(inBackticks)].map((match) => match[1] ?? "");
}

/** Files that comments name and that do not exist. */
export function commentFaults(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(comments)]
      .flatMap(([comment]) => comment.match(inComments) ?? [])
      .filter((named) => !existsSync(named))
      .map((named) => `${path}: ${named} does not exist`),
  );
}

/** All documents. */
export function papers(): string[] {
  const docs = readdirSync("docs", { recursive: true }).map((name) => join("docs", String(name)));
  const ofPackages = readPackages().map(({ folder }) => join(folder, "README.md"));
  return [...readdirSync("."), ...docs, ...ofPackages].filter((name) => name.endsWith(".md")).sort();
}

export function paperFaults(): string[] {
  const texts = Object.fromEntries(papers().map((paper) => [paper, readFileSync(paper, "utf8")]));
  const missing = Object.entries(texts).flatMap(([paper, text]) => {
    const targets = [
      ...pathsIn(text),
      ...[...text.matchAll(/^```bash\n.*?^```$/gms)].flatMap(([block]) => block.match(inCommands) ?? []),
      ...[...text.matchAll(links)].map((match) => join(dirname(paper), match[1] ?? "")),
    ];
    return targets.filter((path) => !existsSync(path)).map((path) => `${paper}: ${path} does not exist`);
  });
  return [...missing, ...Object.entries(texts).flatMap(lostSections), ...repeatedSentences(texts)];

  /** Links to a heading that its page does not have. */
  function lostSections([paper, text]: [string, string]): string[] {
    return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].flatMap(
      ([, path = "", section = ""]) => {
        const page = path === "" ? paper : join(dirname(paper), path);
        const known = headingsOf(texts[page] ?? "");
        return known.includes(section) ? [] : [`${paper}: ${page} has no heading for #${section}`];
      },
    );
  }
}

/** As GitHub names them in addresses. */
function headingsOf(text: string): string[] {
  return [...text.replace(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}
