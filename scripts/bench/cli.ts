/** `bun run bench:cli`: one run on one simulated device; the driver's way through the HTTP API beside a bare ssh2 client and Netmiko. JSON. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { builtins } from "../../plugins/index.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { openFloor } from "./floor.ts";

const shows = 100;
const devices = 50;
const key = "bench-key-0123456789";
const login = { username: "admin", password: "admin" };

const platform = builtins.find(
  (one): one is PlatformPlugin => one.kind === "platform" && one.name === "cisco_ios",
);
if (!platform) throw new Error("cisco_ios is not there");
// The device shares the process of the floor; the service and Netmiko have their own.
const device = await startSimulator({ platform, host: "0.0.0.0", ...login, secret: "" });
const figures = {
  bench: "cli",
  rows: [
    "connect + show + close (ms)",
    `${shows} shows on an open session (ms each)`,
    `${devices} devices, one show (ms in all)`,
  ],
  floor: await measureFloor(device.port),
  api: await measureApi(device.port),
  netmiko: await measureNetmiko(device.port),
};
console.log(JSON.stringify(figures, null, 2));
await device.stop();
process.exit(0);

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return round(sorted[sorted.length >> 1] ?? 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function measureFloor(port: number) {
  const once = async (host = "127.0.0.1") => {
    const session = await openFloor({ host, port, ...login });
    await session.send("show clock");
    session.close();
  };
  const connects: number[] = [];
  for (let n = 0; n < 11; n++) connects.push(await timed(() => once()));
  const session = await openFloor({ host: "127.0.0.1", port, ...login });
  const all = await timed(async () => {
    for (let n = 0; n < shows; n++) await session.send("show clock");
  });
  session.close();
  const many = await timed(() =>
    Promise.all(Array.from({ length: devices }, (_, n) => once(`127.0.3.${n + 1}`))),
  );
  return { connect_show_close: median(connects), show: round(all / shows), devices: round(many) };
}

async function measureApi(port: number) {
  const data = mkdtempSync(join(tmpdir(), "bench-cli-"));
  const listen = await freePort();
  const child = Bun.spawn([process.execPath, resolve("src/main.ts"), "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      PATCHBAY_DATA_DIR: data,
      PATCHBAY_LISTEN: `127.0.0.1:${listen}`,
      PATCHBAY_API_KEY: key,
      PATCHBAY_LOG_LEVEL: "error",
    },
    stdout: "ignore",
    stderr: "inherit",
  });
  const url = `http://127.0.0.1:${listen}`;
  const headers = { "X-API-KEY": key, "Content-Type": "application/json", Prefer: "wait=60" };
  const connection = { device_type: "cisco_ios", port, ...login };
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as { data: { status?: string; succeeded?: unknown[] } };
  };
  const run = async (command: string | string[], queue_strategy: string) => {
    const { data: job } = await post("/device/execute", {
      driver: "netmiko",
      connection_args: { ...connection, host: "127.0.0.1" },
      command,
      options: { queue_strategy },
    });
    if (job.status !== "finished") throw new Error(`a job ended as ${JSON.stringify(job)}`);
  };
  try {
    while (
      !(await fetch(`${url}/livez`).then(
        (r) => r.ok,
        () => false,
      ))
    )
      await Bun.sleep(5);
    for (let n = 0; n < 5; n++) await run("show clock", "fifo");
    const connects: number[] = [];
    for (let n = 0; n < 11; n++) connects.push(await timed(() => run("show clock", "fifo")));
    await run("show clock", "pinned");
    const jobs: number[] = [];
    for (let n = 0; n < shows; n++) jobs.push(await timed(() => run("show clock", "pinned")));
    const inOneJob = await timed(() =>
      run(
        Array.from({ length: shows }, () => "show clock"),
        "pinned",
      ),
    );
    const many = await timed(() =>
      post("/device/bulk", {
        driver: "netmiko",
        connection_args: connection,
        devices: Array.from({ length: devices }, (_, n) => ({ host: `127.0.4.${n + 1}` })),
        command: "show clock",
        options: { queue_strategy: "fifo" },
      }),
    );
    return {
      connect_show_close: median(connects),
      show_as_a_job_of_its_own: median(jobs),
      show: round(inOneJob / shows),
      devices: round(many),
    };
  } finally {
    child.kill();
    await child.exited;
    rmSync(data, { recursive: true, force: true });
  }
}

/** Netmiko where Debian's package is installed; undefined elsewhere. */
async function measureNetmiko(port: number) {
  if (!existsSync("/usr/bin/python3")) return undefined;
  const child = Bun.spawn(
    ["/usr/bin/python3", "scripts/bench/with-netmiko.py", String(port), String(shows), String(devices)],
    {
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const text = await new Response(child.stdout).text();
  return (await child.exited) === 0 ? (JSON.parse(text) as object) : undefined;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === "object" && address ? address.port : 0;
}
