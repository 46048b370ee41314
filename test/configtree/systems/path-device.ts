/** A device whose lines set and delete paths of a schema in a candidate, which is checked when it is committed. */
import type { ConfigDevice } from "./device.ts";

/** `value`: one; `values`: some, in order; `names`: each has what is below; `flag`: a word; `group`: has what is below. */
export type Schema =
  | { readonly kind: "value" | "values" | "flag"; readonly of?: RegExp; readonly inOrder?: boolean }
  | {
      readonly kind: "names" | "group";
      readonly of?: RegExp;
      readonly below: Readonly<Record<string, Schema>>;
      readonly stays?: boolean;
      /** What each name is, if not a group. */
      readonly each?: Schema;
      /** Names stand inside of braces, without the word. */
      readonly isWrapped?: boolean;
      readonly inOrder?: boolean;
    };

interface Node {
  readonly schema: Schema;
  readonly below: Map<string, Node>;
}

export const value = (of?: RegExp): Schema => ({ kind: "value", ...(of === undefined ? {} : { of }) });
export const values = (inOrder = false): Schema => ({ kind: "values", inOrder });
export const flag: Schema = { kind: "flag" };
export const names = (
  below: Readonly<Record<string, Schema>>,
  of?: RegExp,
  more: Partial<Schema> = {},
): Schema => ({ kind: "names", below, ...(of === undefined ? {} : { of }), ...more }) as Schema;
export const group = (below: Readonly<Record<string, Schema>>, stays = false): Schema => ({
  kind: "group",
  below,
  stays,
});

const stays = (schema: Schema) =>
  (schema.kind === "group" || schema.kind === "names") && schema.stays === true;
const byName = new Intl.Collator("en", { numeric: true });

export class PathDevice implements ConfigDevice {
  readonly #schema: Schema;
  readonly #quote: string;
  readonly #commit: (paths: readonly string[]) => readonly string[];
  #top: Node;
  constructor(schema: Schema, quote: string, commit: (paths: readonly string[]) => readonly string[]) {
    this.#schema = schema;
    this.#quote = quote;
    this.#commit = commit;
    this.#top = { schema, below: new Map() };
  }

