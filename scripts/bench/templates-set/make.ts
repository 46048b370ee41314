/**
 * Generates a template set like those that render whole configurations: one file per subject, most of which a
 * given host does not use; 125 includes per render, macros, imports, loops, filters; 410 hosts.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sectionKinds, sharedFiles } from "./sections.ts";

export interface TemplateSetWork {
  /** The main template; its includes are below the root. */
  readonly source: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** One host each, as JSON text. */
  readonly contexts: readonly string[];
}

export const includesOfOne = 125;
const hosts = 410;
/** A host uses every nth section. */
const usedEvery = 5;
/** Includes besides the sections: rows of tables, and the parts that include the sections. */
const parts = 5;

const kindOf = (section: number) => {
  const kind = sectionKinds[section % sectionKinds.length];
  if (kind === undefined) throw new Error("there is no kind of section");
  return kind;
};
const key = (section: number) => `section_${section}`;
const uses = (host: number, section: number) => (host * 7 + section) % usedEvery === 0;

/** Writes the files below `root`. */
export function makeTemplateSet(root: string, sections = includesOfOne - parts): TemplateSetWork {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  for (const [name, text] of Object.entries(sharedFiles)) write(name, text);
  const size = Math.ceil(sections / parts);
  for (let part = 0; part < parts; part++) {
    const from = part * size;
    const own = Array.from({ length: Math.min(size, sections - from) }, (_, n) => from + n);
    write(
      `parts/part${part}.j2`,
      own.map((section) => `{% include 'sections/${key(section)}.j2' %}\n`).join(""),
    );
    for (const section of own) {
      const text = kindOf(section)
        .source.replaceAll("KEY", key(section))
        .replaceAll("WORD", `subject-${section}`);
      write(`sections/${key(section)}.j2`, text);
    }
  }
  const all = Array.from({ length: parts }, (_, part) => `{% include 'parts/part${part}.j2' %}\n`);
  return {
    source: `! configuration of {{ hostname }}\n${all.join("")}end\n`,
    args: { trim_blocks: true, lstrip_blocks: true },
    contexts: Array.from({ length: hosts }, (_, host) => contextOf(host, sections)),
  };
}

function contextOf(host: number, sections: number): string {
  const context: Record<string, unknown> = {
    hostname: `leaf${host}`,
    site: { name: `site ${host % 9}`, rack: host },
  };
  for (let section = 0; section < sections; section++)
    if (uses(host, section)) context[key(section)] = kindOf(section).data(host, section);
  return JSON.stringify(context);
}
