/** Direct render and parse requests: selection of engine and template. */
import { expect, test } from "vitest";
import { admin, bodyOf } from "../support/requests.ts";
import { useNode } from "./support.ts";

const node = useNode();

test("render and parse find the engine by path, by name or by the template's syntax", async () => {
  const signal = new AbortController().signal;
  const render = (body: object, name?: string) => node().jobs.render(bodyOf(body), name, admin, signal);
  const parse = (body: object, name?: string) => node().jobs.parse(bodyOf(body), name, admin, signal);
  expect(await render({ template: "t", context: { a: 1 } })).toEqual({ text: 't {"a":1}' });
  expect(await render({ template: "file://x.j2" }, "jinja2")).toEqual({ text: "fetched file://x.j2 {}" });
  await expect(render({ template: "t", name: "a" }, "b")).rejects.toMatchObject({ kind: "Validation" });
  await expect(render({ template: "t" }, "mako")).rejects.toMatchObject({ kind: "NotFound" });
  await expect(render({ template: "t", args: { trim_blocks: "canary" } })).rejects.toMatchObject({
    kind: "Validation",
  });
  const unset = { name: "", args: null, strict: null, templates: null, timeout: null };
  expect(await render({ ...unset, template: "t", context: null })).toEqual({ text: "t {}" });
  const ofSets = { use_ttp_template: null, ttp_template_args: null, use_ntc_template: "false" };
  const parsed = await parse({ ...unset, ...ofSets, template: "{{ x }}", context: "raw" }, "ttp");
  expect(parsed.json).toContain("raw");
  expect(await parse({ template: "Value X (.*)\n\nStart", context: "raw" })).toEqual({
    json: '[{"B":1.0,"10":"raw"}]',
  });
  expect((await parse({ template: "{{ x }}", context: "raw" }, "ttp")).json).toContain("raw");
  await expect(parse({ template: "plain", context: "raw" })).rejects.toMatchObject({
    kind: "BadRequest",
    message: expect.stringContaining("Looked for"),
  });
  await expect(parse({ template: "x" }, "ttp")).rejects.toMatchObject({ kind: "Validation" });
  for (const none of [{}, { template: null }, { template: "" }])
    await expect(parse({ ...none, context: "raw" }, "textfsm")).rejects.toMatchObject({
      detail: { issues: [{ path: "template", message: expect.stringMatching(/^is required/) }] },
    });
});
