/** Parses a `Value` line: options, name, regular expression. */

import {
  compilePython,
  didYouMeanThen,
  PatternError,
  type PythonPattern,
  parsePattern,
} from "../python/text.ts";
export const optionNames = ["Fillup", "Filldown", "Key", "List", "Required"] as const;
export type OptionName = (typeof optionNames)[number];

export interface ValueDefinition {
  readonly name: string;
  /** In the order written, which is the order in which they act. */
  readonly options: readonly OptionName[];
  /** The expansion of `${name}` in a rule. */
  readonly group: string;
  /** For List values whose expression has its own groups: applied again to the matched text. */
  readonly nested: PythonPattern | undefined;
}

/** The reason for rejecting a line; the template parser adds the line. */
export class LineError extends Error {
  constructor(
    message: string,
    /** A suggestion, appended after the line. */
    readonly hint = "",
  ) {
    super(message);
  }
}

const maxNameLength = 48;

export function parseValue(line: string): ValueDefinition {
  const words = line.split(" ");
  const [, second = "", third = ""] = words;
  if (words.length < 3) throw new LineError("Expect at least 3 tokens on line.");
  const hasOptions = !third.startsWith("(");
  const options = hasOptions ? parseOptions(second) : [];
  const name = hasOptions ? third : second;
  const regex = words.slice(hasOptions ? 3 : 2).join(" ");
  if (Array.from(name).length > maxNameLength) {
    throw new LineError(`Invalid Value name '${name}' or name too long.`);
  }
  if (!regex.startsWith("(") || !regex.endsWith(")") || regex.endsWith("\\)")) {
    throw new LineError(`Value '${regex}' must be contained within a '()' pair.`);
  }
  const nested = checkRegex(regex).groups > 1 && options.includes("List");
  // The reference inserts the name into a replacement template, where a backslash would be an escape.
  if (name.includes("\\")) throw new LineError(`Invalid Value name '${name}'.`);
  return {
    name,
    options,
    group: `(?P<${name}>${regex.slice(1)}`,
    nested: nested ? compilePython(regex) : undefined,
  };
}

function parseOptions(list: string): OptionName[] {
  const options: OptionName[] = [];
  for (const word of list.split(",")) {
    const option = optionNames.find((name) => name === word);
    if (option === undefined)
      throw new LineError(`Unknown option "${word}"`, didYouMeanThen(word, optionNames));
    if (options.includes(option)) throw new LineError(`Duplicate option "${word}"`);
    options.push(option);
  }
  return options;
}

function checkRegex(regex: string): { readonly groups: number } {
  try {
    return parsePattern(regex);
  } catch (error) {
    if (error instanceof PatternError) throw new LineError(error.message);
    throw error;
  }
}
