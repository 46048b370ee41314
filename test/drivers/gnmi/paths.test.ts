/** Paths as texts: read strictly, written so that they are read as the same. */
import { expect, test } from "vitest";
import { isWithin, pathText, readPath } from "../../../plugins/drivers/gnmi/paths.ts";

const read = (text: string) => {
  const found = readPath(text);
  if ("fault" in found) throw new Error(found.fault);
  return found.path;
};
const faultOf = (text: string) => {
  const found = readPath(text);
  return "fault" in found ? found.fault : undefined;
};

test("names, keys, origins and escapes", () => {
  expect(read("/")).toEqual({ origin: "", elem: [] });
  expect(read("openconfig:/")).toEqual({ origin: "openconfig", elem: [] });
  expect(read("cli:/show version")).toEqual({
    ...{ origin: "cli", elem: [{ name: "show version", key: {} }] },
  });
  // Without a slash behind it, it is the name of a module.
  expect(read("openconfig-system:system/config").elem[0]?.name).toBe("openconfig-system:system");
  expect(read("/a[name=Ethernet1/2/3][id=x=y]/b/").elem).toEqual([
    { name: "a", key: { name: "Ethernet1/2/3", id: "x=y" } },
    { name: "b", key: {} },
  ]);
  expect(read("/foo[name=[\\\\\\]]").elem[0]?.key).toEqual({ name: "[\\]" });
  expect(read("/foo[name=\\n\\u00fc]").elem[0]?.key).toEqual({ name: "\nü" });
  expect(read("/foo[name=]").elem[0]?.key).toEqual({ name: "" });
  expect(Object.getPrototypeOf(read("/a[__proto__=x]").elem[0]?.key)).toBe(Object.prototype);
});

test.each([
  ["", "must not be empty"],
  ["/a//b", "an empty element"],
  ["/a/../b", "must not contain . or .."],
  ["/a[b]", "not [name=value]"],
  ["/a[=x]", "not [name=value]"],
  ["/a[b=c", "without ]"],
  ["/a[b=c]d", 'has "d" behind a key'],
  ["/a[b=c][b=d]", "the key b twice"],
  ["/a\\", "escapes nothing"],
  ["/a\\x", "escapes nothing"],
  ["/a\u0000", "control characters"],
  ["/a\ud800", "control characters"],
  [`/${"a/".repeat(200)}a`, "more than 128 elements"],
  [`/${"a".repeat(9_000)}`, "longer than 8192"],
])("refuses %j", (text, why) => {
  expect(faultOf(text)).toContain(why);
});

test("what is written is read as the same, whatever it contains", () => {
  const parts = ["a", "/", "[", "]", "\\", "=", ":", "\n", "\r", "ü", " ", "x[y=z]", "*", "\\n"];
  let seed = 7;
  const any = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return parts[seed % parts.length] ?? "a";
  };
  for (let round = 0; round < 2_000; round++) {
    const path = {
      origin: round % 2 === 0 ? "" : "openconfig",
      elem: [
        { name: `n${any()}${any()}`, key: { [`k${any()}`]: `${any()}${any()}` } },
        { name: `m${any().replace(" ", "/")}`, key: {} },
      ],
    };
    expect(read(pathText(path)), pathText(path)).toEqual(path);
  }
});

test("which paths a pattern names", () => {
  const within = (path: string, pattern: string) => isWithin(read(path), read(pattern));
  expect(within("/a/b[x=1]/c", "/a/b[x=1]")).toBe(true);
  expect(within("/a/b[x=1]/c", "/a/b")).toBe(true);
  expect(within("/a/b[x=1]/c", "/a/*/c")).toBe(true);
  expect(within("/a/b[x=1]/c", "/a/b[x=*]/c")).toBe(true);
  expect(within("/a/b[x=1]/c", "/.../c")).toBe(true);
  expect(within("/m:a/b", "/a")).toBe(true);
  expect(within("/a/b[x=1]/c", "/a/b[x=2]")).toBe(false);
  expect(within("/a", "/a/b")).toBe(false);
  expect(within("/ab", "/a")).toBe(false);
});
