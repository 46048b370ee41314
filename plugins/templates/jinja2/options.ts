/** The `args` of a render request, and the settings derived from them. */
import { laxBoolean } from "patchbay/plugin";
import * as v from "valibot";

/** Our names, and Jinja2's own. */
const extensionNames = ["do", "loopcontrols", "jinja2.ext.do", "jinja2.ext.loopcontrols"] as const;
const delimiter = v.pipe(v.string(), v.minLength(1), v.maxLength(64));

export const argsSchema = v.strictObject({
  block_start_string: v.optional(delimiter),
  block_end_string: v.optional(delimiter),
  variable_start_string: v.optional(delimiter),
  variable_end_string: v.optional(delimiter),
  comment_start_string: v.optional(delimiter),
  comment_end_string: v.optional(delimiter),
  line_statement_prefix: v.optional(v.nullable(delimiter)),
  line_comment_prefix: v.optional(v.nullable(delimiter)),
  trim_blocks: v.optional(laxBoolean()),
  lstrip_blocks: v.optional(laxBoolean()),
  newline_sequence: v.optional(v.picklist(["\n", "\r\n", "\r"])),
  keep_trailing_newline: v.optional(laxBoolean()),
  autoescape: v.optional(laxBoolean()),
  undefined: v.optional(v.picklist(["Undefined", "StrictUndefined", "ChainableUndefined", "DebugUndefined"])),
  /** As in Ansible: filters return lists instead of generators, Ansible's `unique`, None prints nothing. */
  ansible: v.optional(laxBoolean()),
  /** Undefined values are errors (`StrictUndefined`, unless `undefined` says otherwise), and so are warnings. */
  strict: v.optional(laxBoolean()),
  /** Default: `do` and `loopcontrols`. */
  extensions: v.optional(v.array(v.picklist(extensionNames))),
  /** Templates for include, import and extends, by name. */
  templates: v.optional(v.record(v.string(), v.string())),
  /** Name of the main template; it may include or extend others of `templates`. */
  name: v.optional(v.nullable(v.string())),
  /** Variables visible in every template, including imported ones. */
  globals: v.optional(v.record(v.string(), v.unknown())),
});

export type Args = v.InferOutput<typeof argsSchema>;

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
    trimBlocks: args.trim_blocks ?? false,
    lstripBlocks: args.lstrip_blocks ?? false,
    newline: args.newline_sequence ?? "\n",
    keepTrailingNewline: args.keep_trailing_newline ?? false,
    autoescape: args.autoescape ?? false,
    undefined: args.undefined ?? (args.strict === true ? "StrictUndefined" : "Undefined"),
    ansible: args.ansible ?? false,
    doTag: extendedBy("do"),
    loopControls: extendedBy("loopcontrols"),
  };
}
