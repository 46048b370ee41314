/** `patchbay simulate`: a device to try things on, until it is told to stop. */
import process from "node:process";
import { builtins } from "../../plugins/index.ts";
import { ServiceError } from "../base/errors.ts";
import { createLog } from "../base/log.ts";
import { nearNames } from "../base/near.ts";
import { discover, findPlugins } from "../registry/discover.ts";
import { type Faults, namedFaults } from "../simulator/faults.ts";
import { startSimulator } from "../simulator/simulator.ts";

export async function simulate(options: Record<string, string>): Promise<void> {
  const log = createLog({ level: "warn", format: "pretty" });
  const registry = await discover(
    builtins,
    await findPlugins((options.plugins ?? "").split(":").filter(Boolean)),
    log,
  );
  const name = options.platform ?? "";
  const platform = registry.get("platform", name);
  if (!platform) {
    const near = nearNames(name, registry.names("platform"));
    throw new ServiceError(
      "Validation",
      `There is no platform "${name}".${near.length > 0 ? ` Did you mean ${near.join(", ")}?` : ""}`,
    );
  }
  const transport = options.transport === "telnet" ? "telnet" : "ssh";
  const { username = "admin", password = "admin", secret = "enable" } = options;
  const host = options.host ?? "127.0.0.1";
  const port = whole(options.port ?? "0", "--port", 65_535);
  const device = await startSimulator({
    platform,
    transport,
    username,
    password,
    secret,
    host,
    port,
    hostname: options.hostname ?? "R1",
    latencyMs: whole(options.latency ?? "0", "--latency", 60_000),
    thinking: whole(options.thinking ?? "0", "--thinking", 60_000),
    transcripts: options.transcripts,
    faults: faultOf(options.fault),
  }).catch((error: unknown) => {
    throw notListening(error, host, port);
  });
  const how =
    transport === "ssh" ? `ssh -p ${device.port} ${username}@127.0.0.1` : `telnet 127.0.0.1 ${device.port}`;
  process.stdout.write(
    `A simulated ${platform.name} listens on port ${device.port}: ${how} (password ${password}, enable ${secret}). Ctrl-C ends it.\n`,
  );
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  await device.stop();
  process.exit(0);
}

/** What the system says of an address it does not give, as a sentence. */
function notListening(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is used by another program: name another one with --port, or none for a free one.`,
    EACCES: `Port ${port} is kept for root: name one above 1023 with --port.`,
    EADDRNOTAVAIL: `${host} is no address of this machine: name one with --host.`,
  };
  return why[code] === undefined ? error : new ServiceError("Validation", why[code], {}, { cause: error });
}

function faultOf(name: string | undefined): Faults {
  if (name === undefined) return {};
  const found = Object.entries(namedFaults).find(([one]) => one === name)?.[1];
  if (found) return found;
  throw new ServiceError("Validation", `--fault must be one of ${Object.keys(namedFaults).join(", ")}.`);
}

function whole(text: string, flag: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new ServiceError("Validation", `${flag} must be a whole number up to ${most}.`);
}
