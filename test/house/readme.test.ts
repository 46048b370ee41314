/** README's tables are complete: every setting and every route, and nothing else. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, test } from "vitest";
import { settings } from "../../src/config/settings.ts";
import { routes } from "../../src/http/route-table.ts";

const page = readFileSync("README.md", "utf8");
const section = (name: string) => page.split(`\n## ${name}\n`)[1]?.split("\n## ")[0] ?? "";

test("README lists each setting with its default and meaning, in the order of the code", () => {
  const rows = Object.entries(settings).map(([name, { about, schema }]) => {
    const value: unknown = v.parse(schema, undefined);
    const none = value === undefined || (Array.isArray(value) && value.length === 0);
    return `| \`PATCHBAY_${name.toUpperCase()}\` | ${none ? "" : `\`${value}\``} | ${about} |`;
  });
  expect(section("Configuration").match(/^\| `PATCHBAY_.*$/gm)).toEqual(rows);
});

test("README lists exactly the existing routes", () => {
  const named = [
    ...(section("API").match(/^\|.*$/gm) ?? [])
      .join("\n")
      .matchAll(/`((?:GET|PUT|POST|PATCH|DELETE) \/[^`?]*)\??[^`]*`/g),
  ];
  const documented = routes.map(([method, path]) => `${method} ${path.replace(":name", "{name}")}`);
  const open = ["GET /livez", "GET /readyz"];
  expect(named.map(([, route]) => route).sort()).toEqual([...documented, ...open].sort());
});
