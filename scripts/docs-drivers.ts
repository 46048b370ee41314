/**
 * Generates the tables of fields in docs/reference/drivers/*.md from the drivers' schemas; the surrounding text is
 * written by hand. `--check` only compares.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { builtins } from "../plugins/index.ts";
import type { JsonSchema } from "../src/base/json/json-schema.ts";
import { type DriverSchemas, schemasOfPlugins } from "../src/registry/plugin-schemas.ts";
import { createRegistry } from "../src/registry/registry.ts";

/** Its page is written by scripts/docs-napalm.ts. */
const elsewhere = ["napalm"];
const place = /<!-- fields ([a-z_ .]+): begin -->\n[\s\S]*?<!-- fields \1: end -->/g;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsOf = ({ properties }: JsonSchema): Record<string, JsonSchema> => {
  const entries = Object.entries(isObject(properties) ? properties : {});
  return Object.fromEntries(entries.flatMap(([name, field]) => (isObject(field) ? [[name, field]] : [])));
};
const without = (fields: Record<string, JsonSchema>, others: Record<string, JsonSchema>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in others)));

/** The table for a marker on a page. */
function chosen({ connection, query, configure = {} }: DriverSchemas, what: string): JsonSchema {
  const [ofQuery, ofConfigure] = [fieldsOf(query), fieldsOf(configure)];
  const onlyQuery = without(ofQuery, ofConfigure);
  const all: Record<string, JsonSchema> = {
    connection_args: connection,
    query,
    "only query": { properties: onlyQuery },
    "only configure": { properties: without(ofConfigure, ofQuery) },
    both: { properties: without(ofQuery, onlyQuery) },
    file_transfer: ofQuery.file_transfer ?? {},
  };
  const found = all[what];
  if (found === undefined) throw new Error(`there are no fields "${what}"`);
  return found;
}

function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.anyOf))
    return [...new Set(schema.anyOf.filter(isObject).map(typeOf))].filter((type) => type !== "").join(" or ");
  if (Array.isArray(schema.enum))
    return schema.enum.flatMap((word) => (typeof word === "string" ? [`\`${word}\``] : [])).join(", ");
  if ("const" in schema) return `\`${JSON.stringify(schema.const)}\``;
  const types = [schema.type].flat().filter((type) => type !== "null");
  return `${types.map(String).join(" or ")}${range(schema)}`;
}

function range({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const low = exclusiveMinimum === undefined ? minimum : undefined;
  if (typeof maximum !== "number") return "";
  const most = maximum.toLocaleString("en-US");
  return low === undefined ? `, at most ${most}` : `, ${String(low)} to ${most}`;
}

const shown = (value: unknown) => (value === undefined ? "" : `\`${JSON.stringify(value)}\``);

function table(name: string, schema: JsonSchema): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = Object.entries(fieldsOf(schema)).map(([field, one]) => {
    const { description, default: absent, examples } = one;
    if (typeof description !== "string")
      throw new Error(`${name}: the field ${field} has no meaning: say it in its schema`);
    const example = Array.isArray(examples) ? examples[0] : undefined;
    const preset = required.includes(field) ? "required" : shown(absent);
    return [`\`${field}\``, typeOf(one), preset, description, shown(example)];
  });
  return [["Field", "Type", "Default", "Meaning", "Example"], ["---", "---", "---", "---", "---"], ...rows]
    .map(
      (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`,
    )
    .join("\n");
}

const registry = createRegistry();
for (const plugin of builtins) registry.add(plugin, "builtin");
const stale: string[] = [];
for (const driver of schemasOfPlugins(registry).drivers.filter(({ name }) => !elsewhere.includes(name))) {
  const page = `docs/reference/drivers/${driver.name}.md`;
  if (!existsSync(page)) throw new Error(`${page} is missing: the driver ${driver.name} has no page`);
  const before = readFileSync(page, "utf8");
  const shownPlaces = [...before.matchAll(place)].map(([, what]) => what);
  if (!shownPlaces.includes("connection_args")) throw new Error(`${page} has no place for connection_args`);
  const after = before.replace(
    place,
    (_, what: string) =>
      `<!-- fields ${what}: begin -->\n${table(driver.name, chosen(driver, what))}\n<!-- fields ${what}: end -->`,
  );
  if (after === before) continue;
  if (process.argv.includes("--check")) stale.push(page);
  else writeFileSync(page, after);
}
if (stale.length > 0) {
  console.error(`${stale.join(", ")}: not up to date: run \`bun scripts/docs-drivers.ts\`.`);
  process.exit(1);
}
