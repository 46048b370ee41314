/** Configurations of paths, as Junos and VyOS have them: lines that lead from one to another, and what lines would leave. */
import { shownLine } from "./lines.ts";
import { createOrder, movesBetween, type Order, reorder } from "./moves.ts";
import type { Doubt, Foretold, Prediction, Remediation } from "./outcome.ts";
import { createPathWriter, type Step } from "./path-writer.ts";
import { anyOf, type PathRules, type TreeRules } from "./rules.ts";
import { type ConfigNode, maxTreeDepth, noteTest, parseTree } from "./tree.ts";

const step = (text: string): Step => ({ text, next: new Map(), isSet: false, isOff: false });

const words = /"(?:[^"\\]|\\.)*"|'[^']*'|\S+/g;

/** The words of a line; those behind many others are one. */
function wordsOf(line: string): string[] {
  const all = line.match(words) ?? [];
  return all.length <= maxTreeDepth
    ? all
    : [...all.slice(0, maxTreeDepth), all.slice(maxTreeDepth).join(" ")];
}

/** Quotes around a word mean nothing. */
const keyOf = (word: string) => (/^(["']).*\1$/s.test(word) ? word.slice(1, -1) : word);

function findStep(top: Step, path: readonly string[]): Step | undefined {
  let at: Step | undefined = top;
  for (const word of path) at = at?.next.get(keyOf(word));
  return at;
}

/** @param from the word with which a statement of braces begins */
function makeStep(top: Step, path: readonly string[], from?: number): Step {
  let at = top;
  for (const [place, word] of path.entries()) {
    const key = keyOf(word);
    const next: Step = at.next.get(key) ?? step(word);
    if (from !== undefined && place >= from) next.begins ??= place === from;
    at.next.set(key, next);
    at = next;
  }
  return at;
}

const verbs = /^(set|deactivate)\s+/;

/** A text of commands, or of braces. */
function parsePaths(text: string, rules: TreeRules): Step {
  const top = step("");
  const isIgnored = anyOf(rules.ignore);
  let isComment = false;
  const read = (nodes: readonly ConfigNode[], path: readonly string[]): void => {
    for (const { isNote, lines, children } of nodes) {
      const shown = shownLine(lines[0] ?? "");
      const line = shown.trim();
      if (line.startsWith("/*")) isComment = true;
      const skips = isComment || isNote || isIgnored(shown);
      if (isComment && line.endsWith("*/")) isComment = false;
      if (skips) continue;
      const command = path.length === 0 ? verbs.exec(line)?.[1] : undefined;
      if (command !== undefined) {
        const given = makeStep(top, wordsOf(line).slice(1));
        if (command === "set") given.isSet = true;
        else given.isOff = true;
      } else readBraces(line, children, path);
    }
  };
  const readBraces = (line: string, children: readonly ConfigNode[], path: readonly string[]) => {
    const [, off, statement = ""] = /^(inactive: )?(?:protect: )?(.*?)\s*(?:##.*)?$/.exec(line) ?? [];
    if (path.length >= maxTreeDepth || statement === "}") return;
    const here = [...path, ...wordsOf(statement.replace(/[;{]$/, ""))];
    if (statement.endsWith("{")) {
      const opened = makeStep(top, here, path.length);
      read(children, here);
      opened.isSet ||= opened.next.size === 0;
      opened.isOff ||= off !== undefined;
      return;
    }
    const list = here.indexOf("[");
    const values = list > 0 && here.at(-1) === "]" ? here.slice(list + 1, -1) : [];
    if (values.length === 0) makeStep(top, here, path.length).isSet = true;
    for (const value of values) makeStep(top, [...here.slice(0, list), value], path.length).isSet = true;
    if (off !== undefined) makeStep(top, list > 0 ? here.slice(0, list) : here).isOff = true;
  };
  read(parseTree(text, { ...rules, shape: text.includes("{") ? "braces" : "set" }), []);
  return top;
}

/** Whether lines are paths: of a text of commands or braces, where the rules say what they mean. */
export const hasPaths = ({ paths, shape }: TreeRules) =>
  paths !== undefined && (shape === "set" || shape === "braces");

interface Tests {
  readonly takesName: (path: string) => boolean;
  readonly isSingle: (path: string) => boolean;
  readonly isOrdered: (path: string) => boolean;
  readonly isChain: (path: string) => boolean;
  readonly isPresence: (path: string) => boolean;
}

const testsOf = ({ names, singles, ordered, chains, presence }: PathRules): Tests => ({
  takesName: anyOf(names),
  isSingle: anyOf(singles),
  isOrdered: anyOf(ordered),
  isChain: anyOf(chains),
  isPresence: anyOf(presence),
});

const joined = (path: string, { text }: Step) => (path === "" ? text : `${path} ${text}`);

/** Takes linear time. */
export function remediatePaths(from: string, to: string, rules: TreeRules): Remediation {
  const { takesName, isSingle, isOrdered, isChain } = testsOf(rules.paths ?? {});
  const verb = rules.negate ?? "delete";
  const doubts = new Set<Doubt>();
  const deleted: string[] = [];
  const set: string[] = [];
  const inserted: string[] = [];
  const switched: string[] = [];

  function remove(old: Step, path: string): void {
    if (takesName(path) && old.next.size > 0)
      for (const next of old.next.values()) remove(next, joined(path, next));
    else {
      if (countOf(old) > 1) doubts.add("sections");
      deleted.push(`${verb} ${path}`);
    }
  }

  function add(wanted: Step, path: string): void {
    if (wanted.isSet || wanted.next.size === 0) set.push(`set ${path}`);
    for (const next of wanted.next.values()) add(next, joined(path, next));
    if (wanted.isOff) switched.push(`deactivate ${path}`);
  }

  function change(old: Step, wanted: Step, path: string): void {
    if (isChain(path) && !isPrefix([...old.next.keys()], [...wanted.next.keys()])) {
      if (old.next.size > 0) deleted.push(`${verb} ${path}`);
      add(wanted, path);
      return;
    }
    const isReplaced = wanted.next.size > 0 && isSingle(path);
    for (const [key, next] of old.next)
      if (!wanted.next.has(key) && !isReplaced) remove(next, joined(path, next));
    if (wanted.isSet && !old.isSet && path !== "") set.push(`set ${path}`);
    for (const [key, next] of wanted.next) {
      const known = old.next.get(key);
      if (known === undefined) add(next, joined(path, next));
      else change(known, next, joined(path, next));
    }
    if (old.isOff !== wanted.isOff) switched.push(`${wanted.isOff ? "deactivate" : "activate"} ${path}`);
    if (isOrdered(path)) order(old, wanted, path);
  }

  function order(old: Step, wanted: Step, path: string): void {
    const names = [...wanted.next.keys()];
    const current = [...old.next.keys()].filter((name) => wanted.next.has(name));
    const word = path.slice(path.lastIndexOf(" ") + 1);
    const text = (name: string) => wanted.next.get(name)?.text ?? name;
    for (const { name, where, other } of movesBetween(
      [...current, ...names.filter((one) => !old.next.has(one))],
      names,
    ))
      inserted.push(`insert ${path} ${text(name)} ${where} ${word} ${text(other)}`);
  }

  change(parsePaths(from, rules), parsePaths(to, rules), "");
  return { lines: [...deleted, ...set, ...inserted, ...switched], doubts: [...doubts] };
}

function countOf({ isSet, next }: Step): number {
  let count = isSet ? 1 : 0;
  for (const one of next.values()) {
    count += countOf(one);
    if (count > 1) break;
  }
  return count;
}

const isPrefix = (first: readonly string[], all: readonly string[]) =>
  first.every((name, at) => all[at] === name);

/** Takes linear time. */
export function applyPaths(text: string, lines: readonly string[], rules: TreeRules): Prediction {
  const { cursor, commands } = takePaths(text, rules);
  const { take } = cursor();
  const foretold = lines.flatMap((line, at): Foretold[] => {
    const told = take(line);
    return told === undefined ? [] : [{ line: at + 1, ...told }];
  });
  return { text: commands(), lines: foretold };
}

export interface PathApplication {
  cursor(): PathCursor;
  /** The commands that set it. */
  commands(): string;
  /** As a text of braces, without its comments. */
  braces(): string;
}

export interface PathCursor {
  /** @returns undefined for a line that says nothing */
  take(line: string): Omit<Foretold, "line"> | undefined;
  /** Words of the path that it stands in. */
  path(): readonly string[];
}

/** A configuration of paths that takes lines one after the other. */
export function takePaths(text: string, rules: TreeRules): PathApplication {
  const tests = testsOf(rules.paths ?? {});
  const verb = rules.negate ?? "delete";
  const top = parsePaths(text, rules);
  const isNote = noteTest(rules.comment);
  /** Of lists whose names were moved: they are put into it when the whole is shown. */
  const orders = new Map<Step, Order>();

  function cursor(): PathCursor {
    let here: readonly string[] = [];
    const enter = (path: readonly string[]) => {
      here = path;
    };
    return {
      path: () => here,
      take(line) {
        if (isNote(line)) return undefined;
        const [command = "", ...given] = wordsOf(line.trim());
        const [stood, path] = [here, [...here, ...given]];
        const effect = effectOf(command, path);
        if (effect === "enters") enter(path);
        if (effect === "leaves") enter(command === "up" ? here.slice(0, -1) : []);
        return { effect, path: stood };
      },
    };
  }

  function effectOf(command: string, path: readonly string[]): Foretold["effect"] {
    switch (command) {
      case "set":
        return setPath(path);
      case verb:
        return deletePath(path) ? "removes" : "nothing";
      case "insert":
        return insert(path) ? "replaces" : "nothing";
      case "activate":
      case "deactivate":
        return turn(path, command === "deactivate") ? "replaces" : "nothing";
      case "edit":
        return "enters";
      case "top":
      case "up":
      case "exit":
        return "leaves";
      default:
        return "unclear";
    }
  }

  function setPath(path: readonly string[]): Foretold["effect"] {
    const known = findStep(top, path);
    if (known !== undefined && (known.isSet || known.next.size > 0)) return "nothing";
    let isOther = false;
    for (let length = 1; length < path.length; length++) {
      const above = findStep(top, path.slice(0, length));
      if (above === undefined) break;
      const value = keyOf(path[length] ?? "");
      if (above.next.size === 0 || above.next.has(value)) continue;
      if (!tests.isSingle(path.slice(0, length).join(" "))) continue;
      above.next.clear();
      orders.delete(above);
      isOther = true;
    }
    // The first word of it that is new stands behind the others there.
    let above: Step | undefined = top;
    for (const word of path) {
      if (above !== undefined) orders.get(above)?.push(keyOf(word));
      above = above?.next.get(keyOf(word));
    }
    makeStep(top, path).isSet = true;
    return isOther ? "replaces" : "adds";
  }

  function deletePath(path: readonly string[]): boolean {
    const above = findStep(top, path.slice(0, -1));
    if (!dropFrom(above, path.at(-1))) return false;
    // What nothing stands below any more goes too, but for what is something by itself.
    for (let length = path.length - 1; length > 0; length--) {
      const words = path.slice(0, length);
      const left = findStep(top, words);
      if (left === undefined || left.next.size > 0) break;
      const stays = tests.takesName(words.slice(0, -1).join(" ")) || tests.isPresence(words.join(" "));
      if (left.isSet || stays) {
        left.isSet = true;
        break;
      }
      dropFrom(findStep(top, words.slice(0, -1)), words.at(-1));
    }
    return true;
  }

  function dropFrom(above: Step | undefined, word = ""): boolean {
    if (above?.next.delete(keyOf(word)) !== true) return false;
    orders.get(above)?.drop(keyOf(word));
    return true;
  }

  /** `insert PATH NAME after WORD OTHER` */
  function insert(path: readonly string[]): boolean {
    const [where = "", other = ""] = [path.at(-3), path.at(-1)];
    const name = keyOf(path.at(-4) ?? "");
    const list = findStep(top, path.slice(0, -4));
    if (list === undefined) return false;
    const order = orders.get(list) ?? createOrder(list.next.keys());
    orders.set(list, order);
    return order.move(name, where === "before" ? "before" : "after", keyOf(other));
  }

  function turn(path: readonly string[], isOff: boolean): boolean {
    const found = findStep(top, path);
    if (found === undefined || found.isOff === isOff) return false;
    found.isOff = isOff;
    return true;
  }

  function settle(): void {
    for (const [{ next }, order] of orders) reorder(next, order);
    orders.clear();
  }

  return {
    cursor,
    commands() {
      settle();
      const shown: string[] = [];
      const show = (at: Step, path: string) => {
        if (path !== "" && (at.isSet || at.next.size === 0)) shown.push(`set ${path}`);
        for (const next of at.next.values()) show(next, joined(path, next));
        if (at.isOff) shown.push(`deactivate ${path}`);
      };
      show(top, "");
      return shown.map((line) => `${line}\n`).join("");
    },
    braces() {
      settle();
      return createPathWriter(text, rules, tests)(top);
    },
  };
}
