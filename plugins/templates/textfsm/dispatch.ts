/** Selects the rules of a state that can match a line, by the beginning of the line. */

import { END, OTHER, type Prefix } from "../python/text.ts";

/** Classes of a line's first character: ASCII, other, or empty line. */
const CLASSES = 130;

/** Returns the candidate rules of a line; lists are built on demand. */
export type Dispatch<R> = (line: string) => readonly R[];

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
const classOf = (code: number) => (code < 128 ? code : OTHER);

export function createDispatch<R>(rules: readonly R[], prefixOf: (rule: R) => Prefix): Dispatch<R> {
  type Lists = (readonly R[] | undefined)[];
  const unindented: Lists = new Array(CLASSES);
  /** Indexed by the first white-space character of a line, then by the character after the white space. */
  const behindSpace: (Lists | undefined)[] = [];

  function listsBehind(first: number): Lists {
    const lists = behindSpace[first] ?? new Array(CLASSES);
    behindSpace[first] = lists;
    return lists;
  }

  function candidates(first: number, spaces: number, next: number): readonly R[] {
    return rules.filter((rule) => {
      const prefix = prefixOf(rule);
      if (!prefix.first.has(first)) return false;
      if (spaces === 0) return true;
      // Non-ASCII characters include white space, so the rule may skip them: do not filter by what follows.
      return prefix.next === undefined || next === OTHER || prefix.next.has(next);
    });
  }

  return (line) => {
    const first = line === "" ? END : classOf(line.charCodeAt(0));
    let spaces = 0;
    let next = 0;
    if (isSpace(first)) {
      spaces = 1;
      while (spaces < line.length && isSpace(line.charCodeAt(spaces))) spaces += 1;
      next = spaces === line.length ? END : classOf(line.charCodeAt(spaces));
    }
    const lists = spaces === 0 ? unindented : listsBehind(first);
    const key = spaces === 0 ? first : next;
    let list = lists[key];
    if (list === undefined) {
      list = candidates(first, spaces, next);
      lists[key] = list;
    }
    return list;
  };
}
