/**
 * The row `session-memory`: memory of a kept session of the driver, next to a bare ssh2 client; each in its
 * own process.
 */
import process from "node:process";
import * as v from "valibot";
import type { SpeedRow } from "./row.ts";

const told = v.object({ kb_per_session: v.number() });

export default {
  name: "session-memory",
  title: "memory of a kept session",
  unit: "KB",
  better: "less",
  goal: 80,
  async measure({ quick }) {
    const sessions = quick ? 250 : 1_000;
    const floor = await measured(sessions, "floor");
    const value = await measured(sessions, "driver");
    return { value, floor: { name: "bare ssh2", value: floor }, details: { sessions } };
  },
} satisfies SpeedRow;

async function measured(sessions: number, whose: "floor" | "driver"): Promise<number> {
  const command = [process.execPath, "scripts/bench/sessions.ts", String(sessions), whose];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  return v.parse(told, JSON.parse(text)).kb_per_session;
}
