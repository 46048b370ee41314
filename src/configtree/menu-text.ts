/** Commands of systems with menus, such as RouterOS, as text: `/ip address add address=192.0.2.1/24 interface=ether1`. */

export interface MenuCommand {
  /** Words with one blank between them: `/ip address`; `/` is the one around all. */
  readonly menu: string;
  /** Empty: the menu is entered. */
  readonly verb: string;
  /** What the command is about: `[ find default-name=ether1 ]`, `ssh`, `0`. */
  readonly on: string | undefined;
  /** Values as they are written; null: the property is taken away (`!comment`). */
  readonly values: ReadonlyMap<string, string | null>;
  /** It names its menu from the root. */
  readonly isFull: boolean;
}

const menuVerbs: ReadonlySet<string> = new Set("add set remove move enable disable unset comment".split(" "));
/** They change nothing, or nothing that is known. */
const otherVerbs: ReadonlySet<string> = new Set(
  "print export find get import reboot shutdown quit ping save load upgrade reset reset-configuration run edit".split(
    " ",
  ),
);

/** The command goes on in the next line. */
export function goesOn(line: string): boolean {
  let count = 0;
  for (let at = line.length - 1; at >= 0 && line[at] === "\\"; at--) count++;
  return count % 2 === 1;
}

/** A command of several lines as one: blanks at their beginnings are not part of it. */
export function wholeCommand([first = "", ...rest]: readonly string[]): string {
  // Joined at the end: a look at what has grown so far would copy it for each line.
  let last = first.trim();
  const pieces: string[] = [];
  for (const line of rest) {
    pieces.push(goesOn(last) ? last.slice(0, -1) : `${last} `);
    last = line.trimStart();
  }
  return [...pieces, last].join("").trimEnd();
}

const closing: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}" };

/** Blanks in quotes and brackets separate nothing. */
export function menuWords(text: string): string[] {
  const words: string[] = [];
  const open: string[] = [];
  let word = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\") {
      word += char + (text[++at] ?? "");
      continue;
    }
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted) {
      const end = closing[char];
      if (end !== undefined) open.push(end);
      else if (char === open.at(-1)) open.pop();
      if (open.length === 0 && /\s/.test(char)) {
        if (word !== "") words.push(word);
        word = "";
        continue;
      }
    }
    word += char;
  }
  if (word !== "") words.push(word);
  return words;
}

const plainValue = /^[\w.,:/@%+*-]+$/;

/** The same for all ways to write a value: quotes only where they are needed. */
export function plainly(written: string): string {
  const inside = /^"(.*)"$/s.exec(written)?.[1];
  return inside !== undefined && plainValue.test(inside) ? inside : written;
}

const property = /^(!?)([A-Za-z][\w.-]*)(?:=(.*))?$/s;

/** @returns undefined for what is no command of a menu: a script */
export function readCommand(text: string, here: string): MenuCommand | undefined {
  const words = menuWords(text);
  const [first = ""] = words;
  if (first === "" || /^[:[{($]/.test(first)) return undefined;
  const isFull = first.startsWith("/");
  const path = isFull || here === "/" ? [] : here.slice(1).split(" ");
  let at = 0;
  let verb = "";
  for (; at < words.length && verb === ""; at++) {
    const word = words[at] ?? "";
    if (/[="[]/.test(word)) return undefined;
    for (const step of word.split("/").filter((one) => one !== "")) {
      if (verb !== "") return undefined;
      if (step === "..") path.pop();
      else if (menuVerbs.has(step) || otherVerbs.has(step)) verb = step;
      else path.push(step);
    }
  }
  const values = new Map<string, string | null>();
  let on: string | undefined;
  for (const word of words.slice(at)) {
    const [, not, name = "", value] = property.exec(word) ?? [];
    if (value !== undefined && not === "") {
      if (name === "numbers") on = value;
      else values.set(name, plainly(value));
    } else if (not === "!" && value === undefined) values.set(name, null);
    else if (on === undefined && verb !== "add") on = word;
    else if (verb === "comment") values.set("comment", plainly(word));
    else if (verb === "move" && !values.has("destination")) values.set("destination", word);
    else if (verb === "unset") values.set(word, null);
    else return undefined;
  }
  return { menu: `/${path.join(" ")}`, verb, on, values, isFull };
}

/** What `[ find … ]` asks for, and which of those it finds is meant: `[ :pick [ find … ] 1 ]`. */
export interface Search {
  readonly wanted: ReadonlyMap<string, string>;
  readonly pick: number | undefined;
}

/** @returns undefined for another way to say it */
export function readSearch(on: string): Search | undefined {
  const inside = inBrackets(on);
  const [, picked, number] = /^:pick\s+(\[.*\])\s+(\d+)$/s.exec(inside) ?? [];
  const wanted = wantedIn(picked === undefined ? inside : inBrackets(picked));
  return wanted && { wanted, pick: picked === undefined ? undefined : Number(number) };
}

const inBrackets = (text: string) =>
  text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1).trim() : "";

function wantedIn(search: string): ReadonlyMap<string, string> | undefined {
  const [command, ...words] = menuWords(search);
  if (command !== "find") return undefined;
  const wanted = new Map<string, string>();
  for (const word of words[0] === "where" ? words.slice(1) : words) {
    const [, not, name = "", value] = property.exec(word) ?? [];
    if (name === "" || (not === "!" && value !== undefined)) return undefined;
    wanted.set(name, value === undefined ? (not === "!" ? "no" : "yes") : plainly(value));
  }
  return wanted;
}
