/** Schemas in a browser's bundle: the same without descriptions, whatever stands in them. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { slim } from "../../../src/runtime/pages/bundle.ts";
import { plainAnswers, slimSchemas } from "../../../src/runtime/pages/slim-schemas.ts";
import { temporary } from "../../support/temporary.ts";

test.each([
  ['const a = described(text, "why");', "const a = (text);"],
  [
    'described(\n  v.optional(v.array(text), []),\n  "a, b) (",\n)',
    "(\n  /* @__PURE__ */ v.optional(/* @__PURE__ */ v.array(text), []))",
  ],
  ["described(v.nullable(text /* , ) */), `x ${y}`)", "(/* @__PURE__ */ v.nullable(text /* , ) */))"],
  ['// described(\ndescribed(a, "b") // it\'s', "// described(\n(a) // it's"],
  [
    "export function described<const S>(schema: S, description: string) {}",
    "export function described<const S>(schema: S, description: string) {}",
  ],
  ['named(\n  "A",\n  v.object(x),\n)', "(\n  /* @__PURE__ */ v.object(x))"],
  ['named("A", described(x, "why"))', "( (x))"],
  ["v.parse(schema, value); v.assert(schema, value);", "v.parse(schema, value); v.assert(schema, value);"],
  ['described(a, "never closed"', 'described(a, "never closed"'],
  [
    'v.pipe(v.string("must be a string"), v.regex(/[,)/]\\)/u, "no"), v.transform(Number))',
    "/* @__PURE__ */ v.pipe(/* @__PURE__ */ v.string(), /* @__PURE__ */ v.transform(Number))",
  ],
  ["[v.minLength(1), v.maxLength(2)]", "[/* @__PURE__ */ v.minLength(1), /* @__PURE__ */ v.maxLength(2)]"],
  ['v.picklist(all, `must be one of ${all.join(", ")}`)', "/* @__PURE__ */ v.picklist(all)"],
  ['v.literal("is on")', '/* @__PURE__ */ v.literal("is on")'],
])("%s", (source, slim) => {
  expect(slimSchemas(source)).toBe(slim);
});

test("an answer is read as an object, whatever is in it; a schema of a form stays", () => {
  expect(plainAnswers("export const job = reader(jobRecord);\nconst form = v.object({ a });")).toBe(
    "export const job = reader({ entries: {} });\nconst form = v.object({ a });",
  );
});

const folder = new URL("../../../src/api/", import.meta.url);

test("every schema of the API stays a valid source with its structure", () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((one) =>
    one.endsWith(".ts"),
  )) {
    const source = readFileSync(new URL(name, folder), "utf8");
    const slim = slimSchemas(source);
    expect(() => transpiler.transformSync(slim), name).not.toThrow();
    const shapes =
      /\bv\.(?:object|strictObject|looseObject|array|picklist|union|variant|nullable|optional)\(/g;
    const calls = (text: string) => text.match(shapes)?.length ?? 0;
    expect(calls(slim), name).toBe(calls(source));
  }
});

const shapesOfConsole = new URL("../../../src/console/shapes/", import.meta.url);
const place = temporary();
afterAll(() => place.remove());

// One that reads what was left out of another one would take every page of its script along.
test("what the console reads can be loaded as a browser gets it", async () => {
  const names = readdirSync(shapesOfConsole);
  expect(names.length).toBeGreaterThan(5);
  const built = await Bun.build({
    entrypoints: names.map((name) => fileURLToPath(new URL(name, shapesOfConsole))),
    ...{ target: "browser", format: "esm", splitting: true, plugins: [slim], outdir: place.path },
  });
  for (const { kind, path } of built.outputs)
    if (kind === "entry-point") await expect(import(path), path).resolves.toBeDefined();
});
