/** The short form of `bun run bench:changes`: real routers lose a BGP session to a change, and get it back. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";

async function bench(...args: string[]): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, ["scripts/bench/changes.ts", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(child, "exit");
  return JSON.parse(text);
}

describe.skipIf(needs("frr"))("a line with wrong data", () => {
  test("is stopped by the canary, or by the first wave, and nothing of it is left, also after a kill", async () => {
    const figures = await bench(
      ...["--devices", "7", "--real", "3", "--settle", "1", "--only", "ours,kills"],
      ...["--kill-devices", "2", "--kills", "1", "--seed", "7"],
    );
    const none = { left_broken: 0, neighbours_without_session: 0, left_changed: 0 };
    expect(figures).toMatchObject({
      ours: {
        // Ten devices, of which frr-1 and sim-5 have wrong data; the second wave is one device.
        canary_breaks: { ...none, state: "stopped", touched: 1, lost: 1, states: { failed: 1, waiting: 9 } },
        canary_does_not: { ...none, state: "returned", touched: 2, lost: 1 },
      },
      kills: { sent_twice: 0, waves_after_stop: 0, without_vote: 0, left_broken: 0, record_differs: 0 },
    });
    expect(figures).toMatchObject({ kills: { runs: 1, refused_without_vote: 1, breaches: [] } });
  }, 600_000);
});
