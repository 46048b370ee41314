/** Every example, as an operator would use it: with the source and with the binary, in a plain run one of them. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import acmeOs from "../../examples/acme-os/plugin.ts";
import { type AcmeDevice, startDevice } from "../../examples/acme-rest/device.ts";
import { startUdpDevice, type UdpDevice } from "../../examples/acme-udp/device.ts";
import { type HealthServer, startHealthServer } from "../../examples/grpc-health/server.ts";
import { filesIn } from "../../src/base/files/file-below.ts";
import { type Service, startService } from "../../src/testkit/service.ts";
import { type Simulator, startSimulator } from "../../src/testkit/simulator/simulator.ts";
import { binary } from "../e2e/binary.ts";
import { programs } from "../e2e/programs.ts";

const token = "canary-device-token";

describe.each(programs)("the examples, from %s:", (how) => {
  let service: Service;
  let device: AcmeDevice;
  let sensor: UdpDevice;
  let health: HealthServer;
  let room: Awaited<ReturnType<typeof startRoom>>;
  let vault: Awaited<ReturnType<typeof startVault>>;
  let cmdb: Awaited<ReturnType<typeof startCmdb>>;
  beforeAll(async () => {
    [device, sensor, health, room, vault, cmdb] = await Promise.all([
      startDevice(token),
      startUdpDevice(token),
      startHealthServer(token),
      startRoom(),
      startVault(),
      startCmdb(),
    ]);
    const program = how === "binary" ? { binary: await binary() } : { runtime: "bun" as const };
    service = await startService({
      ...program,
      env: {
        PATCHBAY_PLUGINS: resolve("examples"),
        PATCHBAY_URL_ALLOW: "127.0.0.1",
        PATCHBAY_PLUGIN_ACME_REST_SCHEME: "http",
        PATCHBAY_PLUGIN_KV_VAULT_URL: vault.url,
        PATCHBAY_PLUGIN_KV_VAULT_TOKEN: "canary-vault-token",
        PATCHBAY_PLUGIN_ENV_CMDB_PASSWORD: "canary-cmdb-token",
      },
    });
  });
  afterAll(async () => {
    await service.stop();
    for (const { server } of [room, vault, cmdb]) server.close();
    for (const each of [device, sensor, health]) each.close();
  });

  const request = (more: object) => ({
    driver: "acme-rest",
    connection_args: { host: "127.0.0.1", port: device.port, token },
    ...more,
  });

  test("acme-rest reads paths, pushes a configuration and reports a refusal", async () => {
    const read = await service.run(request({ command: ["config", "config"], driver_args: { depth: 2 } }));
    expect(read.result?.retval).toEqual({ config: { lines: [] }, "config #2": { lines: [] } });
    expect(await service.run(request({ config: ["a", "b"] }))).toMatchObject({ status: "finished" });
    expect(device.config).toEqual(["a", "b"]);
    expect((await service.run(request({ command: ["config", "absent"] }))).result).toMatchObject({
      retval: { config: { lines: ["a", "b"] } },
      error: { type: "CommandError", command: "GET /data/absent", status: 404 },
    });
    const test = {
      driver: "acme-rest",
      connection_args: { host: "127.0.0.1", port: device.port, token: "wrong" },
    };
    expect((await service.call("POST", "/device/test-connection", test)).body.data).toMatchObject({
      success: false,
      error_message: "Authentication failed for @127.0.0.1",
    });
  });

  test("acme-rest rolls back a push whose check fails", async () => {
    const before = [...device.config];
    const checks = { after: [{ command: "config", expression: '"kept" in lines' }] };
    const job = await service.run(request({ config: ["taken back"], checks }));
    expect(job.checks).toMatchObject({ pushed: true, undone: true, how: "replace" });
    expect(device.config).toEqual(before);
    expect(await service.run(request({ config: ["kept"], checks }))).toMatchObject({ status: "finished" });
    expect(device.config).toEqual([...before, "kept"]);
  });

  test("acme-rest rejects unsupported arguments before anything is sent", async () => {
    const answer = await service.call(
      "POST",
      "/device/execute",
      request({ config: ["a"], driver_args: { replace: 1 } }),
    );
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain("driver_args.replace");
    const warned = await service.call<{ warnings: string[] }>(
      "POST",
      "/device/execute",
      request({ command: "config", driver_args: { dept: 1 } }),
    );
    expect(warned.body.data.warnings).toEqual([
      "driver_args.dept is not known to the driver acme-rest and was ignored; did you mean depth?",
    ]);
  });

  test("acme-udp asks again after a lost datagram, sets once, and is not flooded", async () => {
    const connection_args = { host: "127.0.0.1", port: sensor.port, token, timeout: 1 };
    const run = (more: object) => service.run({ driver: "acme-udp", connection_args, ...more });
    sensor.lose = 2;
    expect((await run({ command: "name" })).result?.retval).toEqual({ name: "value of name" });
    expect(sensor.requests.splice(0)).toEqual(["get name", "get name", "get name"]);
    sensor.times = 2_000;
    expect((await run({ command: "echo" })).result?.retval).toEqual({ echo: "[secret]" });
    sensor.times = 1;
    expect((await run({ command: ["name", "absent"] })).result).toMatchObject({
      retval: { name: "value of name" },
      error: { type: "CommandError", message: "The device refused: no such name." },
    });
    sensor.lose = 1;
    sensor.requests.length = 0;
    const lost = await run({ config: ["a"] });
    expect(lost.result?.error).toMatchObject({ type: "ReadTimeout", outcome: "unknown" });
    expect(sensor.requests).toEqual(["set a"]);
  });

  test("grpc-health follows a status, and ends by its count, its bounds and a cancel", async () => {
    const connection_args = { host: "127.0.0.1", port: health.port, token, ca: "insecure" };
    const asked = (more: object) => ({ driver: "grpc-health", connection_args, ...more });
    expect((await service.run(asked({ command: "*" }))).result?.retval).toEqual({ "*": "SERVING" });
    const watching = service.run(asked({ command: "core", driver_args: { changes: 2 } }));
    await expect.poll(() => health.watches).toBe(1);
    health.tell(2);
    expect((await watching).result?.retval).toEqual({ core: ["SERVING", "NOT_SERVING"] });
    await expect.poll(() => health.watches).toBe(0);
    expect((await service.run(asked({ command: "large" }))).result?.error).toMatchObject({
      type: "OutputTooLarge",
    });
    const secured = { ...connection_args, ca: undefined };
    const refused = await service.run(asked({ command: "*", connection_args: secured }));
    expect(JSON.stringify(refused.result?.error)).toContain('"reason":"no_tls"');
    const { body } = await service.call<{ id: string }>(
      "POST",
      "/device/execute",
      asked({ command: "core", driver_args: { changes: 1_000, seconds: 600 } }),
    );
    await expect.poll(() => health.watches).toBe(1);
    await service.call("DELETE", `/job?id=${body.data.id}&force=true`);
    expect((await service.ended(body.data.id)).result?.error).toMatchObject({ type: "Cancelled" });
    await expect.poll(() => health.watches).toBe(0);
  });

  test("acme-udp and grpc-health reach no host that the key may not", async () => {
    const made = await service.call<{ key: string }>("POST", "/key", {
      ...{ name: "elsewhere", scope: "operate", hosts: ["192.0.2.0/24"] },
    });
    for (const [driver, port] of [
      ["acme-udp", sensor.port],
      ["grpc-health", health.port],
    ]) {
      const connection_args = { host: "127.0.0.1", port, token };
      const body = { driver, connection_args, command: "*" };
      const answer = await service.call("POST", "/device/execute", body, { "X-API-KEY": made.body.data.key });
      expect(answer.status, String(driver)).toBe(403);
    }
  });

  test("acme-cmdb brings the devices of all pages", async () => {
    const credential = { name: "env", ref: "cmdb" };
    const source = { kind: "acme-cmdb", url: cmdb.url, site: "berlin", credential };
    expect((await service.call("PUT", "/inventory/source/cmdb", source)).status).toBe(201);
    const { body } = await service.call("POST", "/inventory/source/cmdb/sync");
    expect(body).toMatchObject({ data: { status: "succeeded", added: 2 } });
    expect(JSON.stringify(body)).toContain("devices of an unknown model have no platform (1)");
    expect(cmdb.asked).toEqual(
      [1, 2].map((page) => `/assets?site=berlin&page=${page} Bearer canary-cmdb-token`),
    );
    const { body: device } = await service.call("GET", "/inventory/device/sw1");
    expect(device.data).toMatchObject({ host: "192.0.2.1", platform: "cisco_ios", source: "cmdb" });
  });

  test("kv-vault supplies a credential by reference, and chat posts the end of the job", async () => {
    const connection_args = {
      host: "127.0.0.1",
      port: device.port,
      credential: { name: "kv-vault", path: "core/r1" },
    };
    const webhook = {
      name: "chat",
      room: room.url,
      token: "canary-room-token",
      text: "{host} {status}: {error}",
    };
    const job = await service.run(request({ connection_args, command: "echo", options: { webhook } }));
    expect(job.result?.retval).toEqual({ echo: { path: "/restconf/data/echo", token: "[secret]" } });
    expect(vault.asked).toContain("core/r1 canary-vault-token");
    const lost = { ...connection_args, credential: { name: "kv-vault", path: "core/absent" } };
    const failed = await service.run(
      request({ connection_args: lost, command: "echo", options: { webhook } }),
    );
    expect(failed.result?.error?.message).toBe("There is nothing at core/absent: no [secret] here");
    await room.got(2);
    expect(room.texts).toEqual(["127.0.0.1 finished:", `127.0.0.1 failed: ${failed.result?.error?.message}`]);
  });

  test("shout renders a template and reports the line of a mistake", async () => {
    const render = (template: string) =>
      service.call<string>("POST", "/template/render/shout", {
        template,
        context: { name: "r1", password: "canary-word" },
      });
    expect((await render("hostname %{name}\n100%%")).body.data).toBe("hostname R1\n100%");
    expect(await render("a\n%{absent}")).toMatchObject({
      status: 400,
      body: { data: { template_error: "TemplateRuntime", line: 2 } },
    });
    expect(await render("a %{")).toMatchObject({
      status: 400,
      body: { data: { template_error: "TemplateSyntax" } },
    });
  });

  test("acme-os works on a simulated device with its transcripts", async () => {
    const simulated: Simulator = await startSimulator({
      platform: acmeOs,
      transport: "ssh",
      username: "u",
      password: "p",
      secret: "s",
      host: "127.0.0.1",
      port: 0,
      hostname: "R1",
      latencyMs: 0,
      thinking: 0,
      transcripts: "examples/acme-os/transcripts",
    });
    const connection_args = {
      device_type: "autodetect",
      host: "127.0.0.1",
      port: simulated.port,
      username: "u",
      password: "p",
      secret: "s",
    };
    const job = await service.run({
      driver: "netmiko",
      connection_args,
      command: ["show interfaces", "show nothing"],
    });
    expect(job.result?.retval?.["show interfaces"]).toContain("192.0.2.1/24");
    const pushed = await service.run({
      driver: "netmiko",
      connection_args,
      config: ["hostname R2"],
      driver_args: { save: true },
    });
    expect(pushed.status).toBe("finished");
    await simulated.stop();
  });

  test("the service's output and files contain no secret of the examples", () => {
    expect(service.output()).not.toMatch(/canary-(?:device|vault|room)/);
    const leaking = filesIn(service.dataDir).filter((path) =>
      readFileSync(path, "latin1").includes("canary-"),
    );
    expect(leaking).toEqual([]);
    // Arguments of this process and its children, and the environment that a plugin could read.
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain("canary-");
  });

  test("GET /plugin lists the examples with their settings masked", async () => {
    const { body } = await service.call<{ name: string; kind: string; settings: object[] }[]>(
      "GET",
      "/plugin",
    );
    const named = (name: string) => body.data.find((plugin) => plugin.name === name);
    expect(named("acme-rest")).toMatchObject({
      kind: "driver",
      version: "1.0.0",
      origin: "acme-rest",
      refused: null,
    });
    expect(named("kv-vault")?.settings).toEqual([
      { name: "url", value: vault.url, origin: "environment" },
      { name: "token", value: "[secret]", origin: "environment" },
      { name: "seconds", value: "5", origin: "default" },
    ]);
  });
});

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

async function startRoom() {
  const texts: string[] = [];
  let heard = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    texts.push(JSON.parse(body).text);
    response.writeHead(204).end();
    heard.resolve();
    heard = Promise.withResolvers();
  });
  const got = async (count: number) => {
    while (texts.length < count) await heard.promise;
  };
  return { server, texts, got, url: await listening(server) };
}

async function startVault() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url?.replace("/v1/secret/", "") ?? "";
    asked.push(`${path} ${request.headers["x-vault-token"]}`);
    if (path === "core/r1") response.end(JSON.stringify({ data: { token } }));
    else response.writeHead(404).end(`no ${request.headers["x-vault-token"]} here`);
  });
  return { server, asked, url: await listening(server) };
}

async function startCmdb() {
  const asked: string[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    asked.push(`${url} ${headers.authorization}`);
    const page = Number(/page=(\d+)/.exec(url)?.[1]);
    const asset = {
      hostname: `sw${page}`,
      address: `192.0.2.${page}`,
      model: page === 1 ? "switch" : "toaster",
    };
    response.end(JSON.stringify({ next: page === 1 ? 2 : null, assets: [asset] }));
  });
  return { server, asked, url: await listening(server) };
}
