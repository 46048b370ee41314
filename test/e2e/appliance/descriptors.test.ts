/**
 * Out of file descriptors: reported as the service's problem and not the device's, and the job runs once some
 * are free.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { connectionsThatFit, sessionsThatFit } from "../../../src/service/descriptors.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { adminKey, programOf, tempFolder } from "../../../src/testkit/service.ts";
import { simulated } from "../devices.ts";

const few = 110;

/** The service with a low descriptor limit, and one open connection to it. */
async function startWithFew(folder: string) {
  const port = await freePort();
  const child = spawn("sh", ["-c", `ulimit -n ${few}; exec "$0" "$@" serve`, ...programOf()], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PATCHBAY_DATA_DIR: join(folder, "data"),
      PATCHBAY_LISTEN: `127.0.0.1:${port}`,
      PATCHBAY_API_KEY: adminKey,
      PATCHBAY_LOG_FORMAT: "json",
      PATCHBAY_SLOTS: "5",
      PATCHBAY_DEVICE_THREADS: "1",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  while (!output.includes("service.started")) await pause(20);
  const open = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const kept = await open();

  async function request(method: string, path: string, body?: object) {
    const text = body === undefined ? "" : JSON.stringify(body);
    const head = [
      `${method} ${path} HTTP/1.1`,
      "Host: x",
      `X-API-KEY: ${adminKey}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(text)}`,
    ];
    const answer = Promise.withResolvers<string>();
    let got = "";
    const take = (chunk: Buffer) => {
      got += chunk.toString();
      const [top = "", rest] = got.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(top)?.[1]);
      if (rest !== undefined && Buffer.byteLength(rest) >= length) answer.resolve(rest);
    };
    kept.on("data", take);
    kept.write(`${head.join("\r\n")}\r\n\r\n${text}`);
    const json = JSON.parse(await answer.promise);
    kept.off("data", take);
    return json;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    open,
    request,
    async stop() {
      kept.destroy();
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

test("a job waits for file descriptors instead of reporting a refused connection", async () => {
  const folder = tempFolder();
  const device = await simulated("cisco_ios");
  const service = await startWithFew(folder);
  const { port, username, password, secret } = device;
  const submission = (host: string) => {
    const connection_args = { device_type: "cisco_ios", host, port, username, password, secret };
    return { driver: "netmiko", connection_args, command: "show version" };
  };
  // From source, a driver is loaded by its first job, which needs descriptors.
  await service.request("POST", "/device/execute", submission("127.0.0.1"));
  while (device.commands().length === 0) await pause(20);
  const flood = await Promise.all(Array.from({ length: few }, service.open));
  // Connections still in the kernel's backlog take none yet.
  while (service.descriptors() < few) await pause(10);
  const { data } = await service.request("POST", "/device/execute", submission("127.0.0.2"));
  const record = async () => (await service.request("GET", `/job?id=${data.id}`)).data[0];
  while (!service.output().includes("No file descriptor is left")) {
    expect((await record()).result).toBeNull();
    await pause(50);
  }
  expect(device.connections()).toBe(1);
  for (const socket of flood) socket.destroy();
  const later = async () => {
    const answer = await fetch(`${service.url}/job?id=${data.id}`, { headers: { "X-API-KEY": adminKey } });
    const { data: records }: { data: { status: string }[] } = JSON.parse(await answer.text());
    return records[0]?.status;
  };
  while (["queued", "running"].includes((await later()) ?? "")) await pause(50);
  expect(await later()).toBe("finished");
  expect(service.output()).toMatch(/"level":"warn"[^\n]*job\.requeued/);
  expect(service.output()).not.toContain("SystemError");
  await service.stop();
  await device.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

test("counts kept sessions against the descriptor limit", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => lines.push(line) });
  const config = loadConfig({ environment: {} });
  expect(sessionsThatFit(config, log, 100_000)).toBe(1_000);
  expect(lines).toEqual([]);
  expect(sessionsThatFit(config, log, 1_024)).toBe(260);
  expect(lines.join()).toContain("PATCHBAY_MAX_SESSIONS is 1000; 260 for each device thread fit");
  expect(sessionsThatFit(config, log, 300)).toBe(1);

  expect(connectionsThatFit(config.values, 1_024)).toBeUndefined();
  const asking = { ...config, values: { ...config.values, tls_client_ca: "/x" } };
  expect(connectionsThatFit(asking.values, 65_536)).toEqual({ inAll: 1_000, perAddress: 500 });
  expect(connectionsThatFit(asking.values, 1_024)).toEqual({ inAll: 51, perAddress: 26 });
  expect(sessionsThatFit(asking, log, 1_024)).toBe(132);
  expect(lines.join()).toContain("descriptors.few");
});
