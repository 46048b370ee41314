/** Messages are read on pages and at the command line as well as by programs: none sends a person to a route of the API. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const rooms = [
  ...[
    "changes",
    "configlines",
    "configtext",
    "console",
    "detached",
    "dispatch",
    "executor",
    "files",
    "history",
  ],
  ...["intent", "inventory", "jobs", "ledger", "limits", "recipes", "registry", "rehearsal", "schedules"],
  ...["twin", "webhooks"],
];
/** The one names what a request of a recipe may call, the other what belongs into another request. */
const aboutRequests = new Set(["recipes/request/calls.ts", "jobs/request/unknown-members.ts"]);

test.each(rooms)("no message of %s names a route", (room) => {
  const found: string[] = [];
  for (const name of readdirSync(join("src", room), { recursive: true, encoding: "utf8" })) {
    const path = join(room, name);
    if (!/\.tsx?$/.test(path) || aboutRequests.has(path)) continue;
    for (const line of readFileSync(join("src", path), "utf8").split("\n"))
      if (/\b(?:GET|POST|PUT|PATCH|DELETE) \/\w/.test(line) && !/^\s*(?:\/\*\*|\/\/|\*)/.test(line))
        found.push(`${path}: ${line.trim()}`);
  }
  expect(found).toEqual([]);
});
