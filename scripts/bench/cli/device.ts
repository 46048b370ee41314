/**
 * The device of bench:cli in its own process: one port direct, one with an added round-trip time. Prints both
 * as JSON.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { builtins } from "../../../plugins/index.ts";
import type { PlatformPlugin } from "../../../src/plugin/index.ts";
import { startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { slowLine } from "../../testbed/slow-line.ts";

const [roundTripMs = 20, outputLines = 2000] = process.argv.slice(2).map(Number);

const platform = builtins.find(
  (one): one is PlatformPlugin => one.kind === "platform" && one.name === "cisco_ios",
);
if (!platform) throw new Error("cisco_ios is not there");

const transcripts = mkdtempSync(join(tmpdir(), "bench-device-"));
const configuration = Array.from({ length: outputLines }, (_, n) =>
  n % 4 === 0 ? `interface Vlan${n}` : ` description line ${n} of a configuration`,
);
writeFileSync(join(transcripts, "show_startup-config.txt"), configuration.join("\n"));

const device = await startSimulator({
  platform,
  host: "0.0.0.0",
  username: "admin",
  password: "admin",
  secret: "",
  transcripts,
});
const far = await slowLine(device.port, roundTripMs, "0.0.0.0");
process.stdout.write(`${JSON.stringify({ near: device.port, far: far.port })}\n`);
