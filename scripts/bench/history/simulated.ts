/** The simulated switch of bench:history in its own process, which shows a configuration of 9 KB; prints its port. */
import process from "node:process";
import { builtins } from "../../../plugins/index.ts";
import type { PlatformPlugin } from "../../../src/plugin/index.ts";
import { startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { versionsOf } from "./texts.ts";

export interface SimulatedSwitch {
  readonly port: number;
  readonly pid: number;
  stop(): void;
}

export async function startSimulated(): Promise<SimulatedSwitch> {
  const child = Bun.spawn([process.execPath, import.meta.path], { stdout: "pipe", stderr: "inherit" });
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) return { port: Number(text), pid: child.pid, stop: () => child.kill() };
  }
  throw new Error("the device did not start");
}

if (import.meta.main) {
  const platform = builtins.find(
    (one): one is PlatformPlugin => one.kind === "platform" && one.name === "cisco_ios",
  );
  if (!platform) throw new Error("cisco_ios is not there");
  const device = await startSimulator({ platform, host: "0.0.0.0", secret: "" });
  const [text = ""] = versionsOf(1, 1);
  device.device.configuration.replace(text.trimEnd().split("\n"));
  process.stdout.write(`${device.port}\n`);
}
