/** Runs a template over a text: states, rules, records. */
import { TemplateError, type TemplateLimits } from "../../../src/plugin/template.ts";
import { type Matcher, tierOf } from "../python/regex/matcher.ts";
import { type Cell, type Column, createColumn, NotAText } from "./column.ts";
import { createDispatch, type Dispatch } from "./dispatch.ts";
import type { Rule } from "./rule.ts";
import type { TextFsmTemplate } from "./template.ts";
import { splitLines } from "./text.ts";

export interface TextFsmMachine {
  readonly header: readonly string[];
  /** @param atEnd whether the end of the text records what is left, as it does by default. */
  run(text: string, atEnd: boolean): Cell[][];
}

/** A rule made ready: which group of its expression goes to which value. */
interface ReadyRule extends Rule {
  readonly state: string;
  readonly matcher: Matcher;
  readonly assigns: readonly { readonly column: number; readonly place: number }[];
}

export function createTextFsm(template: TextFsmTemplate, limits: TemplateLimits): TextFsmMachine {
  const header = template.values.map((value) => value.name);
  const states = new Map<string, Dispatch<ReadyRule>>();
  for (const [state, rules] of template.states) {
    let ready: ReadyRule[] | undefined;
    let dispatch: Dispatch<ReadyRule> | undefined;
    // A state that no text reaches costs nothing more than reading it.
    states.set(state, (line) => {
      ready ??= rules.map((rule) => readyRule(rule, state, header));
      dispatch ??= createDispatch(ready, (rule) => rule.matcher.prefix());
      return dispatch(line);
    });
  }

  return {
    header,
    run(text, atEnd) {
      const columns = template.values.map(createColumn);
      const rows: Cell[][] = [];
      const record = createRecorder(columns, rows, limits);
      const lines = splitLines(text);
      const tier = tierOf(text);
      let state = "Start";
      let dispatch = states.get(state);
      let steps = 0;

      for (const line of lines) {
        const rules = dispatch?.(line) ?? [];
        steps += rules.length + 1;
        if (steps > limits.steps) {
          throw new TemplateError("TemplateLimit", `more than ${limits.steps} rules tried`, { state });
        }
        for (const rule of rules) {
          const groups = rule.matcher.matchStart(line, tier);
          if (groups === undefined) continue;
          for (const { column, place } of rule.assigns) {
            assign(columns[column], groups[place] ?? null, column, rows, rule, line);
          }
          if (rule.recordOperator === "Record") record();
          else if (rule.recordOperator === "Clear") for (const column of columns) column.clear();
          else if (rule.recordOperator === "Clearall") for (const column of columns) column.clearAll();
          if (rule.lineOperator === "Error") throw stateError(rule, line);
          if (rule.lineOperator === "Continue") continue;
          if (rule.target !== "") {
            state = rule.target;
            dispatch = states.get(state) ?? dispatch;
          }
          break;
        }
        if (state === "End" || state === "EOF") break;
      }
      if (atEnd && state !== "End" && !template.states.has("EOF")) record();
      return rows;
    },
  };
}

function readyRule(rule: Rule, state: string, header: readonly string[]): ReadyRule {
  const { matcher, groupIndex } = rule.pattern;
  const assigns = [...groupIndex].flatMap(([name, group]) => {
    const column = header.indexOf(name);
    return column < 0 ? [] : [{ column, place: matcher.places[group] ?? 0 }];
  });
  return { ...rule, state, matcher, assigns };
}

function assign(
  column: Column | undefined,
  text: string | null,
  index: number,
  rows: Cell[][],
  rule: ReadyRule,
  line: string,
): void {
  try {
    column?.assign(text, index, rows);
  } catch (error) {
    if (!(error instanceof NotAText)) throw error;
    throw runtimeError(`${error.message}. Rule Line: ${rule.line}. Input Line: ${line}.`, rule);
  }
}

function stateError(rule: ReadyRule, line: string): TemplateError {
  const reason =
    rule.target === ""
      ? `State Error raised. Rule Line: ${rule.line}. Input Line: ${line}`
      : `Error: ${rule.target}. Rule Line: ${rule.line}. Input Line: ${line}.`;
  return runtimeError(reason, rule);
}

const runtimeError = (reason: string, { line, state }: ReadyRule) =>
  new TemplateError("TemplateRuntime", `${reason} (state ${state})`, { line, state });

/** Adds what the columns hold as a record, if it is one. */
function createRecorder(columns: readonly Column[], rows: Cell[][], limits: TemplateLimits): () => void {
  let chars = 0;
  let items = 0;

  function count(cell: Cell): void {
    if (typeof cell === "string") chars += cell.length;
    else if (cell !== null) items += cell.length;
    if (items > limits.listItems) {
      throw new TemplateError("TemplateLimit", `more than ${limits.listItems} items in lists`);
    }
    if (chars > limits.outputChars) {
      throw new TemplateError("TemplateLimit", `more than ${limits.outputChars} characters of records`);
    }
  }

  return () => {
    if (columns.length === 0) return;
    const cells: Cell[] = [];
    let filled = false;
    let saved = true;
    for (const column of columns) {
      if (!column.save()) {
        saved = false;
        break;
      }
      const { value } = column;
      // Only null and the empty list say nothing; an empty text is something.
      if (value !== null && (typeof value === "string" || value.length > 0)) filled = true;
      cells.push(value ?? "");
    }
    if (saved && !filled) return;
    if (saved) {
      for (const cell of cells) count(cell);
      if (rows.length >= limits.listItems) {
        throw new TemplateError("TemplateLimit", `more than ${limits.listItems} records`);
      }
      rows.push(cells);
    }
    for (const column of columns) column.clear();
  };
}
