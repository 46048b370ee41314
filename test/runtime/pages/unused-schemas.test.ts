/** Definitions that nobody reads are no part of a browser's bundle, whatever they read themselves. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { shakeable } from "../../../src/runtime/pages/unused-schemas.ts";
import { temporary } from "../../support/temporary.ts";

test.each([
  ["const a = 1;\n", "const a = 1;\n"],
  ["export const a = (one: X) => one.two;\n", "export const a = (one: X) => one.two;\n"],
  ["const a = <const S>(one: S) => one.two;\n", "const a = <const S>(one: S) => one.two;\n"],
  [
    "const a = /* @__PURE__ */ v.array(text);\nconst b = 2;\n",
    "const a = /* @__PURE__ */ v.array(text);\nconst b = 2;\n",
  ],
  [
    "export const a: X = {\n  ...b.entries,\n};\n",
    "export const a: X = /* @__PURE__ */ (() => ({\n  ...b.entries,\n}))();\n",
  ],
  ["const a = limited(3);\n", "const a = /* @__PURE__ */ (() => (limited(3)))();\n"],
  ["function f() {\n  const a = b.c;\n}\n", "function f() {\n  const a = b.c;\n}\n"],
  [
    "const { a, b: c } = d.entries;\n",
    "const a = /* @__PURE__ */ (() => (d.entries.a))();\nconst c = /* @__PURE__ */ (() => (d.entries.b))();\n",
  ],
])("%s", (source, other) => {
  expect(shakeable(source)).toBe(other);
});

const place = temporary();
afterAll(() => place.remove());

test("leaves values as they are, and lets a bundler leave out the others", async () => {
  const source = `
const from = { a: 1, b: { c: 2 }, d: 3, e: 4 };
const make = (n: number) => ({ ...from, n });
const { a, b: inner, ...rest } = from;
export const read = [{ ...rest, ...make(7) }, a, inner.c];
export const unread = { ...make(8), words: "that nobody reads" };
`;
  const [main, reading] = [join(place.path, "main.ts"), join(place.path, "reading.ts")];
  writeFileSync(main, shakeable(source));
  writeFileSync(reading, `export { read } from "./main.ts";`);
  const built = await Bun.build({ entrypoints: [reading], target: "browser", outdir: place.path });
  const [output] = built.outputs;
  expect(await output?.text()).not.toContain("that nobody reads");
  const { read }: { read: unknown } = await import(output?.path ?? "");
  expect(read).toEqual([{ a: 1, b: { c: 2 }, d: 3, e: 4, n: 7 }, 1, 2]);
});
