/** Template documents: long and short tag names, no tags, invalid XML, and what is refused. */

import { describe, expect, test } from "vitest";
import { TemplateError } from "../../python/index.ts";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { kitOf, runEngine } from "./support.ts";

const engine = createEngine(kitOf());
const run = (source: string, text: string, args: unknown = {}) => runEngine(engine, source, text, args);

const TEXT = "interface Gi0/1\n mtu 1500\n";
const FOUND = [{ i: [{ name: "Gi0/1", mtu: "1500" }] }];
const BODY = "interface {{ name }}\n mtu {{ mtu }}\n";

describe("a group is found in any form of document", () => {
  test.each([
    `<group name="i*">\n${BODY}</group>`,
    `<grp name="i*">\n${BODY}</grp>`,
    `<g name="i*">\n${BODY}</g>`,
    `<template>\n<group name="i*">\n${BODY}</group>\n</template>`,
    `<doc>\nwhat it is for\n</doc>\n<group name="i*">\n${BODY}</group>`,
    `<group name="i*"><![CDATA[\n${BODY}]]></group>`,
    `<!-- a comment -->\n<group name="i*">\n## another\n${BODY}</group>`,
    `<group name='i*'>\n${BODY.replaceAll("\n", "\r\n")}</group>`,
  ])("such as %s", (source) => {
    expect(run(source, TEXT)).toEqual(FOUND);
  });
});

test("a template without tags is one group", () => {
  expect(run(BODY, TEXT)).toEqual([{ name: "Gi0/1", mtu: "1500" }]);
});

test("XML entities stand for their characters", () => {
  expect(run("<group>\nrate &lt;{{ rate }}&gt; &amp; more\n</group>", "rate <10> & more\n")).toEqual([
    { rate: "10" },
  ]);
});

test("a template may contain inputs, variables and lookup tables", () => {
  const source = `
<vars>
site = "A"
</vars>
<lookup name="names" load="json">
{"10.0.0.1": "r1"}
</lookup>
<input load="text">
ip 10.0.0.1
</input>
<group set="site">
ip {{ ip | lookup("names", add_field="name") }}
</group>`;
  const found = run(source, "ip 10.0.0.2\n");
  expect(found).toContainEqual({ ip: "10.0.0.1", name: "r1", site: "A" });
});

describe("a TTP document is rejected", () => {
  test.each([
    ["<!DOCTYPE x>\n<group>\nx {{ x }}\n</group>", /DOCTYPE|document type/i],
    [
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><group>\n&e; {{ x }}\n</group>',
      /DOCTYPE|document type/i,
    ],
    ['<group a="1" a="2">\nx {{ x }}\n</group>', /attribute/],
    ["<group>\nx {{ x | re('(') }}\n</group>", /x \{\{ x/],
    ["<group>\nx {{ x }} {{ x }}\n</group>", /redefinition/],
    ['<lookup name="g" database="geoip2">\n</lookup>\n<group>\nx {{ x }}\n</group>', /GeoIP2/],
  ])("for %s", (source, message) => {
    const error = (() => {
      try {
        run(source, "x 1\n");
      } catch (caught) {
        return caught;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(TemplateError);
    expect(String(error)).toMatch(message);
  });

  test.each(["excel", "n2g"])("for the output format %s", (format) => {
    const args = { output: { format } };
    expect(() => run(BODY, TEXT, args)).toThrow(/not supported/);
  });

  test.each(["dns", "rdns", "geoip_lookup('x')"])("for external lookups with %s", (call) => {
    expect(() => run(`<group>\nx {{ x | ${call} }}\n</group>`, "x 10.0.0.1\n")).toThrow(TemplateError);
  });
});

test("deeply nested groups work, and excessive nesting is an error", () => {
  const nested = (depth: number) =>
    `${Array.from({ length: depth }, (_, i) => `<group name="g${i}">\nx${i} {{ v${i} }}\n`).join("")}${"</group>".repeat(depth)}`;
  expect(
    JSON.stringify(run(nested(20), Array.from({ length: 20 }, (_, i) => `x${i} ${i}\n`).join(""))),
  ).toContain('"v19":"19"');
  try {
    run(nested(3000), "x0 1\n");
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
  }
});
