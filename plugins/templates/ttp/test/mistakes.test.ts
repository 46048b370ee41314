/** Mistakes in a TTP template are reported with their line; XML errors name the caller's line. */

import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { TemplateError } from "../../python/index.ts";
import { ttpArgs } from "../args.ts";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { context, kitOf } from "./support.ts";

const engine = createEngine(kitOf());
const TEXT = "interface Vlan10\n mtu 1500\n";

/** Warnings of compiling and one run. */
function warningsOf(source: string, text = TEXT, args: object = {}): string[] {
  const found: string[] = [];
  const template = engine.compile(source, v.parse(ttpArgs, args));
  template.run(text, { ...context, warn: (message) => found.push(message) });
  return [...(template.warnings ?? []), ...found];
}

function failure(source: string): TemplateError {
  try {
    warningsOf(source);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("there was no error");
}

describe("a mistake in a line or variable", () => {
  test.each([
    ["interface {{ name | to_in }}", "line 1: unknown function 'to_in': did you mean to_ip, to_int"],
    ["\ninterface {{ name | WRD }}", "line 2: unknown function 'WRD': did you mean WORD"],
    ["interface {{ name | uper }}", "line 1: unknown function 'uper': did you mean upper"],
    ["interface {{ name | contains(Vlan) }}", "line 1: contains(Vlan): 'Vlan' is taken for a text"],
    ["interface {{ name }\n mtu {{ mtu }}", "line 1: 'interface {{ name }' has braces that are not closed"],
    ["interface {{ name }}\n mtu mtu }}", "line 2: 'mtu mtu }}' has braces that are not closed"],
    ["interface {{ name }}\n shutdown", "line 2: 'shutdown' has no variable"],
    [
      "interface {{ name }}\n mtu {{ mtu }}\n mtu {{ mtu }}",
      "line 3: 'mtu {{ mtu }}' stands in line 2 already",
    ],
    ['interface {{ name | re("^V\\S+") }}', "line 1: re(\"^V\\S+\"): '^' never matches"],
    ['interface {{ name | re("V\\S+$") }}', "line 1: re(\"V\\S+$\"): '$' matches at the end of the whole"],
    ["interface {{ _start_ }} {{ name }}", "line 1: what stands behind {{ _start_ }} is not looked at"],
    ['interface {{ name | chain("nosuch") }}', "line 1: unknown template variable 'nosuch'"],
    ["interface {{ name | to_list | upper }}", "unknown function 'upper' for a value of type list"],
    ['interface {{ name | macro("chek") }}', "unknown macro 'chek'"],
    ['interface {{ name | rlookup("nets") }}', "unknown look-up table 'nets'"],
  ])("causes a warning: %j", (source, message) => {
    expect(warningsOf(source)).toContainEqual(expect.stringContaining(message));
  });

  test("is not reported for a template without mistakes", () => {
    const source = `<vars>
names = "Vlan"
</vars>
<group name="interfaces*" contains="mtu">
interface {{ name | contains("Vlan") | contains(names) }}
 description {{ description | re(".*") | strip }}
 mtu {{ mtu | to_int | default(1500) }}
{{ kind | set("interface") }}
! {{ _end_ }}
</group>
## a comment with {{
<!-- and one more -->`;
    expect(warningsOf(source)).toEqual([]);
  });
});

describe("a mistake in a tag or attribute", () => {
  const group = (attributes: string) => `\n<group name="i"${attributes}>\ninterface {{ name }}\n</group>`;
  test.each([
    ["<grup>\ninterface {{ name }}\n</grup>", "line 1: unknown tag 'grup': did you mean grp, group"],
    [`<group>\n<grop>\n mtu {{ mtu }}\n</grop>\n</group>`, "line 2: unknown tag 'grop'"],
    [group(' method="tabel"'), "line 2: unknown method 'tabel': did you mean table"],
    [
      group(" functions=\"contians('x')\""),
      "line 2: unknown group function 'contians': did you mean contains",
    ],
    [
      `<vars laod="yaml">\na: 1\n</vars>${group("")}`,
      "line 1: unknown attribute of <vars> 'laod': did you mean load",
    ],
    [
      `<template result="per_template">${group("")}\n</template>`,
      "line 1: unknown attribute of <template> 'result'",
    ],
    [
      `<template results="per_inptu">${group("")}\n</template>`,
      "line 1: unknown mode of results 'per_inptu'",
    ],
    [`${group("")}\n<output fromat="json"/>`, "line 5: unknown attribute of <output> 'fromat'"],
    [`${group("")}\n<output format="jsn"/>`, "unknown output format 'jsn': did you mean json"],
    ['<group name="empty">\n</group>', "line 1: the group 'empty' has no line with a variable"],
    ['<group name="x">\n! {{ _end_ }}\n</group>', "line 1: no line begins the group 'x'"],
  ])("causes a warning: %j", (source, message) => {
    expect(warningsOf(source)).toContainEqual(expect.stringContaining(message));
  });

  test("after a comment or in CDATA is reported with its own line", () => {
    const source = `<group>
<!-- two
lines -->
interface {{ name | to_in }}
<![CDATA[
 a < {{ b | to_flot }}
]]>
</group>`;
    expect(warningsOf(source)).toEqual([
      expect.stringContaining("line 4: unknown function 'to_in'"),
      expect.stringContaining("line 6: unknown function 'to_flot'"),
    ]);
  });

  test("such as an unknown group function fails with its line", () => {
    const error = failure(group(' nam="x"'));
    expect(error.message).toContain("unknown group function 'nam': did you mean name?");
    expect(error.at.line).toBe(2);
  });
});

describe("an error in the XML of a template", () => {
  test.each([
    ["<group>\n\ninterface <x {{ name }}\n</group>", 3, "a '<' that is text is written &lt;"],
    ["<group>\ninterface {{ name }} a & b\n</group>", 2, "a '&' that is text is written &amp;"],
    ["<group>\ninterface {{ name }}\n</grop>", 3, "does not close <group>, which is open since line 1"],
    ["\n<group>\ninterface {{ name }}\n", 2, "<group> is not closed"],
    ["<group>\na {{ b }}\n</group>\n</vars>", 4, "a closing tag without an opening one"],
    ["<template>\n<group>\na {{ b }}\n</template>", 4, "does not close <group>, which is open since line 2"],
    ["<template>\n<group>\na {{ b }}", 2, "<group> is not closed"],
    ["<group name=x>\na {{ b }}\n</group>", 1, "unquoted attribute value"],
    ["<group>\na {{ b | contains(Vlan-1) }}\n</group>", 2, "texts need quotes"],
    ['<group>\na {{ b | re("(") }}\n</group>', 2, "in the regex of the line"],
    ["<!DOCTYPE x>\na {{ b }}", 1, "document type definition"],
  ])("names the line of the caller's text: %j", (source, line, message) => {
    const error = failure(source);
    expect(error.message).toContain(message);
    expect(error.at.line).toBe(line);
  });
});

test("mistakes in templates of a set cause no warnings", () => {
  const text = "interface {{ name | to_in }}";
  const library = { installed: true, list: () => ["platform/a_b.txt"], read: () => text };
  const args = { platform: "a", command: "b" };
  const template = createEngine(kitOf({ library: () => library })).compile("", args);
  const found: string[] = [];
  template.run(TEXT, { ...context, warn: (message) => found.push(message) });
  expect([template.warnings, found]).toEqual([undefined, []]);
});
