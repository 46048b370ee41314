/** `parsing` and `rendering`: what is refused, and what an engine receives. */
import { describe, expect, test } from "vitest";
import json from "../../plugins/templates/json/plugin.ts";
import { checkUse, engineArgs, findEngine, settledUse } from "../../src/jobs/template-request.ts";
import type { TemplateUse } from "../../src/model/template-use.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { plainRegistry } from "../support/plugins.ts";
import { admin, bodyOf } from "../support/requests.ts";
import { base, expectIssue, type IssueRow, issuesOf, useNode } from "./support.ts";

const node = useNode();

describe("refused, with the field that is at fault", () => {
  const rows: IssueRow[] = [
    [
      "parser",
      { ...base, command: "x", parsing: { name: "textfms", template: "x" } },
      "parsing.name",
      /Did you mean textfsm/,
    ],
    [
      "renderer as parser",
      { ...base, command: "x", parsing: { name: "jinja2", template: "x" } },
      "parsing.name",
      /no engine/,
    ],
    ["context without rendering", { ...base, config: { a: 1 } }, "config", /rendering/],
    [
      "rendering of text",
      { ...base, config: "a", rendering: { name: "jinja2", template: "x" } },
      "config",
      /object/,
    ],
  ];
  test.each(rows)("%s", async (_, request, path, message) => {
    await expectIssue(node(), request, path, message);
  });
});

describe("an engine without templates", () => {
  const registry = createRegistry();
  registry.add(json, "builtin");
  const issues = (use: TemplateUse) => checkUse(registry, use, "parse");

  test("takes its own field beside `args`, or in them, and nothing of a set", async () => {
    for (const use of [
      { name: "json", path: "a.b" },
      { name: "json", args: { path: "a.b" } },
      { name: "json", template: "", path: "a.b" },
    ]) {
      expect(await issues(use)).toEqual([]);
      expect(settledUse(registry, use, "parse")).toEqual({
        use: { name: "json", args: { path: "a.b" } },
        argsOnly: true,
      });
    }
    expect(await issues({ name: "json", path: null })).toEqual([]);
  });

  test("refuses a template, a path that is none, and what it does not know", async () => {
    expect(await issues({ name: "json", template: "x" })).toEqual([
      { path: "parsing.template", message: "does not apply to json, which has none: give path" },
    ]);
    for (const use of [{ path: "a..b" }, { path: 7 }, { args: { paht: "a" } }])
      expect(await issues({ name: "json", ...use })).toMatchObject([
        { path: expect.stringMatching(/^parsing\.args\.pa/) },
      ]);
  });
});

test("the name of a file in place of a template is told", async () => {
  for (const template of ["cisco_ios_show_version.textfsm", "./a/b", "/etc/templates/x", " x.template "]) {
    const [issue] = await issuesOf(node(), { ...base, command: "x", parsing: { name: "textfsm", template } });
    expect(issue).toMatchObject({ path: "parsing.template", message: expect.stringContaining("file://") });
    const body = bodyOf({ name: "textfsm", template, context: "" });
    await expect(
      node().jobs.parse(body, undefined, admin, new AbortController().signal),
    ).rejects.toMatchObject({ kind: "BadRequest", message: expect.stringContaining("file://") });
  }
});

describe("what an engine gets", () => {
  const plugins = plainRegistry();
  const textfsm = findEngine(plugins, "textfsm", "parse");
  if (!textfsm) throw new Error("no textfsm");

  test("is `args`, and what stands beside them", () => {
    const fields = { args: { a: 1 }, strict: true, templates: { part: "x" }, other: 2 };
    expect(engineArgs(textfsm, fields)).toEqual({ a: 1, strict: true, templates: { part: "x" } });
  });

  test("holds the arguments of its set only where the set is asked for", () => {
    const fields = { ntc_template_args: { device_type: "cisco_ios" } };
    expect(engineArgs(textfsm, { args: { a: null, b: 1 } })).toEqual({ b: 1 });
    expect(engineArgs(textfsm, fields)).toEqual({});
    expect(engineArgs(textfsm, { ...fields, use_ntc_template: true })).toEqual({ device_type: "cisco_ios" });
  });

  test("is told the platform by the set's own field, unless the request tells it", () => {
    expect(settledUse(plugins, { name: "textfsm" }, "parse")).toEqual({
      use: { name: "textfsm", args: {} },
      setField: "device_type",
    });
    const told = { name: "textfsm", args: { device_type: "cisco_xr" } };
    expect(settledUse(plugins, told, "parse")).toEqual({ use: told });
    const inline = { name: "textfsm", template: "Value X (.*)" };
    expect(settledUse(plugins, inline, "parse")).toEqual({ use: { ...inline, args: {} } });
  });
});
