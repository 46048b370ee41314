/** Written XML round-trips. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseXml, type XmlElement } from "../../../src/base/xml/xml.ts";
import { escapeXml, formatXml, type XmlFragment, xml } from "../../../src/base/xml/xml-write.ts";

describe("writing XML", () => {
  test("writes elements, attributes and text", () => {
    expect(
      xml("nc:rpc", { "message-id": 1, "xmlns:nc": "urn:b", no: undefined }, xml("lock"), "a<b>&c]]>").source,
    ).toBe('<nc:rpc message-id="1" xmlns:nc="urn:b"><lock/>a&lt;b&gt;&amp;c]]&gt;</nc:rpc>');
  });

  test.each(["", "a b", "1a", "a:b:c", "a>", "<a", "a/"])("rejects %o as a name", (name) => {
    expect(() => xml(name)).toThrow(/not a name/);
  });

  test.each(["\0", "\u001b", "\ufffe", "\ud800", "a\udc00"])("rejects %o as text", (text) => {
    expect(() => escapeXml(text)).toThrow(/XML cannot carry/);
  });

  interface Made {
    readonly name: string;
    readonly attributes: readonly [string, string][];
    readonly content: readonly (string | Made)[];
  }
  const written = (made: Made): XmlFragment =>
    xml(
      made.name,
      Object.fromEntries(made.attributes),
      ...made.content.map((part) => (typeof part === "string" ? part : written(part))),
    );
  const same = (element: XmlElement, made: Made) => {
    expect(element.name).toBe(made.name);
    expect([...element.attributes]).toEqual(made.attributes);
    expect(element.text).toBe(made.content.filter((part) => typeof part === "string").join(""));
    const children = made.content.filter((part) => typeof part !== "string");
    expect(element.children).toHaveLength(children.length);
    for (const [at, child] of element.children.entries()) same(child, children[at] as Made);
  };
  const name = fc.constantFrom("a", "b-c", "d.e", "_f", "Ünit");
  const text = fc
    .string({ unit: "grapheme", maxLength: 8 })
    .map((one) => one.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ""));
  const { made } = fc.letrec<{ made: Made }>((tie) => ({
    made: fc.record({
      name,
      attributes: fc.uniqueArray(
        fc.tuple(
          name,
          text.map((one) => one.replace(/[\t\n]/g, " ")),
        ),
        { selector: ([key]) => key },
      ),
      content: fc.array(fc.oneof({ maxDepth: 4 }, text, tie("made")), { maxLength: 4 }),
    }),
  }));

  test("round-trips any tree through the parser", () => {
    fc.assert(fc.property(made, (one) => same(parseXml(written(one).source), one)));
  });

  test("formats a tree with the namespace declarations that it needs", () => {
    const tree = parseXml('<r xmlns="urn:r" xmlns:p="urn:p"><a><p:b p:c="1">x &amp; y</p:b><d/></a></r>');
    expect(formatXml(tree)).toBe(
      '<r xmlns="urn:r" xmlns:p="urn:p">\n  <a>\n    <p:b p:c="1">x &amp; y</p:b>\n    <d/>\n  </a>\n</r>\n',
    );
    const [a] = tree.children;
    expect(a && formatXml(a)).toBe(
      '<a xmlns="urn:r">\n  <p:b p:c="1" xmlns:p="urn:p">x &amp; y</p:b>\n  <d/>\n</a>\n',
    );
  });
});
