/** Runs a template over text: states, rules, records. */
import {
  END,
  Matcher,
  OTHER,
  type Prefix,
  splitLines,
  TemplateError,
  type TemplateLimits,
  tierOf,
} from "../python/text.ts";
import { type Cell, Column, NotAText } from "./column.ts";
import { neededText } from "./needed-text.ts";
import type { Action, Rule } from "./rule.ts";
import type { TextFsmTemplate } from "./template.ts";

export interface TextFsmMachine {
  readonly header: readonly string[];
  /** @param atEnd whether the end of text records the remaining row, the default. */
  run(text: string, atEnd: boolean): Cell[][];
}

export function createTextFsm(template: TextFsmTemplate, limits: TemplateLimits): TextFsmMachine {
  const header = template.values.map((value) => value.name);
  const columnOf = new Map(header.map((name, column) => [name, column]));
  const states = new Map<string, Dispatch<ReadyRule>>();
  for (const [state, rules] of template.states) {
    let ready: ReadyRule[] | undefined;
    let dispatch: Dispatch<ReadyRule> | undefined;
    // Compiled on first use: an unreached state costs only its parsing.
    states.set(state, (line) => {
      ready ??= rules.map((rule) => new ReadyRule(rule, state, columnOf));
      dispatch ??= createDispatch(ready, (rule) => rule.matcher.prefix);
      return dispatch(line);
    });
  }

  return {
    header,
    run(text, atEnd) {
      const columns = template.values.map((value) => new Column(value));
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
        const began = performance.now();
        for (const rule of rules) {
          const { needs } = rule;
          if (needs !== undefined && !line.includes(needs)) continue;
          const groups = rule.matcher.matchStart(line, tier, began);
          if (groups === undefined) continue;
          for (const { column, place } of rule.assigns) {
            assign(columns[column], groups[place] ?? null, column, rows, rule, line);
          }
          const { lineOperator, recordOperator, target } = rule.action;
          if (recordOperator === "Record") record();
          else if (recordOperator === "Clear") for (const column of columns) column.clear();
          else if (recordOperator === "Clearall") for (const column of columns) column.clearAll();
          if (lineOperator === "Error") throw stateError(rule, line);
          if (lineOperator === "Continue") continue;
          if (target !== "") {
            state = target;
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
  const { target } = rule.action;
  const reason =
    target === ""
      ? `State Error raised. Rule Line: ${rule.line}. Input Line: ${line}`
      : `Error: ${target}. Rule Line: ${rule.line}. Input Line: ${line}.`;
  return runtimeError(reason, rule);
}

const runtimeError = (reason: string, { line, state }: ReadyRule) =>
  new TemplateError("TemplateRuntime", `${reason} (state ${state})`, { line, state });

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
      // Only null and the empty list count as empty; the empty string does not.
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

/** Classes of a line's first character: ASCII, other, or empty line. */
const CLASSES = 130;

/** Returns the candidate rules of a line; lists are built on demand. */
type Dispatch<R> = (line: string) => readonly R[];

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
const classOf = (code: number) => (code < 128 ? code : OTHER);

function createDispatch<R>(rules: readonly R[], prefixOf: (rule: R) => Prefix): Dispatch<R> {
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

/** A compiled rule: its matcher, and the mapping of groups to values. */
interface Assignment {
  readonly column: number;
  /** Index of the group in the matcher's result. */
  readonly place: number;
}

/** A class with lazy fields: a rule that never matches does not build them. */
class ReadyRule {
  readonly line: number;
  readonly action: Action;
  readonly matcher: Matcher;
  /** Lines without this text cannot match. */
  readonly needs: string | undefined;
  private cachedAssignments: readonly Assignment[] | undefined;

  constructor(
    private readonly rule: Rule,
    readonly state: string,
    private readonly columnOf: ReadonlyMap<string, number>,
  ) {
    this.line = rule.line;
    this.action = rule.action;
    this.needs = neededText(rule.pattern.root);
    this.matcher = new Matcher(rule.pattern, {
      observe: (_, name) => name !== undefined && columnOf.has(name),
      singleLine: true,
    });
  }

  get assigns(): readonly Assignment[] {
    if (this.cachedAssignments === undefined) {
      const assignments: Assignment[] = [];
      for (const [name, group] of this.rule.pattern.groupIndex) {
        const column = this.columnOf.get(name);
        if (column !== undefined) assignments.push({ column, place: this.matcher.places[group] ?? 0 });
      }
      this.cachedAssignments = assignments;
    }
    return this.cachedAssignments;
  }
}
