/** Which files of a tree are installed, and the errors for a broken set. */

import { describe, expect, test } from "vitest";
import type { TemplateLibrary } from "../../python/text.ts";
import { checkSet, chooseSetFiles } from "../install.ts";

const library = (files: Record<string, string>): TemplateLibrary => ({
  installed: true,
  list: () => Object.keys(files).sort(),
  read: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
});

describe("the files of a template set", () => {
  const names = ["a_show_b.textfsm", "index"];
  test.each([
    ["the folder of templates", ""],
    ["the package", "templates/"],
    ["a repository", "ntc_templates/templates/"],
    ["an archive of a repository", "ntc-templates-9.2.0/ntc_templates/templates/"],
    ["an archive with leading dots", "./ntc-templates/ntc_templates/templates/"],
  ])("are found in %s", (_, folder) => {
    const others = ["README.md", "tests/a/show_b/a_show_b.raw", "tests/index", "docs/x.textfsm"];
    const paths = [...others, ...names.map((name) => folder + name)];
    expect(chooseSetFiles(paths)).toEqual(names.map((name) => ({ from: folder + name, to: name })));
  });

  test("do not include paths outside the tree", () => {
    const paths = ["t/index", "t/a.textfsm", "t/../b.textfsm", "/t/c.textfsm"];
    expect(chooseSetFiles(paths).map(({ to }) => to)).toEqual(["a.textfsm", "index"]);
  });

  test("are reported as missing if there is no set", () => {
    expect(() => chooseSetFiles(["README.md", "a.textfsm"])).toThrowError(/no TextFSM template set found/);
  });
});

describe("the check of a template set", () => {
  test("reports each broken index entry and template", () => {
    const report = checkSet(
      library({
        index: "Template, Hostname, Platform, Command\na.textfsm, .*, x, sh[[ow]] (\nb.textfsm, .*, x, y\n",
        "a.textfsm": "Value X (.*\n\nStart\n",
        "c.textfsm": "Value X (.*)\n\nStart\n  ^$Y\n",
      }),
    );
    expect(report.problems).toEqual([
      { path: "index", message: expect.stringContaining("unterminated subpattern") },
      { path: "index", message: "names b.textfsm, which is missing" },
      { path: "a.textfsm", message: expect.stringContaining("'()' pair. Line 1.") },
      { path: "c.textfsm", message: expect.stringContaining("invalid variable substitution") },
    ]);
  });

  test("reports an empty index", () => {
    expect(checkSet(library({ index: "# nothing\n" })).problems).toEqual([
      { path: "index", message: "no entries" },
    ]);
  });
});
