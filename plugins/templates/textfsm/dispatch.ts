/** Which rules of a state can match a line at all, told from how the line begins. */
import { END, OTHER } from "../python/regex/first-set.ts";
import type { Prefix } from "../python/regex/prefix.ts";

/** A line begins with an ASCII character, with another one, or is empty. */
const CLASSES = 130;

/** The candidates of a line; lists are made when a beginning is first seen. */
export type Dispatch<R> = (line: string) => readonly R[];

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
const classOf = (code: number) => (code < 128 ? code : OTHER);

export function createDispatch<R>(rules: readonly R[], prefixOf: (rule: R) => Prefix): Dispatch<R> {
  type Lists = (readonly R[] | undefined)[];
  const known: Lists = new Array(CLASSES);
  /** By the white space that a line begins with, which a rule may name, and then by what follows all of it. */
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
      // Beyond ASCII there is white space, too: what follows it is not looked at.
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
    const lists = spaces === 0 ? known : listsBehind(first);
    const key = spaces === 0 ? first : next;
    let list = lists[key];
    if (list === undefined) {
      list = candidates(first, spaces, next);
      lists[key] = list;
    }
    return list;
  };
}
