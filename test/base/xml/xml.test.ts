import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { parseXml } from "../../../src/base/xml/xml.ts";

/** The error thrown for a text. */
function fault(text: string, limits = {}): ServiceError {
  try {
    parseXml(text, limits);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`was taken: ${text}`);
}

describe("the parsed XML tree", () => {
  const tree = parseXml(`
    <?xml version="1.0"?>
    <nc:reply xmlns:nc="urn:base" xmlns="urn:data" nc:id="7">
      <a><b>one</b><b> two </b><c><b>three</b></c></a>
      <a n="2"><b><![CDATA[<four>]]></b></a>
      text &lt;&amp;&gt;&quot;&apos;&#65;&#x42;
    </nc:reply>`);

  test("has names, namespaces and attributes", () => {
    expect(tree).toMatchObject({ name: "reply", prefix: "nc", namespace: "urn:base" });
    expect(tree.children.map(({ name, namespace }) => `${namespace} ${name}`)).toEqual([
      "urn:data a",
      "urn:data a",
    ]);
    expect(tree.attribute("id")).toBe("7");
    expect(tree.attributes.get("nc:id")).toBe("7");
    expect(tree.attribute("other")).toBeUndefined();
  });

  test("finds texts by path and descendants", () => {
    expect(tree.textOf()).toBe("text <&>\"'AB");
    expect(tree.find("a/b")?.text).toBe("one");
    expect(tree.find("a/c/b")?.text).toBe("three");
    expect(tree.find("a/d")).toBeUndefined();
    expect(tree.textOf("a/d")).toBe("");
    expect(tree.all("a/b").map((element) => element.textOf())).toEqual(["one", "two", "<four>"]);
    expect(tree.all("*/c/*").map((element) => element.textOf())).toEqual(["three"]);
    expect(tree.descendants("b").map((element) => element.textOf())).toEqual([
      "one",
      "two",
      "three",
      "<four>",
    ]);
    // A path continues in the next element if the first one does not have it.
    expect(parseXml("<r><a/><a><b>x</b></a></r>").textOf("a/b")).toBe("x");
  });

  test("has as text what is between the children, in any notation", () => {
    const texts = (source: string) => {
      const root = parseXml(source);
      return [root.text, ...root.children.map(({ text }) => text)];
    };
    expect(texts("<r>a<b>x</b>c<b/>d</r>")).toEqual(["acd", "x", ""]);
    expect(texts("<r>a<!-- - -->b<b>x</b><?p i?>c<b>&#120;</b><![CDATA[<]]>d</r>")).toEqual([
      "abc<d",
      "x",
      "x",
    ]);
    expect(texts("<r>a\r\nb<b>\r</b>\r\n</r>")).toEqual(["a\nb\n", "\n"]);
    expect(texts("<r>\u00e9<b>\u2028\u{1f600}</b>&amp;&#13;</r>")).toEqual(["\u00e9&\r", "\u2028\u{1f600}"]);
    expect(texts('<?xml version="1.1"?><r>a\u0085<b>\u2028</b></r>')).toEqual(["a\n", "\n"]);
  });

  test("returns the same element object whichever way it is found", () => {
    const root = parseXml("<r><a><b/></a><a/></r>");
    expect(root.find("a/b")).toBe(root.children[0]?.children[0]);
    expect(root.all("a")[1]).toBe(root.children[1]);
    expect(root.descendants("b")[0]).toBe(root.find("*/b"));
  });

  test("limits a namespace to its element and accepts an undeclared prefix", () => {
    const [inner, outer] = parseXml('<r><x xmlns="urn:x"><y/></x><p:z/></r>').children;
    expect(inner?.find("y")?.namespace).toBe("urn:x");
    expect(outer).toMatchObject({ name: "z", prefix: "p", namespace: "" });
  });
});

test("100,000 namespaces and elements are parsed in linear time", () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `xmlns:p${at}="urn:p${at}"`).join(" ");
  const tree = parseXml(`<r ${many}>${'<p7:a xmlns:q="urn:q"><q:b/></p7:a>'.repeat(100_000)}</r>`);
  expect(tree.find("a")?.namespace).toBe("urn:p7");
  expect(tree.find("a/b")?.namespace).toBe("urn:q");
  expect(tree.all("a/b")).toHaveLength(100_000);
});

describe("invalid XML is rejected", () => {
  test.each([
    ["", /root element/],
    ["text", /not valid/],
    ["<a>", /unclosed tag/],
    ["<a></b>", /close tag/],
    ["<a/><b/>", /not valid/],
    ["<a>&nbsp;</a>", /entity/],
    ["<a>&#0;</a>", /not valid/],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /document type definition/],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /document type definition/],
    ['<a b="1" b="2"/>', /duplicate attribute/],
  ])("with the reason: %s", (text, message) => {
    expect(fault(text)).toMatchObject({ kind: "DriverError", message: expect.stringMatching(message) });
  });

  test("with line and column", () => {
    expect(fault("\n\n  <a>\n   <b></c></a>").detail).toMatchObject({ line: 4, column: 10 });
    expect(fault("\n  <a b></a>").detail).toMatchObject({ line: 2 });
  });

  test.each([
    ["<a><b/></a>", { length: 5 }],
    [`${"<a>".repeat(257)}${"</a>".repeat(257)}`, {}],
    ["<a><b/><b/></a>", { elements: 2 }],
    ['<a b="1"><c d="2"/></a>', { attributes: 1 }],
    [`<a ${Array.from({ length: 500_001 }, (_, at) => `b${at}=""`).join(" ")}/>`, {}],
  ])("as OutputTooLarge if it exceeds a limit (%#)", (text, limits) => {
    expect(fault(text, limits)).toMatchObject({ kind: "OutputTooLarge" });
  });
});

test("any text is parsed, or rejected with a position", () => {
  const piece = fc.constantFrom(
    "<",
    ">",
    "/",
    "a",
    "=",
    '"',
    "&",
    "amp;",
    "#",
    "!",
    "[CDATA[",
    "]",
    "?",
    "-",
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      try {
        parseXml(pieces.join(""));
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
        if (error instanceof ServiceError) expect(error.detail).toMatchObject({ line: expect.any(Number) });
      }
    }),
  );
});
