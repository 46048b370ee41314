/** The page of each built-in driver matches its schemas: every field, and no others. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import type { DriverPlugin } from "../../src/plugin/index.ts";
import { fieldsOf } from "../../src/registry/fields.ts";

const drivers = builtins.filter((plugin): plugin is DriverPlugin => plugin.kind === "driver");
const pageOf = (name: string) => `docs/reference/drivers/${name}.md`;

/** Added by the service, or common to all drivers. */
const common = ["credential", "fresh"];

const pages = readdirSync("docs/reference/drivers").map((name) => name.replace(/\.md$/, ""));

test("every driver has a page, and every page a driver", () => {
  expect([...pages].sort()).toEqual(drivers.map(({ name }) => name).sort());
});

test.each(drivers.map((driver) => [driver.name, driver] as const))(
  "the page of %s lists exactly the driver's fields",
  (name, { connection, args }) => {
    const page = readFileSync(pageOf(name), "utf8");
    const fields = [connection, args.query, args.configure].flatMap(
      (schema) => (schema && fieldsOf(schema)) ?? [],
    );
    expect(fields.length).toBeGreaterThan(0);
    const missing = fields.filter((field) => !common.includes(field) && !page.includes(`\`${field}\``));
    expect(missing).toEqual([]);
    const columns = fieldTables(page).flatMap((table) =>
      [...table.matchAll(/^\| ([^|]*`[^|]*) \|/gm)].flatMap((row) =>
        [...(row[1] ?? "").matchAll(/`([a-z][A-Za-z_]*)`/g)].map((match) => match[1] ?? ""),
      ),
    );
    const names = [connection, args.query, args.configure].flatMap(namesIn);
    expect(columns.filter((field) => ![...names, ...common].includes(field))).toEqual([]);
  },
);

/** Table rows whose first column holds fields of the connection or of `driver_args`. */
function fieldTables(page: string): string[] {
  return [...page.matchAll(/^\| (?:Field|`driver_args`) \|.*\n\|[-|]*\|\n((?:\|.*\n)*)/gm)].map(
    (match) => match[1] ?? "",
  );
}

/** Including nested objects. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const entries: unknown = Reflect.get(schema, "entries");
  const parts = ["wrapped", "item", "options", "pipe"].flatMap((part) => Reflect.get(schema, part) ?? []);
  const members = typeof entries === "object" && entries !== null ? entries : {};
  return [...Object.keys(members), ...[...Object.values(members), ...parts].flatMap(namesIn)];
}
