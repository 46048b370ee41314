/** The RegExp objects of one pattern: compiled when a text of their tier is first seen. */
import type { Node } from "./ast.ts";
import type { CharSets } from "./charset.ts";
import { type Emitted, emitPattern, type Tier } from "./emit.ts";

export type How = "match" | "search" | "full";

export interface NativeForm {
  readonly groups: readonly number[];
  /** Undefined: the engine refuses the expression (too large), the own matcher must do it. */
  regExp(how: How): RegExp | undefined;
  /** The same with positions of groups. */
  located(how: How): RegExp | undefined;
  /** Anchored at the start of the text, without state. */
  anchored(): RegExp | undefined;
}

export interface NativeOptions {
  readonly keep: (group: number) => boolean;
  readonly singleLine: boolean;
}

export function createNativeForms(root: Node, groups: number, sets: CharSets, options: NativeOptions) {
  const forms: (NativeForm | undefined)[] = [];
  return (tier: Tier): NativeForm => {
    let form = forms[tier];
    if (form === undefined) {
      form = createForm(emitPattern(root, groups, sets, { ...options, tier }));
      forms[tier] = form;
    }
    return form;
  };
}

function createForm({ source, flags, groups }: Emitted): NativeForm {
  const made = new Map<string, RegExp | undefined>();
  const get = (key: string, build: () => RegExp): RegExp | undefined => {
    if (!made.has(key)) made.set(key, tryRegExp(build));
    return made.get(key);
  };
  const plain = /^\^(?![*+?{])[^|]*$/.test(source) ? source : `^(?:${source})`;
  return {
    groups,
    regExp(how) {
      if (how === "search") return get("search", () => new RegExp(source, `g${flags}`));
      if (how === "full") return get("full", () => new RegExp(`(?:${source})$`, `y${flags}`));
      return get("match", () => new RegExp(source, `y${flags}`));
    },
    located: (how) =>
      get(
        how === "full" ? "located full" : "located",
        () => new RegExp(how === "full" ? `(?:${source})$` : source, `dy${flags}`),
      ),
    anchored: () => get("anchored", () => new RegExp(plain, flags)),
  };
}

function tryRegExp(build: () => RegExp): RegExp | undefined {
  try {
    return build();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
