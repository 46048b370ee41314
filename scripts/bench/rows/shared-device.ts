/** The simulated device of network rows in its own process: one port direct and one with an added delay. */
import process from "node:process";

export interface BenchDevice {
  readonly near: number;
  /** The same device with a round-trip time of `roundTripMs`. */
  readonly far: number;
  stop(): void;
}

export async function startDevice(roundTripMs = 20, outputLines = 2_000): Promise<BenchDevice> {
  const command = [process.execPath, "scripts/bench/cli/device.ts", String(roundTripMs), String(outputLines)];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (!text.includes("\n")) continue;
    const { near, far } = JSON.parse(text) as { near: number; far: number };
    return { near, far, stop: () => child.kill() };
  }
  throw new Error("the device did not start");
}
