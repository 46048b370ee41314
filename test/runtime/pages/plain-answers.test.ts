/**
 * A browser reads answers as the service has made them (src/runtime/pages/slim-schemas.ts), so that no page may count on
 * what only the schema of an answer adds: a default, or a change of the value.
 */
import { readdirSync, readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, test } from "vitest";

const shapes = new URL("../../../src/console/shapes/", import.meta.url);
/** A request, which the service has checked and keeps as it was sent. */
const requests = ["changes.asked"];
const known = [
  // The service always sends it; it may be absent in an older export, which the command line reads.
  "ledger.verdict.unapproved",
  // Read by no page.
  "recipes.recipe.steps.on_failure",
];

const node = v.looseObject({
  kind: v.string(),
  type: v.string(),
  default: v.optional(v.unknown()),
});

function added(of: unknown, path: string, seen = new Set<unknown>()): string[] {
  if (typeof of !== "object" || of === null || seen.has(of)) return [];
  seen.add(of);
  const read = v.safeParse(node, of);
  const here =
    read.success && (read.output.kind === "transformation" || read.output.default !== undefined)
      ? [path]
      : [];
  return [
    ...here,
    ...Object.entries(of).flatMap(([name, inner]) => {
      if (name === "entries")
        return Object.entries(inner as object).flatMap(([key, one]) => added(one, `${path}.${key}`, seen));
      return ["pipe", "wrapped", "item", "options", "value"].includes(name)
        ? (Array.isArray(inner) ? inner : [inner]).flatMap((one) => added(one, path, seen))
        : [];
    }),
  ];
}

test("no page counts on what only the schema of an answer adds", async () => {
  const found: string[] = [];
  for (const file of readdirSync(shapes)) {
    const read: Record<string, unknown> = await import(new URL(file, shapes).href);
    for (const [name, schema] of Object.entries(read)) {
      const path = `${file.replace(".ts", "")}.${name}`;
      if (!requests.includes(path)) found.push(...added(schema, path));
    }
  }
  expect([...new Set(found)].sort()).toEqual(known);
});

test("no page takes members out of the schema of an answer, which has none in a browser", () => {
  const folder = new URL("../../../src/console/", import.meta.url);
  const taking = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("shapes"))
    .filter((name) =>
      /\bv\.(?:pick|omit|partial|required)\(/.test(readFileSync(new URL(name, folder), "utf8")),
    );
  expect(taking).toEqual([]);
});
