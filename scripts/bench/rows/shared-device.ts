/** The simulated device of rows on the wire, in a process of its own: a port as it is and one behind a longer line. */
import process from "node:process";

export interface BenchDevice {
  readonly near: number;
  /** The same device behind a line whose round trip takes `roundTripMs`. */
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
