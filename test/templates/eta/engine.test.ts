/** The Eta engine: its arguments, and the position of errors in included templates. */
import { expect, test } from "vitest";
import createEngine from "../../../plugins/templates/eta/engine.ts";
import eta from "../../../plugins/templates/eta/plugin.ts";
import { templateContext } from "../../../scripts/testbed/template-context.ts";
import { silentLog } from "../../../src/base/log.ts";
import { defaultTemplateLimits } from "../../../src/plugin/template-engine.ts";

const defaults = { autoEscape: false, autoTrim: false, varName: "it" };

async function render(source: string, files: Record<string, string>): Promise<unknown> {
  const engine = createEngine({
    log: silentLog,
    settings: {},
    limits: defaultTemplateLimits,
    readTemplate: (name) => files[name],
    library: () => ({ installed: false, list: () => [], read: () => undefined }),
  });
  const template = await engine.compile(source, defaults);
  return template.run('{"name": "r1"}', templateContext);
}

test("unknown arguments are rejected", async () => {
  const check = async (args: object) => (await eta.args["~standard"].validate(args)).issues;
  expect(await check({ autoEscape: true, strict: true })).toBeUndefined();
  expect(await check({ autoescape: true })).toHaveLength(1);
  expect(await check({ templates: { a: "b" } })).toHaveLength(1);
});

test("an error in an included template names that template", async () => {
  const files = { "a.eta": "a\n<% include('b.eta') %>", "b.eta": "b\n\n<%= it.name" };
  expect(await render("<%~ include('c.eta', {x: 1}) %>", { "c.eta": "<%= it.name %> <%= it.x %>" })).toBe(
    "r1 1",
  );
  await expect(render("<%~ include('a.eta') %>", files)).rejects.toThrow(
    expect.objectContaining({ kind: "TemplateSyntax", at: { line: 3, template: "b.eta" } }),
  );
  await expect(render("x\n<%= it.name", {})).rejects.toThrow(
    expect.objectContaining({ kind: "TemplateSyntax", at: { line: 2 } }),
  );
});
