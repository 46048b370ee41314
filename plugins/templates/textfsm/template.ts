/** Parses a TextFSM template: values, states, rules; every error names its line. */
import { BLANK, didYouMean, stripEnd, TemplateError } from "../python/text.ts";
import { createRuleReader, type Rule, reservedNames } from "./rule.ts";
import { LineError, parseValue, type ValueDefinition } from "./value.ts";

export interface TextFsmTemplate {
  readonly values: readonly ValueDefinition[];
  /** In the order written; an empty `End` is left out. */
  readonly states: ReadonlyMap<string, readonly Rule[]>;
}

const maxNameLength = 48;
const comment = new RegExp(`^${BLANK}*#`);
const stateName = /^[\p{L}\p{N}_]+$/u;

export function readTemplate(source: string): TextFsmTemplate {
  const lines = source.split("\n").map(stripEnd);
  let number = 0;

  function refuse(message: string, line?: number): TemplateError {
    return new TemplateError("TemplateSyntax", message, line === undefined ? {} : { line });
  }

  /** Adds the position to errors of part of a line; errors of values carry the line in their message. */
  function at<T>(read: () => T, suffix: string): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof LineError) throw refuse(error.message + suffix + error.hint, number);
      if (error instanceof TemplateError)
        throw new TemplateError(error.kind, error.message, { line: number });
      throw error;
    }
  }

  function readValues(): ValueDefinition[] {
    const values: ValueDefinition[] = [];
    const names = new Set<string>();
    while (number < lines.length) {
      const line = lines[number++] ?? "";
      if (line === "") break;
      if (comment.test(line)) continue;
      if (!line.startsWith("Value ")) {
        throw values.length === 0
          ? refuse("No Value definitions found.", number)
          : refuse(`Expected blank line after last Value entry. Line: ${number}.`, number);
      }
      const value = at(() => parseValue(line), ` Line ${number}.`);
      if (names.has(value.name)) {
        throw refuse(`Duplicate declarations for Value '${value.name}'. Line: ${number}.`, number);
      }
      names.add(value.name);
      values.push(value);
    }
    return values;
  }

  function readStateName(): string | undefined {
    while (number < lines.length) {
      const line = lines[number++] ?? "";
      if (line === "" || comment.test(line)) continue;
      const valid =
        stateName.test(line) && Array.from(line).length <= maxNameLength && !reservedNames.has(line);
      if (!valid) throw refuse(`Invalid state name: '${line}'. Line: ${number}`, number);
      return line;
    }
    return undefined;
  }

  const values = readValues();
  const readRule = createRuleReader(values);
  const states = new Map<string, Rule[]>();
  for (let name = readStateName(); name !== undefined; name = readStateName()) {
    if (states.has(name)) throw refuse(`Duplicate state name: '${name}'. Line: ${number}`, number);
    const list: Rule[] = [];
    states.set(name, list);
    while (number < lines.length) {
      const line = lines[number++] ?? "";
      if (line === "") break;
      if (comment.test(line)) continue;
      if (!/^(?: {1,2}|\t)\^/.test(line)) {
        throw refuse(`Missing white space or carat ('^') before rule. Line: ${number}`, number);
      }
      list.push(at(() => readRule(line, number), ""));
    }
  }
  checkStates(states, refuse);
  states.delete("End");
  return { values, states };
}

function checkStates(
  states: ReadonlyMap<string, readonly Rule[]>,
  refuse: (message: string, line?: number) => TemplateError,
): void {
  if (!states.has("Start")) throw refuse("Missing state 'Start'.");
  for (const name of ["End", "EOF"]) {
    const [first] = states.get(name) ?? [];
    if (first !== undefined) throw refuse(`Non-Empty '${name}' state.`, first.line);
  }
  for (const [name, rules] of states) {
    for (const { action, line } of rules) {
      const { lineOperator, target } = action;
      if (lineOperator === "Error" || ["", "End", "EOF"].includes(target) || states.has(target)) continue;
      const hint = didYouMean(target, states.keys());
      throw refuse(`State '${target}' not found, referenced in state '${name}'${hint}`, line);
    }
  }
}
