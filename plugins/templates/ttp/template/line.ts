/** Converts a template line to a Python regular expression. */
import { escapePython, type PyDict, stripEnd, stripStart, TemplateError } from "../../python/index.ts";
import { bracesOf } from "./braces.ts";
import { patterns, WORD } from "./patterns.ts";
import type { Variable } from "./variable.ts";

const LINE_END = "[\\t ]*(?=\\n|\\r\\n)";
const BLANKS = "[ \\t]+";

/** The regex of a whole line, with the variables still in braces. */
export function lineRegex(line: string): string {
  const body = stripStart(line);
  const indent = line.slice(0, line.length - body.length);
  let regex = "";
  let last = 0;
  for (const { start, end } of bracesOf(body)) {
    regex += literal(body.slice(last, start), line) + body.slice(start, end);
    last = end;
  }
  return `\\n${indent}${regex}${literal(body.slice(last), line)}${LINE_END}`;
}

/** Unless the line says otherwise, runs of spaces match any run, and runs of digits any number. */
function literal(text: string, line: string): string {
  let escaped = escapePython(text);
  if (!line.includes("_exact_space_")) escaped = escaped.replace(/(?:\\ |\\\t)+/g, () => BLANKS);
  // As in TTP, `_exact_space_` contains `_exact_`, so it keeps digits too.
  if (!line.includes("_exact_")) escaped = escaped.replace(/\p{Nd}+/gu, () => "\\d+");
  return escaped;
}

/** Replaces a variable's braces with its pattern. */
export function withVariable(regex: string, variable: Variable, line: string, vars: PyDict): string {
  const braces = `{{${variable.source}}}`;
  let result = regex;
  if (variable.group === "ignore") result = withIgnored(result, braces, variable, vars);
  else if (variable.group === "_start_" || variable.group === "_end_") result = cutAt(result, braces);
  else if (variable.group === "_headers_") result = headersRegex(line, braces, variable).regex;
  for (const call of variable.functions) if (call.name === "set") result = cutAt(result, braces);
  if (variable.group === "ignore") return result;
  const patterns = variable.patterns.length === 0 ? [WORD] : variable.patterns;
  return replaceOnce(result, braces, `(?P<${variable.group}>(?:${patterns.join(")|(?:")}))`);
}

function replaceOnce(text: string, old: string, by: string): string {
  const at = text.indexOf(old);
  return at < 0 ? text : text.slice(0, at) + by + text.slice(at + old.length);
}

function withIgnored(regex: string, braces: string, { head }: Variable, vars: PyDict): string {
  const [pattern] = head.args;
  if (head.args.length > 1) return regex;
  if (pattern === undefined) return replaceOnce(regex, braces, WORD);
  const fromVars = vars.get(pattern);
  const ignored =
    typeof fromVars === "string" && fromVars !== ""
      ? fromVars
      : typeof pattern === "string"
        ? (patterns.get(pattern) ?? pattern)
        : undefined;
  if (ignored === undefined) throw new TemplateError("TemplateSyntax", "the pattern of ignore is not a text");
  return replaceOnce(regex, braces, `(?:${ignored})`);
}

/** Text after an indicator is ignored. */
function cutAt(regex: string, braces: string): string {
  const at = regex.indexOf(braces);
  if (at <= 0) return regex;
  const before = regex.slice(0, at);
  return (before.endsWith(BLANKS) ? before.slice(0, -BLANKS.length) : before) + LINE_END;
}

export interface Headers {
  readonly regex: string;
  readonly names: readonly string[];
}

/** Columns by header width: fixed ones, one that may be shorter, optional ones, the rest of the line. */
export function headersRegex(line: string, braces: string, variable: Variable): Headers {
  const at = line.indexOf(braces);
  const title = stripEnd(at < 0 ? line.slice(0, -1) : line.slice(0, at));
  const headers = title.match(/\S+\s+|\S+/g) ?? [];
  const wide = title.replaceAll("\t", "    ");
  const [first = ""] = headers;
  headers[0] = " ".repeat(wide.length - stripStart(wide).length) + first;
  let columns = headers.length - 2;
  for (const call of variable.calls) {
    if (call.name !== "columns") continue;
    const requested = Math.trunc(Number(call.args[0]));
    if (!Number.isFinite(requested)) throw new TemplateError("TemplateSyntax", "columns needs a number");
    columns = Math.min(Math.max(1, requested), headers.length);
  }
  // As in Python, a slice with a negative end drops that many headers.
  const at1 = columns - 1;
  const short = headers.at(at1);
  if (short === undefined) throw new TemplateError("TemplateSyntax", "_headers_ needs at least two headers");
  const group = (header: string, width: string) => `(?P<${header.trim()}>.${width})`;
  const row = headers.slice(0, at1).map((header) => group(header, `{${header.length}}`));
  row.push(group(short, `{1,${short.length}}`));
  for (const header of headers.slice(columns)) row.push(group(header, `{0,${header.length}}`));
  const rest = headers.at(-1) ?? "";
  row[row.length - 1] = group(rest, columns >= headers.length ? "{1,}" : "*");
  return { regex: `\\n${row.join("")}(?=\\n|\\r\\n)`, names: headers.map((header) => header.trim()) };
}
