/** What comes from disk is data: a damaged row is left out or refused, named, and stops nothing else. */
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { isExhaustive } from "../../support/sampled.ts";
import { temporary } from "../../support/temporary.ts";

const child = join(import.meta.dirname, "damage/child.ts");

test("no column of any table, whatever stands in it, aborts the process or hides other rows", async () => {
  const folder = temporary();
  const running = Bun.spawn([process.execPath, child, folder.path], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
  ]);
  folder.remove();
  const lines = out.trim().split("\n");
  // The last line tells where an abort happened.
  expect([await running.exited, err, lines.at(-1)]).toEqual([0, "", expect.any(String)]);
  const isTold = (line: string | undefined) => line?.includes("PROBLEM") === true;
  expect(lines.filter((line, at) => isTold(line) || isTold(lines[at + 1]))).toEqual([]);
  // The first line tells how many damages of how many were chosen.
  const [chosen, all] = (lines[0]?.match(/\d+/g) ?? []).map(Number);
  expect(all).toBeGreaterThan(1_000);
  expect(chosen).toBeGreaterThan(isExhaustive() ? 1_000 : 150);
}, 300_000);
