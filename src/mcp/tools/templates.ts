/** Tools that render and parse texts, without a device. */
import * as v from "valibot";
import { described } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import { cutText } from "../marking.ts";
import { most, reads, requireInline, tool, untrustedWord } from "../tool.ts";

const mostText = 100_000;
const engine = v.optional(described(v.pipe(v.string(), v.maxLength(64)), "Name of the engine"));
const cut = { cut_from: v.exactOptional(v.number()) };

export const render = tool({
  name: "render",
  title: "Render a template",
  description: "Renders the text of a Jinja2 template with variables. Nothing is sent to a device.",
  annotations: reads,
  input: v.strictObject({
    template: v.pipe(v.string(), v.minLength(1), v.maxLength(mostText)),
    variables: v.optional(v.record(v.string(), v.unknown()), {}),
    engine,
  }),
  output: v.object({
    warnings: v.array(v.string()),
    untrusted: described(v.object({ text: v.string(), ...cut }), untrustedWord),
  }),
  async run({ template, variables, engine }, { acting, signal }, { jobs }) {
    requireInline(template);
    const value = { template, context: variables };
    const body = { text: JSON.stringify(value), value };
    const { text, warnings = [] } = await jobs.render(body, engine, acting, signal);
    return { warnings, untrusted: cutText(text, most.output) };
  },
});

export const parse = tool({
  name: "parse",
  title: "Parse a text",
  description:
    "Parses the output of a command into records: with the text of a TextFSM or TTP template, or with the built-in template of a platform and command.",
  annotations: reads,
  input: v.strictObject({
    text: v.pipe(v.string(), v.maxLength(mostText)),
    template: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(mostText))),
    engine,
    platform: v.optional(v.pipe(v.string(), v.maxLength(200))),
    command: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
  }),
  output: v.object({
    warnings: v.array(v.string()),
    untrusted: described(
      v.object({ records: v.nullable(v.unknown()), text: v.exactOptional(v.string()), ...cut }),
      untrustedWord,
    ),
  }),
  async run({ text, template, engine, platform, command }, { acting, signal }, { jobs }) {
    requireInline(template);
    const ofSet = platform !== undefined && command !== undefined;
    if ((template === undefined) !== ofSet)
      throw new ServiceError("BadRequest", "Give a template, or a platform and a command.");
    const value = {
      context: text,
      ...(ofSet ? { use_ntc_template: true, ntc_template_args: { platform, command } } : { template }),
    };
    const body = { text: JSON.stringify(value), value };
    const { json, warnings = [] } = await jobs.parse(body, engine, acting, signal);
    if (json.length <= mostText) return { warnings, untrusted: { records: JSON.parse(json) } };
    return { warnings, untrusted: { records: null, ...cutText(json, most.output) } };
  },
});
