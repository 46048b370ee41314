/**
 * Decides whether a command of an agent only shows something: it must be one of those that the data of the platform
 * lists. What is sent is rebuilt from the words of that list, never the text that was given. Pure.
 */
import { nearNames } from "../base/text/near-names.ts";
import type { Reads } from "../plugin/index.ts";

export type Decision =
  /** Whole words, one blank between them. */
  { readonly command: string } | { readonly refused: string };

const mostChars = 400;
const mostFilters = 3;
const printable = /^[\x20-\x7e]*$/;
/** A name, an address, a prefix, an interface. */
const valueWord = /^[A-Za-z0-9:*][A-Za-z0-9._:/,@*-]{0,127}$/;
/** Looked for by a filter: neither an option nor what a shell or another command line could take for its own. */
const soughtText = /^(?:[A-Za-z0-9 ._:/,@*+=^%[\]-]{1,200}\$?|"[A-Za-z0-9 ._:/,@*+=^%[\]-]{1,200}\$?")$/;

interface Node {
  readonly words: Map<string, Node>;
  value?: Node;
  /** The rest of the line. */
  text?: true;
  /** The command may end here. */
  ends?: true;
}

interface Tree {
  readonly commands: Node;
  readonly filters: Node;
  /** For advice. */
  readonly names: readonly string[];
}

const trees = new WeakMap<Reads, Tree>();

function treeOf(reads: Reads): Tree {
  const known = trees.get(reads);
  if (known !== undefined) return known;
  const written = reads.commands.flatMap(expanded);
  const tree: Tree = {
    commands: grown(written),
    filters: grown((reads.filters ?? []).flatMap(expanded)),
    names: [...new Set(written.map((words) => words.filter((word) => !word.startsWith("<")).join(" ")))],
  };
  trees.set(reads, tree);
  return tree;
}

function grown(all: readonly (readonly string[])[]): Node {
  const root: Node = { words: new Map() };
  for (const words of all) {
    let at = root;
    for (const word of words) {
      if (word === "<text>") {
        at.text = true;
        continue;
      }
      const next: Node = (word === "<value>" ? at.value : at.words.get(word)) ?? { words: new Map() };
      if (word === "<value>") at.value = next;
      else at.words.set(word, next);
      at = next;
    }
    if (at.text !== true) at.ends = true;
  }
  return root;
}

/** Everything that a form stands for, word by word. */
export function expanded(form: string): string[][] {
  const pieces = form.match(/<\w+>|[[\]()|]|[^\s[\]()|<>]+/g) ?? [];
  let at = 0;
  const choice = (end: string | undefined): string[][] => {
    const all: string[][] = [];
    for (;;) {
      all.push(...sequence());
      if (pieces[at] !== "|") break;
      at++;
    }
    if (pieces[at] !== end) throw new Error(`The form ${form} is not closed.`);
    at++;
    return all;
  };
  const sequence = (): string[][] => {
    let all: string[][] = [[]];
    for (;;) {
      const piece = pieces[at];
      if (piece === undefined || piece === ")" || piece === "]" || piece === "|") return all;
      at++;
      const parts =
        piece === "("
          ? choice(")")
          : piece === "["
            ? [[], ...choice("]")]
            : piece === "<interface>"
              ? [["<value>"], ["<value>", "<value>"]]
              : [[piece]];
      all = all.flatMap((words) => parts.map((part) => [...words, ...part]));
    }
  };
  return choice(undefined);
}

/** @throws never: what is not understood is refused */
export function decideRead(input: string, reads: Reads | undefined, platform: string): Decision {
  if (reads === undefined) return refusal(`no read commands are known for the platform ${platform}`);
  if (input.length > mostChars) return refusal(`a command may have ${mostChars} characters`);
  if (!printable.test(input))
    return refusal("a command is one line of printable ASCII, without control characters and look-alikes");
  const tree = treeOf(reads);
  const [first = "", ...filters] = input.split("|").map((part) => part.trim());
  if (first === "") return refusal("there is no command");
  const command = resolved(first, tree.commands, reads.exact === true);
  if ("refused" in command) return refusal(`${command.refused}${nearest(first, tree.names)}`);
  if (filters.length > mostFilters) return refusal(`a command may have ${mostFilters} filters`);
  const whole = [command.text];
  for (const filter of filters) {
    const piped = resolved(filter, tree.filters, reads.exact === true);
    if ("refused" in piped)
      return refusal(
        (reads.filters ?? []).length === 0
          ? "this platform has no filters: leave out what follows the |"
          : `what follows a | must be one of: ${(reads.filters ?? []).join(", ")} (${piped.refused})`,
      );
    whole.push(piped.text);
  }
  return { command: whole.join(" | ") };
}

const refusal = (why: string): Decision => ({ refused: `${why}.` });

function resolved(
  input: string,
  root: Node,
  exact: boolean,
): { readonly text: string } | { readonly refused: string } {
  const words = input.split(/ +/).filter(Boolean);
  const whole: string[] = [];
  let at = root;
  for (const [index, word] of words.entries()) {
    if (at.text === true) {
      const text = words.slice(index).join(" ");
      // A word that begins with a dash is an option where the filter is a program.
      return soughtText.test(text) && (text.startsWith('"') || !/(?:^| )-/.test(text))
        ? { text: [...whole, text].join(" ") }
        : {
            refused:
              "the text of a filter may have letters, digits, blanks and, within words, . _ : / , @ * + = ^ % [ ] -",
          };
    }
    const found = exact ? exactly(word, at) : abbreviated(word, at);
    if (typeof found === "string") return { refused: found };
    whole.push(found.word);
    at = found.node;
  }
  if (at.ends === true) return { text: whole.join(" ") };
  const next = [...at.words.keys(), ...(at.value ? ["<value>"] : []), ...(at.text ? ["<text>"] : [])];
  return { refused: `"${whole.join(" ")}" goes on with ${next.slice(0, 8).join(", ") || "a command"}` };
}

interface Found {
  readonly word: string;
  readonly node: Node;
}

function exactly(word: string, at: Node): Found | string {
  const node = at.words.get(word);
  return node === undefined ? `"${word}" is not a known word here` : { word, node };
}

function abbreviated(word: string, at: Node): Found | string {
  const lower = word.toLowerCase();
  const same = at.words.get(lower);
  if (same !== undefined) return { word: lower, node: same };
  const fitting = [...at.words].filter(([full]) => full.startsWith(lower));
  const [only] = fitting;
  if (fitting.length === 1 && only !== undefined) return { word: only[0], node: only[1] };
  if (at.value !== undefined && valueWord.test(word)) return { word, node: at.value };
  return fitting.length > 1
    ? `"${word}" may be ${fitting.map(([full]) => full).join(" or ")}`
    : `"${word}" is not a known word here`;
}

/** Those with the most words alike from the first on; else those that are spelled alike. */
function nearest(input: string, names: readonly string[]): string {
  const words = input.toLowerCase().split(/ +/).slice(0, 6);
  const alike = (name: string) => {
    const full = name.split(" ");
    const wrong = words.findIndex((word, at) => full[at]?.startsWith(word) !== true);
    return wrong < 0 ? words.length : wrong;
  };
  const spelled = nearNames(words.join(" "), names, 3);
  const best = Math.max(...names.map(alike));
  const near = spelled.length > 0 || best < 2 ? spelled : names.filter((name) => alike(name) === best);
  return `; near it are: ${(near.length > 0 ? near : names).slice(0, 3).join(", ")}`;
}
