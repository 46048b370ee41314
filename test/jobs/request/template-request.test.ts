/** `parsing` and `rendering`: what is refused, and what an engine receives. */
import { describe, expect, test } from "vitest";
import json from "../../../plugins/templates/json/plugin.ts";
import type { TemplateUse } from "../../../src/api/jobs/template-use.ts";
import { checkUse, engineArgs, findEngine, settledUse } from "../../../src/jobs/request/template-request.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { plainRegistry } from "../../support/plugins.ts";
import { admin, bodyOf } from "../../support/requests.ts";
import { base, expectIssue, type IssueRow, issuesOf, useNode } from "../support.ts";

const node = useNode();

describe("a request with an invalid parser or renderer", () => {
  const rows: IssueRow[] = [
    [
      "unknown parser",
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
      "rendering with config lines",
      { ...base, config: "a", rendering: { name: "jinja2", template: "x" } },
      "config",
      /object/,
    ],
  ];
  test.each(rows)("is rejected with the field at fault: %s", async (_, request, path, message) => {
    await expectIssue(node(), request, path, message);
  });
});

describe("a template engine without templates", () => {
  const registry = createRegistry();
  registry.add(json, "builtin");
  const issues = (use: TemplateUse) => checkUse(registry, use, "parse");

  test("accepts its own field beside `args` or in them", async () => {
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

  test("rejects a template, an invalid path and unknown fields", async () => {
    expect(await issues({ name: "json", template: "x" })).toEqual([
      { path: "parsing.template", message: "does not apply to json, which has none: give path" },
    ]);
    for (const use of [{ path: "a..b" }, { path: 7 }, { args: { paht: "a" } }])
      expect(await issues({ name: "json", ...use })).toMatchObject([
        { path: expect.stringMatching(/^parsing\.args\.pa/) },
      ]);
  });
});

test("a file name given as an inline template is reported", async () => {
  for (const template of ["cisco_ios_show_version.textfsm", "./a/b", "/etc/templates/x", " x.template "]) {
    const [issue] = await issuesOf(node(), { ...base, command: "x", parsing: { name: "textfsm", template } });
    expect(issue).toMatchObject({ path: "parsing.template", message: expect.stringContaining("file://") });
    const body = bodyOf({ name: "textfsm", template, context: "" });
    await expect(
      node().jobs.parse(body, undefined, admin, new AbortController().signal),
    ).rejects.toMatchObject({ kind: "BadRequest", message: expect.stringContaining("file://") });
  }
});

describe("the arguments of a template engine", () => {
  const plugins = plainRegistry();
  const textfsm = findEngine(plugins, "textfsm", "parse");
  if (!textfsm) throw new Error("no textfsm");

  test("are `args` and the fields beside them", () => {
    const fields = { args: { a: 1 }, strict: true, templates: { part: "x" }, other: 2 };
    expect(engineArgs(textfsm, fields)).toEqual({ a: 1, strict: true, templates: { part: "x" } });
  });

  test("include those of the template set only if the set is used", () => {
    const fields = { ntc_template_args: { device_type: "cisco_ios" } };
    expect(engineArgs(textfsm, { args: { a: null, b: 1 } })).toEqual({ b: 1 });
    expect(engineArgs(textfsm, fields)).toEqual({});
    expect(engineArgs(textfsm, { ...fields, use_ntc_template: true })).toEqual({ device_type: "cisco_ios" });
  });

  test("include the platform unless the request sets it", () => {
    expect(settledUse(plugins, { name: "textfsm" }, "parse")).toEqual({
      use: { name: "textfsm", args: {} },
      setField: "device_type",
    });
    const explicit = { name: "textfsm", args: { device_type: "cisco_xr" } };
    expect(settledUse(plugins, explicit, "parse")).toEqual({ use: explicit });
    const inline = { name: "textfsm", template: "Value X (.*)" };
    expect(settledUse(plugins, inline, "parse")).toEqual({ use: { ...inline, args: {} } });
  });
});
