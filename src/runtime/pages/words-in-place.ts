/**
 * Puts the words of the console where they are shown. Their names, and the way to them, are longer than many of them;
 * and as members of one object, the words of all pages would be part of the first script.
 */

/** Texts by the paths of their files. */
type Files = ReadonlyMap<string, string>;

const root = /^export const (\w+) = \{$/m;
const member = /^( *)(?:export const )?([A-Za-z]\w*)(?: =|:) (?:(\{)|(.+?),?)$/;
const indent = 2;
const word = /^"(?:[^"\\]|\\.)*"$/;
const emptied = /^ +\w+: \{\n +\},?\n/gm;
const imports = /^(?:import|export) ([^;"]+) from "[^"]*\/text\/\w+\.ts";$/gm;
const oneName = /^\{ (\w+) \}$/;
const quoted = /"(?:[^"\\\n]|\\.)*"/g;
const comments = /^ *(?:\/\/.*|\/\*(?:[^*]|\*(?!\/))*\*\/)\n/gm;

/**
 * @param texts what defines words: an exported object each, printed with one member a line; one may be a member of
 * another one
 * @param pages what shows them, by `text.nav.jobs`, or after `const words = text.nav;` by `words.jobs`
 * @returns all of these files; of the words only those that a page reads in another way, such as by a variable
 */
export function wordsInPlace(texts: Files, pages: Files): Files {
  const roots = [...texts.values()].flatMap((script) => root.exec(script)?.[1] ?? []);
  const places = new Map<string, string>();
  const words = new Map<string, string>();
  const placed = (way: string) => way.replace(/^\w+/, (name) => places.get(name) ?? name);
  for (const [way, value] of membersOf(texts)) if (roots.includes(value)) places.set(value, way);
  for (const [way, value] of membersOf(texts)) if (word.test(value)) words.set(placed(way), value);
  const read = new Set<string>();
  const files = new Map([...pages].map(([path, source]) => [path, shown(source, roots, words, read)]));
  const isRead = (way: string) =>
    beginnings(way).some((one) => read.has(one)) || [...read].some((one) => one.startsWith(`${way}.`));
  for (const [path, script] of texts) {
    const left = filtered(script, (way, value) => roots.includes(value) || isRead(placed(way)));
    files.set(path, left.replace(emptied, ""));
  }
  return files;
}

function membersOf(texts: Files): readonly (readonly [way: string, value: string])[] {
  const found: [string, string][] = [];
  for (const script of texts.values()) filtered(script, (...one) => found.push(one) > 0);
  return found;
}

/** @param keeps told of each member by its way: `text.nav.jobs`. @returns the script with those that it keeps */
function filtered(script: string, keeps: (way: string, value: string) => boolean): string {
  const way: string[] = [];
  /** A text of several lines. */
  let isLong = false;
  let isKept = true;
  const lines = script.split("\n").filter((line) => {
    const ends = line.split("`").length % 2 === 0;
    const isWithin = isLong;
    if (ends) isLong = !isLong;
    if (isWithin) return isKept;
    const [, blanks = "", name, opens, value] = member.exec(line) ?? [];
    const depth = blanks.length / indent;
    // What stands deeper, or outside, is a line of something longer.
    if (name === undefined || depth > way.length || (depth === 0 && opens === undefined)) return true;
    way.splice(depth, way.length, name);
    isKept = value === undefined || keeps(way.join("."), value);
    return isKept;
  });
  return lines.join("\n");
}

/** @param read gets the ways of what the page still reads of the objects */
function shown(source: string, roots: readonly string[], words: Files, read: Set<string>): string {
  let page = source.replace(comments, "");
  for (const [line, taken = ""] of source.matchAll(imports)) {
    const [, name = ""] = (line.startsWith("import") && oneName.exec(taken)) || [];
    if (name === "")
      for (const one of roots) if (taken.startsWith("*") || named(one, "").test(taken)) read.add(one);
    if (!roots.includes(name)) continue;
    const full = inFull(page, name);
    // Something else may have the name, such as a parameter.
    if (isWhole(full.replace(line, ""), name)) {
      read.add(name);
      continue;
    }
    page = full.replace(named(name, "(?:\\.\\w+)+"), (way) => {
      const said = beginnings(way).find((one) => words.has(one));
      if (said === undefined) read.add(way);
      return said === undefined ? way : `${words.get(said)}${way.slice(said.length)}`;
    });
  }
  return page;
}

/** With `text.nav.jobs` in place of `words.jobs`, if the name `words` has no other use: it may be another thing there. */
function inFull(page: string, name: string): string {
  let full = page;
  for (const [line, short = "", way = ""] of page.matchAll(
    new RegExp(`^ *const (\\w+) = (${name}[\\w.]*);\\n`, "gm"),
  )) {
    const rest = full.replace(line, "").replace(named(short, "(?=\\.\\w)"), way);
    full = named(short, "").test(rest.replace(quoted, "")) ? full : rest;
  }
  return full;
}

/** `text`, `text.nav`, `text.nav.jobs`. */
const beginnings = (way: string) => way.split(".").map((_, at, steps) => steps.slice(0, at + 1).join("."));

/** Not as a member of something else, but after `...`. */
const named = (name: string, after: string) =>
  new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}(?!\\w)${after}`, "g");

/** Whether it is read other than by a member; as a name of a member, it is another one. */
const isWhole = (page: string, name: string) =>
  named(name, "(?!\\.\\w|\\??: |=)").test(page.replace(quoted, ""));
