/** A rule: `^expression -> LineOperator.RecordOperator NewState`. */
import {
  BLANK,
  didYouMeanThen,
  type ParsedPattern,
  PatternError,
  parsePattern,
  strip,
  TemplateError,
} from "../python/text.ts";
import { LineError, type ValueDefinition } from "./value.ts";

export type LineOperator = "Continue" | "Next" | "Error";
export type RecordOperator = "Clear" | "Clearall" | "Record" | "NoRecord";

export const reservedNames: ReadonlySet<string> = new Set<LineOperator | RecordOperator>([
  "Continue",
  "Next",
  "Error",
  "Clear",
  "Clearall",
  "Record",
  "NoRecord",
]);

export interface Action {
  readonly lineOperator: LineOperator;
  readonly recordOperator: RecordOperator;
  /** The new state, or the message of an Error; empty: stay. */
  readonly target: string;
}

export interface Rule {
  readonly line: number;
  readonly pattern: ParsedPattern;
  readonly action: Action;
}

/** `$name`, `${name}`, `$$`; any other `$` is an error. */
const placeholder = /\$(?:(\$)|([_a-zA-Z][_a-zA-Z0-9]*)|\{([_a-zA-Z][_a-zA-Z0-9]*)\}|)/g;

/** The last arrow after white space separates expression and action. */
const arrow = new RegExp(`^([^\\n]*)${BLANK}->([^\\n]*)`);
const recordWord = "(Clearall|Clear|Record|NoRecord)";
const targetWord = `(?:${BLANK}+([\\p{L}\\p{N}_]+|"[^\\n]*"))?`;
const lineAction = new RegExp(`^${BLANK}+(Continue|Next|Error)(?:\\.${recordWord})?${targetWord}$`, "u");
const recordAction = new RegExp(`^${BLANK}+${recordWord}${targetWord}$`, "u");
const targetAction = new RegExp(`^${targetWord}$`, "u");

const maxRuleChars = 1_000_000;

const stay: Action = { lineOperator: "Next", recordOperator: "NoRecord", target: "" };

export function createRuleReader(values: readonly ValueDefinition[]): (text: string, line: number) => Rule {
  const groups = new Map(values.map((value) => [value.name, value.group]));
  const actions = new Map<string, Action>();

  function substitute(match: string, line: number): string {
    if (groups.size === 0 || !match.includes("$")) return match;
    let length = match.length;
    return match.replace(placeholder, (_, dollar?: string, named?: string, braced?: string) => {
      if (dollar !== undefined) return "$";
      const group = groups.get(named ?? braced ?? "");
      if (group === undefined) {
        const hint = didYouMeanThen(named ?? braced ?? "", groups.keys());
        throw new LineError(`Duplicate or invalid variable substitution: '${match}'. Line: ${line}.${hint}`);
      }
      // A line may reference a long value many times.
      length += group.length;
      if (length > maxRuleChars) {
        throw new TemplateError("TemplateLimit", `a rule of more than ${maxRuleChars} characters`);
      }
      return group;
    });
  }

  function parseRule(regex: string, line: number): ParsedPattern {
    try {
      return parsePattern(regex);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      throw new LineError(`Invalid regular expression: '${regex}'. Line: ${line}. (${error.message})`);
    }
  }

  return (text, line) => {
    const rule = strip(text);
    const parts = rule.includes("->") ? arrow.exec(rule) : null;
    if (parts === null) return { line, pattern: parseRule(substitute(rule, line), line), action: stay };
    const [, match = "", written = ""] = parts;
    const pattern = parseRule(substitute(match, line), line);
    let action = actions.get(written);
    if (action === undefined) {
      action = readAction(written, rule, line);
      actions.set(written, action);
    }
    return { line, pattern, action };
  };
}

function readAction(written: string, rule: string, line: number): Action {
  const withLine = lineAction.exec(written);
  const withRecord = withLine === null ? recordAction.exec(written) : null;
  const withTarget = withLine === null && withRecord === null ? targetAction.exec(written) : null;
  if (withLine === null && withRecord === null && withTarget === null) {
    throw new LineError(`Badly formatted rule '${rule}'. Line: ${line}.`);
  }
  const operator = withLine?.[1];
  const target = withLine?.[3] ?? withRecord?.[2] ?? withTarget?.[1] ?? "";
  if (operator === "Continue" && target !== "") {
    throw new LineError(`Action 'Continue' with new state ${target} specified. Line: ${line}.`);
  }
  if (operator !== "Error" && target.startsWith('"')) {
    throw new LineError(`Alphanumeric characters only in state names. Line: ${line}.`);
  }
  return {
    lineOperator: operator === "Continue" || operator === "Error" ? operator : "Next",
    recordOperator: recordOperator(withLine?.[2] ?? withRecord?.[1]),
    target,
  };
}

const recordOperator = (word: string | undefined): RecordOperator =>
  word === "Clear" || word === "Clearall" || word === "Record" ? word : "NoRecord";
