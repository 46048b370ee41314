/** The device of bench:cli, in a process of its own: one port as it is, one behind a line of a given round trip. Prints both as JSON. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { builtins } from "../../../plugins/index.ts";
import type { PlatformPlugin } from "../../../src/plugin/index.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";

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
const far = createServer((near) => {
  near.setNoDelay(true);
  const beyond = connect({ port: device.port, host: "127.0.0.1", noDelay: true });
  delay(near, beyond, roundTripMs / 2);
  delay(beyond, near, roundTripMs / 2);
});
far.listen(0, "0.0.0.0", () => {
  const address = far.address();
  const farPort = typeof address === "object" && address ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ near: device.port, far: farPort })}\n`);
});

/** All that comes in goes out `oneWayMs` later, in order. */
function delay(from: Socket, to: Socket, oneWayMs: number): void {
  from.on("data", (chunk) => void setTimeout(() => to.writable && to.write(chunk), oneWayMs));
  from.on("close", () => void setTimeout(() => to.destroy(), oneWayMs));
  from.on("error", () => to.destroy());
}
