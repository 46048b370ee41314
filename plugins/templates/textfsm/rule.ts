/** A rule: `^expression -> LineOperator.RecordOperator NewState`. */
import { compilePython, PatternError, type PythonPattern } from "../python/regex/index.ts";
import { strip } from "./text.ts";
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

export interface Rule {
  readonly line: number;
  readonly pattern: PythonPattern;
  readonly lineOperator: LineOperator;
  readonly recordOperator: RecordOperator;
  /** State, or the text of an Error; empty: stay. */
  readonly target: string;
}

export interface RuleReader {
  read(text: string, line: number): Rule;
}

/** `$name`, `${name}`, `$$`; any other `$` is an error. */
const placeholder = /\$(?:(\$)|([_a-zA-Z][_a-zA-Z0-9]*)|\{([_a-zA-Z][_a-zA-Z0-9]*)\}|)/g;

export function createRuleReader(values: readonly ValueDefinition[]): RuleReader {
  const groups = new Map(values.map((value) => [value.name, value.group]));
  const names = new Set(groups.keys());
  const recordOperators = "(?P<record>Clear|Clearall|Record|NoRecord)";
  const target = String.raw`(?P<target>\w+|\".*\")`;
  const lineOperators = String.raw`(?P<line>Continue|Next|Error)(\.${recordOperators})?`;
  const actions = [
    String.raw`\s+${lineOperators}(\s+${target})?$`,
    String.raw`\s+${recordOperators}(\s+${target})?$`,
    String.raw`(\s+${target})?$`,
  ].map((source) => compilePython(source));
  const split = compilePython(String.raw`(?P<match>.*)(\s->(?P<action>.*))`);

  function substitute(match: string, line: number): string {
    if (groups.size === 0) return match;
    return match.replace(placeholder, (_, dollar?: string, named?: string, braced?: string) => {
      if (dollar !== undefined) return "$";
      const group = groups.get(named ?? braced ?? "");
      if (group === undefined) {
        throw new LineError(`Duplicate or invalid variable substitution: '${match}'. Line: ${line}.`);
      }
      return group;
    });
  }

  function compileRule(regex: string, line: number): PythonPattern {
    try {
      return compilePython(regex, {
        observe: (_, name) => name !== undefined && names.has(name),
        singleLine: true,
      });
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      throw new LineError(`Invalid regular expression: '${regex}'. Line: ${line}. (${error.message})`);
    }
  }

  return {
    read(text, line) {
      const rule = strip(text);
      // Most lines without an action hold no arrow at all.
      const parts = rule.includes("->") ? split.match(rule) : null;
      const match = parts?.group("match") ?? rule;
      const pattern = compileRule(substitute(match, line), line);
      if (parts === null)
        return { line, pattern, lineOperator: "Next", recordOperator: "NoRecord", target: "" };

      const action = parts.group("action") ?? "";
      const found = actions.map((form) => form.match(action)).find((answer) => answer !== null);
      if (found === undefined) throw new LineError(`Badly formatted rule '${rule}'. Line: ${line}.`);
      const named = found.groupdict();
      const operator = named.get("line") ?? "";
      const newState = named.get("target") ?? "";
      if (operator === "Continue" && newState !== "") {
        throw new LineError(`Action 'Continue' with new state ${newState} specified. Line: ${line}.`);
      }
      if (operator !== "Error" && newState.startsWith('"')) {
        throw new LineError(`Alphanumeric characters only in state names. Line: ${line}.`);
      }
      return {
        line,
        pattern,
        lineOperator: operator === "Continue" || operator === "Error" ? operator : "Next",
        recordOperator: readRecordOperator(named.get("record")),
        target: newState,
      };
    },
  };
}

function readRecordOperator(word: string | null | undefined): RecordOperator {
  return word === "Clear" || word === "Clearall" || word === "Record" ? word : "NoRecord";
}
