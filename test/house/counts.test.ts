/** `bun run house:counts` counts this tree and finds its API description. */
import { spawnSync } from "node:child_process";
import process from "node:process";
import * as v from "valibot";
import { expect, test } from "vitest";

const size = v.object({
  files: v.number(),
  lines: v.number(),
  median: v.number(),
  p90: v.number(),
  max: v.number(),
});
const naming = v.object({ program: v.number(), others: v.number(), files: v.array(v.string()) });
const counts = v.object({
  sizes: v.object({ src: size, plugins: size, scripts: size, test: size }),
  importers: v.object({ with_one: v.number(), under_60_lines: v.number(), both: v.number() }),
  naming: v.object({ bulk_id: naming, "/statistics": naming }),
  rooms: v.object({ rooms: v.number(), arrows: v.number(), circles: v.array(v.array(v.string())) }),
  openapi: v.object({ unknowns: v.number(), places: v.array(v.string()) }),
});

test("the counts are of this tree", () => {
  const args = ["scripts/house/counts.ts", "--field", "bulk_id"];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const { sizes, importers, naming, rooms, openapi } = v.parse(counts, JSON.parse(stdout));
  expect(sizes.src.max).toBeLessThanOrEqual(500);
  expect(sizes.src.median).toBeLessThan(sizes.src.p90);
  expect(importers.both).toBeLessThanOrEqual(importers.with_one);
  expect(naming["/statistics"].files).toContain("src/http/routes/admin/statistics.ts");
  expect(naming.bulk_id.program).toBeGreaterThan(3);
  expect(rooms.arrows).toBeGreaterThan(rooms.rooms);
  expect(openapi.places.length).toBeLessThanOrEqual(openapi.unknowns);
});
