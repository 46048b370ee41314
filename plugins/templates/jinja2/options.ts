/** The settings that follow from the options of a template, and from its first line. */

import * as v from "valibot";
import { TemplateError } from "../python/index.ts";
import { type Args, argsSchema } from "./args.ts";

export type Options = Readonly<ReturnType<typeof optionsOf>>;

export function optionsOf(args: Args) {
  const { extensions } = args;
  const extendedBy = (name: "do" | "loopcontrols"): boolean =>
    extensions === undefined || extensions.includes(name) || extensions.includes(`jinja2.ext.${name}`);
  return {
    blockStart: args.block_start_string ?? "{%",
    blockEnd: args.block_end_string ?? "%}",
    variableStart: args.variable_start_string ?? "{{",
    variableEnd: args.variable_end_string ?? "}}",
    commentStart: args.comment_start_string ?? "{#",
    commentEnd: args.comment_end_string ?? "#}",
    lineStatementPrefix: args.line_statement_prefix ?? undefined,
    lineCommentPrefix: args.line_comment_prefix ?? undefined,
    trimBlocks: args.trim_blocks ?? args.ansible ?? false,
    lstripBlocks: args.lstrip_blocks ?? false,
    newline: args.newline_sequence ?? "\n",
    keepTrailingNewline: args.keep_trailing_newline ?? false,
    autoescape: args.autoescape ?? false,
    undefined: undefinedOf(args),
    ansible: args.ansible ?? false,
    /** A list or dict with an undefined value in it is not printed. */
    wholeOnly: args.ansible === true || args.strict === true,
    doTag: extendedBy("do"),
    loopControls: extendedBy("loopcontrols"),
  };
}

/** Ansible's strict undefined is its own: the members of what is undefined are undefined. */
function undefinedOf({ ansible, strict, undefined: asked }: Args): NonNullable<Args["undefined"]> {
  if (ansible === true)
    return asked === undefined || asked === "StrictUndefined" ? "AnsibleUndefined" : asked;
  return asked ?? (strict === true ? "StrictUndefined" : "Undefined");
}

const headerStart = "#jinja2:";
const textNames = [
  ...(["block_start_string", "block_end_string", "variable_start_string", "variable_end_string"] as const),
  ...(["comment_start_string", "comment_end_string", "line_statement_prefix"] as const),
  ...(["line_comment_prefix", "newline_sequence"] as const),
] as const;
const flagNames = ["trim_blocks", "lstrip_blocks", "keep_trailing_newline", "autoescape"] as const;
const headerEntries = v.partial(v.pick(argsSchema, [...textNames, ...flagNames]));
const isFlag = (name: string): boolean => flagNames.some((flag) => flag === name);

const words = new Map<unknown, boolean>([
  ...["true", "t", "yes", "y", "on", "1", 1].map((word): [unknown, boolean] => [word, true]),
  ...["false", "f", "no", "n", "off", "0", 0].map((word): [unknown, boolean] => [word, false]),
]);

/** A boolean, also as a number or word; any other value unchanged. */
const flagOf = (value: unknown): unknown =>
  words.get(typeof value === "string" ? value.toLowerCase() : value) ?? value;

/**
 * The options in the first line of an Ansible template, as `#jinja2: lstrip_blocks: True, trim_blocks: False`, and the
 * rest of the template.
 * @throws TemplateError if the line cannot be read.
 */
export function withHeader(source: string, asked: Args): Headed {
  // Only a header can say that included templates keep their last newline; the main one ends as its source anyway.
  const args = asked.ansible === true ? { ...asked, keep_trailing_newline: false } : asked;
  if (args.ansible !== true || !source.startsWith(headerStart)) return { source, args, warnings: [] };
  const end = source.indexOf("\n");
  const line = source.slice(headerStart.length, end < 0 ? undefined : end);
  const given: Record<string, unknown> = {};
  const warnings: string[] = [];
  for (const pair of line.split(",")) {
    const at = pair.indexOf(":");
    if (at < 0) throw headerError(`"${pair.trim()}" has no colon between name and value`);
    const name = pair.slice(0, at).trim();
    const value = headerValue(pair.slice(at + 1).trim());
    if (Object.hasOwn(headerEntries.entries, name)) given[name] = isFlag(name) ? flagOf(value) : value;
    else
      warnings.push(
        `the line ${headerStart} sets ${name.slice(0, 64)}, which is no option of templates: it is ignored`,
      );
  }
  const read = v.safeParse(headerEntries, given);
  if (!read.success) throw headerError(`${String(read.issues[0].path?.[0]?.key)}: ${read.issues[0].message}`);
  return { source: end < 0 ? "" : source.slice(end + 1), args: { ...args, ...read.output }, warnings };
}

interface Headed {
  readonly source: string;
  readonly args: Args;
  readonly warnings: readonly string[];
}

/** True, False, None, a number or a quoted text, as Python writes them. */
function headerValue(text: string): unknown {
  const literal = { True: true, False: false, None: null }[text];
  if (literal !== undefined) return literal;
  const quoted = /^(?:u|b)?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')$/s.exec(text);
  if (quoted)
    return (quoted[1] ?? quoted[2] ?? "").replace(/\\(n|r|t|.)/gs, (_, letter: string) =>
      letter === "n" ? "\n" : letter === "r" ? "\r" : letter === "t" ? "\t" : letter,
    );
  if (/^\d+$/.test(text)) return Number(text);
  throw headerError(`${text} is not a Python literal: write True, False or a quoted text`);
}

function headerError(message: string): TemplateError {
  return new TemplateError("TemplateSyntax", `the line #jinja2: at the start of the template: ${message}`, {
    line: 1,
    column: 1,
  });
}
