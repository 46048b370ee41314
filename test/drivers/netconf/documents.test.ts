/** Data by YANG names from and to XML, configurations and filters as callers write them. */
import { describe, expect, test } from "vitest";
import { configOf, filterOf } from "../../../plugins/drivers/netconf/documents.ts";
import { modelsOf } from "../../../plugins/drivers/netconf/models.ts";
import { toData, toXml } from "../../../plugins/drivers/netconf/yang-data.ts";
import { parseXml } from "../../../src/base/xml/xml.ts";

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";
const models = modelsOf([
  ["a-mod", "urn:a"],
  ["b-mod", "urn:b"],
  ["ietf-netconf", base],
]);
const written = (data: Record<string, unknown>) => toXml(data, models).source;
const read = (xml: string, lists: string[] = []) => toData(parseXml(`<w>${xml}</w>`), models, new Set(lists));

describe("data by YANG names", () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ["leaves and lists", { "a-mod:top": { x: "1", y: ["2", "3"] } }, []],
    ["a list of one entry", { "a-mod:top": { y: [{ x: "1" }] } }, ["y"]],
    ["an augmentation of another module", { "a-mod:top": { "b-mod:x": { z: "1" } } }, []],
    ["an identity of another module", { "a-mod:top": { type: "b-mod:kind" } }, []],
    ["something empty", { "a-mod:top": { flag: null } }, []],
    ["a namespace without a module", { "{urn:other}top": { x: "1" } }, []],
    ["an operation", { "a-mod:top": { "@": { "ietf-netconf:operation": "delete" }, x: "1" } }, []],
    ["text that looks like XML", { "a-mod:top": { x: "<a>&\"'" } }, []],
    ["a name of the language", { "a-mod:top": { constructor: "1", toString: "2" } }, []],
  ])("keeps %s both ways", (_, data, lists) => {
    expect(read(written(data), lists)).toEqual(data);
  });

  test("writes namespaces where they change, and what identities and operations need", () => {
    expect(
      written({
        "a-mod:t": { n: 1.5, i: "b-mod:k", "b-mod:o": true, e: [null], "@n": { operation: "remove" } },
      }),
    ).toBe(
      `<t xmlns="urn:a"><n xmlns:ietf-netconf="${base}" ietf-netconf:operation="remove">1.5</n><i xmlns:b-mod="urn:b">b-mod:k</i><o xmlns="urn:b">true</o><e/></t>`,
    );
  });

  test.each([
    [{ top: "1" }, "needs the name of its module"],
    [{ "c-mod:top": "1" }, 'no module "c-mod"'],
    [{ "a-mod:to p": "1" }, "is not a name"],
    [{ "a-mod:top": [["1"]] }, "a list in a list"],
    [{ "a-mod:top": { x: "\u0000" } }, "U+0000"],
  ])("says what is wrong with %j", (data, message) => {
    expect(() => written(data)).toThrow(message);
  });

  test("is bounded in depth", () => {
    let deep: Record<string, unknown> = { x: "1" };
    for (let level = 0; level < 300; level++) deep = { x: deep };
    expect(() => written({ "a-mod:top": deep })).toThrow("nested deeper");
  });
});

describe("a configuration", () => {
  const inside = '<x xmlns="urn:a">1</x>';
  const plain = (text: string) => configOf(text, models).source.replace(/>\s+</g, "><");
  test.each([
    inside,
    `<config>${inside}</config>`,
    `<?xml version="1.0"?>\n<nc:config xmlns:nc="${base}">${inside}</nc:config>`,
    `<data xmlns="${base}">${inside}</data>`,
    '{"a-mod:x": "1"}',
  ])("is accepted as %s", (text) => {
    expect(parseXml(plain(text)).find("x")).toMatchObject({ namespace: "urn:a", text: "1" });
    expect(parseXml(plain(text))).toMatchObject({ name: "config", namespace: base });
  });

  test("may be several elements, and keeps the prefixes that its wrapper declares", () => {
    const config = parseXml(
      plain(
        `<config xmlns:b="urn:b" xmlns:nc="${base}"><t xmlns="urn:a" nc:operation="delete">b:k</t></config><config>${inside}</config>`,
      ),
    );
    expect(config.children.map(({ name }) => name)).toEqual(["t", "x"]);
    expect(config.attributes.get("xmlns:b")).toBe("urn:b");
    expect(config.children[0]?.attributes.get("nc:operation")).toBe("delete");
  });

  test.each([
    ["<a><b></a>", "cannot be read"],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "cannot be read"],
    ["{", "is not JSON"],
    ["</w><w>", "cannot be read"],
  ])("%s is refused before anything is sent", (text, message) => {
    expect(() => configOf(text, models)).toThrow(
      expect.objectContaining({ detail: { outcome: "none" }, message: expect.stringContaining(message) }),
    );
  });
});

test("an XPath filter declares the prefixes of modules and of the caller", () => {
  const filter = "/a-mod:top/p:x[child::p:y='b-mod:z']";
  const [made] = filterOf({ filter, namespaces: { p: "urn:p" } }, models, true);
  expect([...(parseXml(made?.source ?? "").attributes ?? [])]).toEqual([
    ["xmlns:a-mod", "urn:a"],
    ["xmlns:p", "urn:p"],
    ["xmlns:b-mod", "urn:b"],
    ["type", "xpath"],
    ["select", filter],
  ]);
  expect(() => filterOf({ filter }, models, false)).toThrow("does not evaluate XPath");
});
