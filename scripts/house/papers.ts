/** Checks that files, pages and headings named in documents exist, and that no two documents say the same sentence. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repeatedSentences } from "./sentences.ts";

const inBackticks = /`((?:src|plugins|scripts|test|docs|examples|migrations)\/[\w./-]*)`/g;
const inCommands = /(?<=\s)(?:src|plugins|scripts|test|examples)\/[\w./-]+(?=\s)/g;
const links = /\]\((?!https?:)([^)#\s]+)/g;

/** All occurrences in order. */
export function pathsIn(text: string): string[] {
  return [...text.matchAll(inBackticks)].map((match) => match[1] ?? "");
}

/** All documents. */
export function papers(): string[] {
  const docs = readdirSync("docs", { recursive: true }).map((name) => join("docs", String(name)));
  return [...readdirSync("."), ...docs].filter((name) => name.endsWith(".md")).sort();
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
