/** Paths as a text of braces, in the way of the text that they were read from. */
import type { TreeRules } from "./rules.ts";

/** A word of a path, with what may stand behind it. */
export interface Step {
  /** As it is written. */
  readonly text: string;
  readonly next: Map<string, Step>;
  /** A path ends here. */
  isSet: boolean;
  /** It is kept, and does nothing. */
  isOff: boolean;
  /** In a text of braces: a statement begins with it. Undefined: it is not known. */
  begins?: boolean;
}

interface PathTests {
  readonly takesName: (path: string) => boolean;
  readonly isSingle: (path: string) => boolean;
}

/**
 * Where a statement begins is known of paths that were read from braces, and of others that are like them; a path that is
 * like none is written by what the rules say of it, which means the same.
 */
export function createPathWriter(text: string, { comment }: TreeRules, tests: PathTests) {
  const isBraces = text.includes("{");
  const end = (isBraces ? /;[ \t]*(?:##.*)?$/m.test(text) : comment === "#") ? ";" : "";
  const indent = /\{[ \t]*\n([ \t]+)\S/.exec(text)?.[1] ?? "    ";

  /** A path with its names left out. */
  const formOf = (above: string, path: string, word: string) =>
    `${above} ${tests.takesName(path) ? "*" : word}`;

  function learn(top: Step): ReadonlyMap<string, boolean> {
    const known = new Map<string, boolean>();
    const look = (at: Step, path: string, above: string) => {
      for (const next of at.next.values()) {
        const form = formOf(above, path, next.text);
        if (next.begins !== undefined && !known.has(form)) known.set(form, next.begins);
        look(next, path === "" ? next.text : `${path} ${next.text}`, form);
      }
    };
    look(top, "", "");
    return known;
  }

  return (top: Step): string => {
    const known = learn(top);
    const lines: string[] = [];

    const beginsAnew = (next: Step, path: string, form: string): boolean =>
      next.begins ??
      known.get(form) ??
      !(path !== "" && (tests.isSingle(path) || (tests.takesName(path) && path.includes(" "))));

    function write(
      at: Step,
      path: string,
      above: string,
      words: string,
      depth: number,
      isOff: boolean,
    ): void {
      const pad = indent.repeat(depth);
      const statement = `${pad}${isOff ? "inactive: " : ""}${words}`;
      if (at.next.size === 0) {
        lines.push(`${statement}${end}`);
        return;
      }
      const inside: (() => void)[] = [];
      const beside: (() => void)[] = [];
      for (const next of at.next.values()) {
        const own = path === "" ? next.text : `${path} ${next.text}`;
        const form = formOf(above, path, next.text);
        if (words === "" || beginsAnew(next, path, form)) {
          const below = words === "" ? depth : depth + 1;
          inside.push(() => write(next, own, form, next.text, below, next.isOff));
        } else beside.push(() => write(next, own, form, `${words} ${next.text}`, depth, isOff || next.isOff));
      }
      if (inside.length > 0 && words !== "") lines.push(`${statement} {`);
      for (const one of inside) one();
      if (inside.length > 0 && words !== "") lines.push(`${pad}}`);
      for (const one of beside) one();
    }

    if (top.next.size > 0) write(top, "", "", "", 0, false);
    return lines.map((line) => `${line}\n`).join("");
  };
}
