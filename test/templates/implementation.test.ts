/** The engines as plugins: what a service gets of their errors, warnings and sets. */
import { expect, test } from "vitest";
import jinja2 from "../../plugins/templates/jinja2/plugin.ts";
import json from "../../plugins/templates/json/plugin.ts";
import * as engines from "../../plugins/templates/python/text.ts";
import textfsm from "../../plugins/templates/textfsm/plugin.ts";
import ttp from "../../plugins/templates/ttp/plugin.ts";
import { templateContext } from "../../scripts/testbed/template-context.ts";
import { silentLog } from "../../src/base/log.ts";
import {
  defaultTemplateLimits,
  type TemplateEnginePlugin,
  TemplateError,
} from "../../src/plugin/template-engine.ts";

const kit = { ...engines.hostOf({}), log: silentLog, settings: {}, limits: defaultTemplateLimits };

async function compile(plugin: TemplateEnginePlugin, source: string) {
  const { default: make } = await plugin.load();
  const args = await plugin.args["~standard"].validate({});
  if (args.issues !== undefined) throw new Error("the arguments are refused");
  return make(kit).compile(source, args.value);
}

test("an engine has the limits of the service by itself too", () => {
  expect(engines.defaultTemplateLimits).toEqual(defaultTemplateLimits);
});

test.each([
  ["jinja2", jinja2, "a\n{% if %}", "TemplateSyntax", { line: 2 }],
  ["textfsm", textfsm, "Value A (\\w+\n\nStart\n", "TemplateSyntax", { line: 1 }],
  ["ttp", ttp, "<group><", "TemplateSyntax", {}],
] as const)(
  "an error in a template is one of the plugin API: %s",
  async (_name, plugin, source, kind, at) => {
    const error = await compile(plugin, source).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TemplateError);
    expect(error).toMatchObject({ kind, at });
  },
);

test("so is an error of a run", async () => {
  const render = await compile(jinja2, "{{ 1 / 0 }}");
  expect(() => render.run("{}", templateContext)).toThrow(TemplateError);
  const parse = await compile(json, "");
  expect(() => parse.runJson?.("{", templateContext)).toThrow(TemplateError);
});

test("and that of a set that is not one", async () => {
  for (const { set } of [textfsm, ttp]) {
    const installer = await set?.install();
    expect(() => installer?.chooseSetFiles(["README.md"])).toThrow(TemplateError);
  }
});

test("the name of a file is no template, and a likely mistake where it may be one", async () => {
  const hint = "looks like the name of a file";
  await expect(compile(textfsm, "cisco_ios_show_version.textfsm")).rejects.toThrow(hint);
  for (const [plugin, name] of [
    [jinja2, "base.j2"],
    [ttp, "show_version.ttp"],
  ] as const) {
    const { warnings } = await compile(plugin, name);
    expect(warnings).toEqual(expect.arrayContaining([expect.stringContaining(`'${name}' ${hint}`)]));
  }
});
