/** Templates and recipes as files. */
import { expect, test } from "vitest";
import { documentsIn } from "../../../src/recipes/documents/folder.ts";

const engines = { j2: "jinja2", textfsm: "textfsm" };
const file = (name: string, text: string) => ({ name, text });

test("a document has the name of its file, and its text may stand beside it", () => {
  const files = [
    file("a/whole.yaml", "engine: jinja2\ntemplate: x"),
    file("a/beside.yml", "title: t\ntests: [{context: {}, expected: y}]"),
    file("a/beside.j2", "y"),
    file("alone.textfsm", "Value A (\\S+)"),
    file("own.json", '{"engine": "ttp", "template": "z"}'),
    file("README.md", "# nothing"),
  ];
  expect(documentsIn(files, engines)).toEqual({
    faults: [],
    documents: [
      { name: "whole", file: "a/whole.yaml", value: { engine: "jinja2", template: "x" } },
      {
        ...{ name: "beside", file: "a/beside.yml" },
        value: { engine: "jinja2", title: "t", tests: [{ context: {}, expected: "y" }], template: "y" },
      },
      { name: "own", file: "own.json", value: { engine: "ttp", template: "z" } },
      {
        ...{ name: "alone", file: "alone.textfsm" },
        value: { engine: "textfsm", template: "Value A (\\S+)" },
      },
    ],
  });
});

test("each fault names its file, and takes no other file along", () => {
  const files = [
    file("a.yaml", "a: [1"),
    file("a.j2", "the text of what is broken"),
    file("b/c.yaml", "template: x"),
    file("b/c.j2", "y"),
    file("d/e.yaml", "x: 1"),
    file("f/e.json", "{}"),
    file("good.yaml", "template: x"),
  ];
  const { documents, faults } = documentsIn(files, engines);
  expect(documents.map(({ name }) => name)).toEqual(["e", "good"]);
  expect(faults).toEqual([
    { file: "a.yaml", message: expect.any(String) },
    { file: "f/e.json", message: "has the name of d/e.yaml" },
    { file: "b/c.yaml", message: "has a `template` of its own, and b/c.j2 is beside it" },
  ]);
});

test("of recipes only documents count", () => {
  expect(documentsIn([file("a.j2", "x"), file("b.yaml", "steps: []")]).documents).toEqual([
    { name: "b", file: "b.yaml", value: { steps: [] } },
  ]);
});