  push(lines: readonly string[]): string[] {
    const before = structuredClone(this.#top);
    const refused: string[] = [];
    for (const line of lines) {
      const [verb = "", ...words] = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
      const path = words.map((word) => (/^["']/.test(word) ? word.slice(1, -1) : word));
      const why =
        verb === "set"
          ? this.#set(path)
          : verb === "delete"
            ? this.#delete(path)
            : verb === "insert"
              ? this.#insert(path)
              : "unknown command";
      if (why !== undefined) refused.push(`${line}: ${why}`);
    }
    const faults = this.#commit(this.paths());
    if (faults.length > 0) this.#top = before;
    return [...refused, ...faults.map((fault) => `commit: ${fault}`)];
  }

  /** What the words of a path are, up to one that the schema does not know. */
  #schemaOf(node: Node, word: string): Schema | undefined {
    const { schema } = node;
    if (schema.kind === "group") return schema.below[word];
    if (schema.kind === "flag" || (schema.of !== undefined && !schema.of.test(word))) return undefined;
    return schema.kind === "names" ? (schema.each ?? group(schema.below, true)) : flag;
  }

  #set(path: readonly string[]): string | undefined {
    const check = { schema: this.#schema, below: new Map() };
    let at: Node = check;
    for (const word of path) {
      const schema = this.#schemaOf(at, word);
      if (schema === undefined) return `syntax error at ${word}`;
      at = { schema, below: new Map() };
    }
    if (at.schema.kind !== "flag" && !stays(at.schema)) return "missing argument";
    at = this.#top;
    for (const word of path) {
      const schema = this.#schemaOf(at, word);
      if (schema === undefined) return "syntax error";
      if (at.schema.kind === "value") at.below.clear();
      const next = at.below.get(word) ?? { schema, below: new Map() };
      at.below.set(word, next);
      at = next;
    }
    return undefined;
  }

  #delete(path: readonly string[]): string | undefined {
    const nodes = [this.#top];
    for (const word of path) {
      const next = nodes.at(-1)?.below.get(word);
      if (next === undefined) return "statement not found";
      nodes.push(next);
    }
    // A word that names take is nothing without one.
    const last = nodes.at(-1)?.schema;
    if (last?.kind === "names" && !stays(last)) return "missing argument";
    for (let depth = path.length; depth > 0; depth--) {
      const node = nodes[depth];
      const isEmpty = depth === path.length || (node?.below.size === 0 && !stays(node.schema));
      if (!isEmpty) break;
      nodes[depth - 1]?.below.delete(path[depth - 1] ?? "");
    }
    return undefined;
  }

  #insert(path: readonly string[]): string | undefined {
    const [name = "", where, , other = ""] = path.slice(-4);
    let at: Node | undefined = this.#top;
    for (const word of path.slice(0, -4)) at = at?.below.get(word);
    const moved = at?.below.get(name);
    if (at === undefined || at.schema.kind !== "names" || moved === undefined || !at.below.has(other))
      return "statement not found";
    const all = [...at.below].filter(([key]) => key !== name);
    const place = all.findIndex(([key]) => key === other);
    all.splice(where === "before" ? place : place + 1, 0, [name, moved]);
    at.below.clear();
    for (const [key, node] of all) at.below.set(key, node);
    return undefined;
  }

  paths(): string[] {
    const lines: string[] = [];
    const walk = ({ below }: Node, path: string) => {
      if (below.size === 0 && path !== "") lines.push(path);
      for (const [word, node] of below) walk(node, `${path} ${this.#quoted(word)}`.trim());
    };
    walk(this.#top, "");
    return lines;
  }

  #quoted = (word: string) => (/[^\w./:*-]/.test(word) ? this.#quote + word + this.#quote : word);

  /** Groups in the order of the schema; names and values in theirs. */
  running(): string {
    const lines: string[] = [];
    const semicolon = this.#quote === '"' ? ";" : "";
    const walk = ({ schema, below }: Node, depth: number): void => {
      const order = schema.kind === "group" ? Object.keys(schema.below) : shownOrder(schema, below);
      for (const word of order) {
        const node = below.get(word);
        if (node === undefined) continue;
        const pad = " ".repeat(4 * depth);
        const { kind } = node.schema;
        const inside = shownOrder(node.schema, node.below).flatMap((key) => {
          const own = node.below.get(key);
          return own === undefined ? [] : [[key, own] as const];
        });
        if (kind === "value" || (kind === "values" && inside.length === 1))
          lines.push(`${pad}${word} ${this.#quoted(inside[0]?.[0] ?? "")}${semicolon}`);
        else if (kind === "values" && semicolon === ";")
          lines.push(`${pad}${word} [ ${inside.map(([one]) => this.#quoted(one)).join(" ")} ];`);
        else if (kind === "values")
          for (const [one] of inside) lines.push(`${pad}${word} ${this.#quoted(one)}`);
        else if (kind === "names" && !node.schema.isWrapped && !stays(node.schema))
          for (const [name, own] of inside) {
            const header = `${pad}${word} ${this.#quoted(name)}`;
            if (own.below.size === 0) lines.push(semicolon === ";" ? `${header};` : `${header} {\n${pad}}`);
            else {
              lines.push(`${header} {`);
              walk(own, depth + 1);
              lines.push(`${pad}}`);
            }
          }
        else if (node.below.size === 0) lines.push(`${pad}${this.#quoted(word)}${semicolon}`);
        else {
          lines.push(`${pad}${this.#quoted(word)} {`);
          walk(node, depth + 1);
          lines.push(`${pad}}`);
        }
      }
    };
    walk(this.#top, 0);
    return lines.map((line) => `${line}\n`).join("");
  }
}

const shownOrder = (schema: Schema, below: ReadonlyMap<string, unknown>) =>
  schema.kind === "group" || schema.inOrder === true
    ? [...below.keys()]
    : [...below.keys()].sort(byName.compare);
