/** What names a stored template, and what remains the text that it always was. */
import { expect, test } from "vitest";
import { templateSource } from "../../src/api/jobs/template-use.ts";
import { pinned, withTexts, withUses } from "../../src/jobs/request/named-templates.ts";
import type { Documents } from "../../src/store/port.ts";

const document = JSON.stringify({ engine: "jinja2", template: "text of a", args: { trim_blocks: true } });
const templates = {
  find: async (name: string, version = 2) =>
    name === "a" && version <= 2
      ? {
          ...{ name, version, changedAt: 0, who: "k", source: null, revision: null },
          document: version === 2 ? document : undefined,
        }
      : undefined,
} satisfies Pick<Documents, "find">;
const tools = { store: { templates: { ...templates } as Documents } };

test.each([
  ["template://a", { kind: "stored", name: "a" }],
  ["Template://a.b-c_d/12", { kind: "stored", name: "a.b-c_d", version: 12 }],
  ["template://a\n", { kind: "stored", name: "a" }],
  // Of one line: a slip of the pen is not pushed as a text.
  ["template://", { kind: "stored" }],
  ["template://a b", { kind: "stored" }],
  ["template://../a", { kind: "stored" }],
  ["template://a/1/2", { kind: "stored" }],
  ["template://{{ a }}", { kind: "stored" }],
  ["a", { kind: "inline", text: "a" }],
  ["template:a", { kind: "inline", text: "template:a" }],
  [" template://a", { kind: "inline", text: " template://a" }],
  ["template://a\nb", { kind: "inline", text: "template://a\nb" }],
  ["", { kind: "library" }],
])("%j", (template, source) => {
  expect(templateSource(template)).toEqual({ ...source });
});

test("names become those of versions, at each place, and their texts come with them", async () => {
  const use = { name: "jinja2", template: "template://a", args: { lstrip_blocks: true } };
  const parse = { name: "textfsm", template: "inline" };
  const request = {
    ...{ rendering: use, parsing: parse, other: 1 },
    options: { rendering: { ...use, templates: { x: "template://a/2", y: "text" } } },
    checks: { after: [{ command: "c", parse: { ...parse, template: "inline" } }] },
  };
  const found = await pinned(tools, (change) => withUses(request, change));
  expect(found.request).toEqual({
    ...request,
    rendering: { ...use, template: "template://a/2" },
    options: {
      rendering: {
        ...{ ...use, template: "template://a/2" },
        templates: { x: "template://a/2", y: "text" },
      },
    },
  });
  expect([...found.texts.keys()]).toEqual(["template://a/2"]);
  expect(withUses(found.request, (one) => withTexts(one, found.texts))).toEqual({
    ...request,
    rendering: { ...use, template: "text of a", args: { trim_blocks: true, lstrip_blocks: true } },
    options: {
      rendering: {
        ...{ ...use, template: "text of a", args: { trim_blocks: true, lstrip_blocks: true } },
        templates: { x: "text of a", y: "text" },
      },
    },
  });
});

test.each([
  ["template://b", "there is no stored template b"],
  ["template://a/9", "there is no version 9 of the template a, or it is kept no more"],
  [
    "template://a/1",
    "the template a cannot be opened: it is damaged, or the master key is another one. Write it again",
  ],
  ["template://a b", "must be template://name or template://name/version, of a stored template"],
])("%s is refused", async (template, message) => {
  const request = { rendering: { name: "jinja2", template } };
  const error = await pinned(tools, (change) => withUses(request, change)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ detail: { issues: [{ path: "rendering.template", message }] } });
});
