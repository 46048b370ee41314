/** INI as Python's configparser reads it, but with case-sensitive names. */

import { PyDict, PyError, strip, stripEnd } from "../../python/index.ts";

const DEFAULT = "DEFAULT";
const OPTION = /^(.*?)\s*(?:([=:])\s*(.*))?$/s;
const MAX_NESTING = 10;

type Section = Map<string, string>;

/** @param texts in order; later ones win. @param warn called with an error, which ends its text. */
export function loadIni(texts: readonly string[], warn: (message: string) => void): PyDict {
  const sections = new Map<string, Section>([[DEFAULT, new Map()]]);
  for (const text of texts) {
    const trouble = readText(text, sections);
    if (trouble !== undefined) warn(`INI: ${trouble}`);
  }
  const defaults = sections.get(DEFAULT) ?? new Map<string, string>();
  const result = new PyDict();
  for (const [name, section] of sections) {
    const merged: Section = name === DEFAULT ? section : new Map([...defaults, ...section]);
    if (name === DEFAULT && merged.size === 0) continue;
    result.set(
      name,
      PyDict.from([...merged].map(([key, value]): [string, string] => [key, interpolated(value, merged, 0)])),
    );
  }
  return result;
}

/** Returns the error, if any; what was read before it is kept. */
function readText(text: string, sections: Map<string, Section>): string | undefined {
  const seenSections = new Set<string>();
  const seen = new Set<string>();
  let section: Section | undefined;
  let sectionName = "";
  let option: { name: string; lines: string[]; indent: number } | undefined;
  let trouble: string | undefined;
  const finish = () => {
    if (option !== undefined && section !== undefined) {
      while (option.lines.length > 1 && option.lines.at(-1) === "") option.lines.pop();
      section.set(option.name, stripEnd(option.lines.join("\n")));
    }
  };
  for (const [number, raw] of text.split("\n").entries()) {
    const comment = /^\s*[#;]/.test(raw);
    const line = comment ? "" : strip(raw);
    if (line === "") {
      if (!comment && option !== undefined) option.lines.push("");
      continue;
    }
    const indent = raw.search(/\S/);
    if (option !== undefined && option.name !== "" && indent > option.indent) {
      option.lines.push(line);
      continue;
    }
    finish();
    const before: typeof option = option;
    option = undefined;
    const header = /^\[(.+)\]/.exec(line);
    if (header !== null) {
      sectionName = header[1] ?? "";
      if (seenSections.has(sectionName)) return `line ${number + 1}: section '${sectionName}' already exists`;
      if (sectionName !== DEFAULT) seenSections.add(sectionName);
      section = sections.get(sectionName) ?? new Map<string, string>();
      sections.set(sectionName, section);
      continue;
    }
    if (section === undefined) return `line ${number + 1}: no section header`;
    const [, name = "", mark, value = ""] = OPTION.exec(line) ?? [];
    if (mark === undefined || name === "") trouble ??= `line ${number + 1}: no value`;
    if (mark === undefined) {
      // Lines indented below it continue the previous option.
      option = before === undefined ? undefined : { ...before, indent };
      continue;
    }
    const key = stripEnd(name);
    if (seen.has(`${sectionName}\0${key}`)) return `line ${number + 1}: option '${key}' already exists`;
    seen.add(`${sectionName}\0${key}`);
    option = { name: key, lines: [strip(value)], indent };
  }
  finish();
  return trouble;
}

/** Replaces `%(name)s` with that option's value and `%%` with a percent sign. */
function interpolated(value: string, section: Section, depth: number): string {
  if (!value.includes("%")) return value;
  if (depth > MAX_NESTING)
    throw new PyError("InterpolationDepthError", `recursion limit exceeded in '${value}'`);
  return value.replace(/%(?:%|\(([^)]+)\)s)?/g, (reference, name: string | undefined) => {
    if (reference === "%%") return "%";
    if (name === undefined)
      throw new PyError("InterpolationSyntaxError", `'%' must be followed by '%' or '(', found: '${value}'`);
    const option = section.get(name);
    if (option === undefined)
      throw new PyError("InterpolationMissingOptionError", `bad value substitution: '${name}'`);
    return interpolated(option, section, depth + 1);
  });
}
