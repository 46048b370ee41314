/** The options of a template, under the names of Jinja2's Environment and our own. */
import * as v from "valibot";

/** Our names, and Jinja2's own. */
const extensionNames = ["do", "loopcontrols", "jinja2.ext.do", "jinja2.ext.loopcontrols"] as const;
const delimiter = v.pipe(v.string(), v.minLength(1), v.maxLength(64));

type Flag = v.BooleanSchema<string | undefined>;

/** @param flag the schema of a boolean: a service may accept texts as well. */
export const argsOf = (flag: Flag) =>
  v.strictObject({
    block_start_string: v.optional(delimiter),
    block_end_string: v.optional(delimiter),
    variable_start_string: v.optional(delimiter),
    variable_end_string: v.optional(delimiter),
    comment_start_string: v.optional(delimiter),
    comment_end_string: v.optional(delimiter),
    line_statement_prefix: v.optional(v.nullable(delimiter)),
    line_comment_prefix: v.optional(v.nullable(delimiter)),
    trim_blocks: v.optional(flag),
    lstrip_blocks: v.optional(flag),
    newline_sequence: v.optional(v.picklist(["\n", "\r\n", "\r"])),
    keep_trailing_newline: v.optional(flag),
    autoescape: v.optional(flag),
    undefined: v.optional(
      v.picklist([
        "Undefined",
        "StrictUndefined",
        "ChainableUndefined",
        "DebugUndefined",
        "AnsibleUndefined",
      ]),
    ),
    /**
     * As Ansible's module `template`: `trim_blocks`, `AnsibleUndefined` (also for `StrictUndefined`), newlines at the end
     * as in the source (an included template loses its last one, also with `keep_trailing_newline`), options in a first
     * line `#jinja2: …`; lists instead of generators and views, Ansible's `unique`, None prints nothing.
     */
    ansible: v.optional(flag),
    /** Undefined values are errors (`StrictUndefined`, unless `undefined` says otherwise), and so are warnings. */
    strict: v.optional(flag),
    /** Default: `do` and `loopcontrols`. */
    extensions: v.optional(v.array(v.picklist(extensionNames))),
    /** Templates for include, import and extends, by name. */
    templates: v.optional(v.record(v.string(), v.string())),
    /** Name of the main template; it may include or extend others of `templates`. */
    name: v.optional(v.nullable(v.string())),
    /** Variables visible in every template, including imported ones. */
    globals: v.optional(v.record(v.string(), v.unknown())),
  });

export const argsSchema = argsOf(v.boolean());
export type Args = v.InferOutput<typeof argsSchema>;
