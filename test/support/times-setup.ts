/** Setup file of `bun run test --times`: runs in a worker before each test file, and records what the file takes. */
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import { afterAll, expect } from "vitest";
import { timeSoFar, timesVariable } from "./times.ts";

/** A worker that files share keeps its time up to the last file on the global object: modules are loaded anew. */
const place: typeof globalThis & { timeBefore?: ReturnType<typeof timeSoFar> } = globalThis;
const before = place.timeBefore ?? { wall: 0, own: 0, children: 0 };

// Registered first, so it runs last.
afterAll(() => {
  const record = process.env[timesVariable];
  const { testPath } = expect.getState();
  if (record === undefined || testPath === undefined) return;
  const now = timeSoFar();
  place.timeBefore = now;
  const taken = {
    file: relative(".", testPath),
    wall: now.wall - before.wall,
    own: now.own - before.own,
    children: now.children - before.children,
  };
  appendFileSync(record, `${JSON.stringify(taken)}\n`);
});
