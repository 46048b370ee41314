/** The JSON parser: what a path selects, and the error if it does not exist. */

import { describe, expect, test } from "vitest";
import { createEngine } from "../../../plugins/templates/json/engine.ts";
import plugin from "../../../plugins/templates/json/plugin.ts";
import { TemplateError } from "../../../plugins/templates/python/json.ts";
import { context, kitWith, nothingInstalled } from "../../../plugins/templates/textfsm/test/support.ts";

const engine = createEngine(kitWith(nothingInstalled));

function parse(text: string, path?: string, warn: (message: string) => void = () => {}): unknown {
  const args = plugin.args["~standard"].validate(path === undefined ? {} : { path });
  if (args instanceof Promise) throw new Error("the arguments are not checked at once");
  if (args.issues) throw new Error(args.issues[0]?.message);
  const { runJson } = engine.compile("", args.value as Parameters<typeof engine.compile>[1]);
  return runJson?.(text, { ...context, warn });
}

function errorOf(work: () => unknown): TemplateError {
  try {
    work();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const answer = JSON.stringify({
  interfaceStatuses: {
    Ethernet1: { linkStatus: "connected", bandwidth: 1e9 },
    "Ethernet2/1.100": { linkStatus: "notconnect" },
  },
  peers: [{ name: "a", up: true }, { name: "b" }],
  "": { "0": "zero" },
});

describe("a JSON path", () => {
  test.each([
    ["peers", '[{"name":"a","up":true},{"name":"b"}]'],
    ["$.peers[0].name", '"a"'],
    ["peers.1.name", '"b"'],
    ["peers[-1].name", '"b"'],
    ["peers.*.up", "[true]"],
    ["peers[*].name", '["a","b"]'],
    ["interfaceStatuses.*.linkStatus", '["connected","notconnect"]'],
    ["interfaceStatuses.Ethernet1.bandwidth", "1000000000"],
    ['interfaceStatuses["Ethernet2/1.100"].linkStatus', '"notconnect"'],
    ["interfaceStatuses['Ethernet2/1.100']", '{"linkStatus":"notconnect"}'],
    ['[""].0', '"zero"'],
  ])("selects %s", (path, found) => expect(parse(answer, path)).toBe(found));

  test("that is empty returns everything, with key order and number formats", () => {
    const text = '{"20":2.0,"10":1,"big":1152921504606846976,"ü":null}';
    expect(parse(` ${text}\r\n`)).toBe(text);
    expect(parse(text, "$")).toBe(text);
  });

  test.each([
    ["a..b", "cannot be read from character 2"],
    [".a", "cannot be read from character 1"],
    ["a[", "cannot be read from character 2"],
    ['a["b]', "cannot be read from character 2"],
    ["a.[0]", "cannot be read from character 2"],
    ["a.", "cannot be read from character 2"],
    [Array.from({ length: 101 }, () => "a").join("."), "more than 100 steps"],
    ["a".repeat(1001), "Invalid length"],
  ])("that is invalid is rejected: %s", (path, words) => {
    expect(() => parse("{}", path)).toThrow(words);
  });
});

describe("a JSON path that selects nothing", () => {
  test.each([
    ["interfaceStatus", /^json: the answer has no "interfaceStatus". Did you mean interfaceStatuses\?$/],
    [
      "interfaceStatuses.Port7",
      /^json: "interfaceStatuses" has no "Port7". It has Ethernet1, Ethernet2\/1.100.$/,
    ],
    ["peers[2]", /^json: "peers" is a list of 2, which has no "2".$/],
    ["peers.name", /^json: "peers" is a list of 2, which has no "name".$/],
    ["peers[0].name.x", /^json: "peers.0.name" is a text, which has no "x".$/],
    ["peers[0].up.*", /^json: "peers.0.up" is a boolean, which has no "\*".$/],
  ])("is reported with the last existing member: %s", (path, message) => {
    const error = errorOf(() => parse(answer, path));
    expect([error.kind, error.message]).toEqual(["TemplateRuntime", expect.stringMatching(message)]);
  });

  test("through a wildcard causes a warning, not an error", () => {
    const warnings: string[] = [];
    expect(parse(answer, "peers.*.state", (message) => warnings.push(message))).toBe("[]");
    expect(warnings).toEqual(['json: no member of "peers" has "state"']);
    expect(parse('{"peers": []}', "peers.*.state", (message) => warnings.push(message))).toBe("[]");
    expect(warnings).toHaveLength(1);
  });
});

test.each([
  ["", "the device answered with nothing"],
  ["Interface  Status\n", "the answer is not JSON"],
  ['{"a": ', "the answer is not JSON"],
])("text that is not JSON is reported: %j", (text, words) => {
  expect(errorOf(() => parse(text, "a"))).toMatchObject({
    kind: "TemplateRuntime",
    message: expect.stringContaining(words),
  });
});

test("depth and size of a JSON document are limited", () => {
  expect(errorOf(() => parse("[".repeat(100_000), "a")).kind).toBe("TemplateLimit");
  const wide = `[${Array.from({ length: 1_000_001 }, () => "0").join(",")}]`;
  expect(errorOf(() => parse(wide, "*")).kind).toBe("TemplateLimit");
});
