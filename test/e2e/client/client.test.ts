/** A client generated from GET /openapi.json compiles as strictly as this repository, and its calls succeed. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readApiExamples } from "../../../scripts/api-examples.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { clientProgram, isRefused } from "./client-program.ts";

const run = promisify(execFile);
const examples = readApiExamples();
/** They need a server with a running detached task, and a person in place of a key of a machine. */
const elsewhere: Readonly<Record<string, number>> = {
  "GET /detached-task/{name}": 404,
  "POST /person/me/key": 403,
  "POST /recipe/{name}/run": 404,
  "POST /recipe/{name}/run/{item}/refuse": 404,
  "POST /recipe/{name}/hook": 404,
};

let service: Service;
let device: SimulatedDevice;
let folder: string;
beforeAll(async () => {
  mkdirSync("node_modules/.cache", { recursive: true });
  // Below node_modules, so that it can import the client package.
  folder = mkdtempSync(resolve("node_modules/.cache/client-"));
  device = await simulated("cisco_ios");
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  await device.stop();
  rmSync(folder, { recursive: true });
});

async function generated(): Promise<void> {
  const description = await fetch(`${service.url}/openapi.json`, { headers: { "X-API-KEY": service.key } });
  writeFileSync(join(folder, "openapi.json"), await description.text());
  const made = await run(process.execPath, [
    ...["scripts/client-types.ts", join(folder, "openapi.json"), join(folder, "api.ts")],
  ]);
  expect(made.stdout + made.stderr).toBe("");
  writeFileSync(join(folder, "program.ts"), clientProgram(examples));
  const config = { extends: resolve("tsconfig.json"), include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
}

/** A job and a bulk that the examples can refer to. */
async function submitted() {
  const { port } = device;
  const connection_args = {
    device_type: "cisco_ios",
    host: "127.0.0.1",
    port,
    username: "admin",
    password: "admin",
  };
  const work = { driver: "netmiko", connection_args, command: "show clock" };
  const job = await service.run(work);
  const bulk = await service.call<{ bulk_id: string }>(
    ...(["POST", "/device/bulk", { ...work, devices: [{}] }, { Prefer: "wait=60" }] as const),
  );
  return { job: job.id, bulk: bulk.body.data.bulk_id };
}

const told = v.object({ seen: v.array(v.object({ status: v.number(), body: v.unknown() })) });

test("runs every example of docs/reference/api.md through a generated client", async () => {
  await generated();
  expect(examples.length).toBeGreaterThan(15);
  expect(examples.filter(isRefused).length).toBeGreaterThan(1);
  const compiled = await run("node_modules/.bin/tsc", ["--noEmit", "-p", folder]).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe("");
  const { job, bulk } = await submitted();
  const asked = [join(folder, "program.ts"), service.url, service.key, job, bulk, String(device.port)];
  const { stdout } = await run(process.execPath, asked, { maxBuffer: 64 * 1024 * 1024 });
  const { seen } = v.parse(told, JSON.parse(stdout));
  const expected = examples.map(({ method, path, status }) => {
    const known = elsewhere[`${method} ${path}`] ?? status;
    return [`${method} ${path}`, known ?? "2xx"];
  });
  const got = seen.map(({ status }, at) => {
    const [route = "", known] = expected[at] ?? [];
    return [route, known === "2xx" && status >= 200 && status < 300 ? "2xx" : status];
  });
  expect(got).toEqual(expected);
}, 900_000);
