/** Credentials stored on the appliance: set while the service runs, used by jobs by name, never returned. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CredentialRecord } from "../../../src/api/access/credential.ts";
import type { MadeKey } from "../../../src/api/access/key.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { lockDriver, strangerSource } from "./credential-plugins.ts";

const [program, ...begin] = programOf();

const folder = tempFolder();

let service: Service;
let device: SimulatedDevice;
beforeAll(async () => {
  writeFileSync(join(folder, "lock.mjs"), lockDriver(join(folder, "gate")));
  writeFileSync(join(folder, "stranger.mjs"), strangerSource);
  device = await simulated("cisco_ios");
  service = await startService({ plugins: [folder] });
});
afterAll(async () => {
  await service?.stop();
  await device?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const put = (ref: string, fields: unknown, key = service.key) =>
  service.call("PUT", `/credential/${ref}`, fields, { "X-API-KEY": key });
const work = (ref: string, more: object = {}) => ({
  driver: "lock",
  connection_args: { host: "r1.lock.test", credential: { name: "file", ref } },
  command: "who",
  ...more,
});
function patchbay(args: readonly string[], input: string) {
  const { status, stdout, stderr } = spawnSync(program, [...begin, ...args, "--data-dir", service.dataDir], {
    encoding: "utf8",
    input,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return { status, text: stdout + stderr };
}

async function makeKey(name: string, more: object): Promise<string> {
  const made = await service.call<MadeKey>("POST", "/key", { name, ...more });
  expect(made.status).toBe(201);
  return made.body.data.key;
}

describe("managed over the API", () => {
  test("sets, uses, lists without values, replaces and removes a credential", async () => {
    expect((await put("api", { username: "ops", password: "canary-api-one" })).status).toBe(201);
    const { result } = await service.run(work("api"));
    expect(result?.retval).toEqual({ who: "ops in with [secret]" });
    const listed = await service.call<CredentialRecord[]>("GET", "/credential");
    expect(listed.body.data.find(({ ref }) => ref === "api")).toEqual({
      ...{ source: "file", ref: "api", fields: ["username", "password"] },
      submitted_by: { kind: "key", name: "configured" },
      created_at: expect.any(String),
      changed_at: expect.any(String),
      last_used_at: expect.any(String),
    });
    expect((await put("api", { username: "two", password: "canary-api-two" })).status).toBe(200);
    expect((await service.run(work("api"))).result?.retval).toEqual({ who: "two in with [secret]" });
    expect((await service.call("DELETE", "/credential/api")).status).toBe(200);
    expect((await service.call("DELETE", "/credential/api")).status).toBe(404);
    const gone = await service.run(work("api"));
    expect(gone.result?.error).toMatchObject({
      type: "DriverError",
      message: expect.stringContaining('There is no credential "api" on this appliance'),
    });
  });

  test.each([
    ["x", ["password"], ""],
    ["x", {}, ""],
    ["x", { password: "" }, "password"],
    ["x", { password: 7 }, "password"],
    ["x", { host: "10.0.0.1" }, "host"],
    ["x", { Password: "p" }, "Password"],
    ["-x", { password: "p" }, "ref"],
    ["x?source=env", { password: "p" }, "source"],
  ])("rejects %s with %j and names the field", async (ref, fields, path) => {
    const answer = await put(ref, fields);
    expect([answer.status, answer.body.data]).toMatchObject([422, [{ path }]]);
  });

  test("rejects an oversized credential without revealing it", async () => {
    const answer = await put("long", { password: "canary".repeat(6_000) });
    expect([answer.status, answer.body.data]).toMatchObject([422, [{ path: "password" }]]);
    expect(JSON.stringify(answer.body)).not.toContain("canary");
  });

  test("only unrestricted admin keys may manage credentials", async () => {
    for (const more of [{ scope: "operate" }, { scope: "admin", hosts: ["10.*"] }]) {
      const key = await makeKey(`not-${more.scope}`, more);
      const headers = { "X-API-KEY": key };
      expect((await put("x", { password: "p" }, key)).status).toBe(403);
      expect((await service.call("GET", "/credential", undefined, headers)).status).toBe(403);
      expect((await service.call("DELETE", "/credential/x", undefined, headers)).status).toBe(403);
    }
  });

  test("keeps the credentials of different sources apart", async () => {
    expect((await put("own?source=stranger", { username: "s", password: "canary-stranger" })).status).toBe(
      201,
    );
    await put("files", { username: "f", password: "canary-files" });
    const named = (ref: string) => {
      const credential = { name: "stranger", ref };
      return service.run(work("", { connection_args: { host: "r1.lock.test", credential } }));
    };
    expect((await named("own")).result?.retval).toEqual({ who: "s in with [secret]" });
    expect((await named("files")).result?.retval).toEqual({ who: "nobody in with [secret]" });
  });
});

describe("managed at the command line beside the running service", () => {
  test("reads values from standard input and prints none", async () => {
    const set = patchbay(["credential", "set", "cli"], '{"username": "ops", "password": "canary-cli"}');
    expect(set).toMatchObject({ status: 0, text: expect.stringContaining('"file:cli" is added') });
    expect((await service.run(work("cli"))).result?.retval).toEqual({ who: "ops in with [secret]" });
    const listed = patchbay(["credential", "list"], "");
    expect(listed.text).toMatch(/^file\tcli\tusername,password\t/m);
    const wrong = patchbay(["credential", "set", "cli"], "canary-no-json");
    expect(wrong).toMatchObject({ status: 1, text: expect.stringContaining("must be a JSON object") });
    expect(patchbay(["credential", "remove", "cli"], "").status).toBe(0);
    expect(patchbay(["credential", "remove", "cli"], "").text).toContain('no credential "file:cli"');
    expect(set.text + listed.text + wrong.text).not.toContain("canary");
  });

  test("asks at a terminal and echoes only the account name", async () => {
    const command = `${programOf().join(" ")} credential set typed --data-dir ${service.dataDir}`;
    const terminal = spawn("script", ["-qec", command, "/dev/null"], {
      env: { PATH: process.env.PATH, HOME: folder },
    });
    let shown = "";
    terminal.stdout.on("data", (piece: Buffer) => (shown += piece.toString()));
    const code = new Promise((resolve) => terminal.on("exit", resolve));
    await expect.poll(() => shown, { timeout: 60_000 }).toContain("username: ");
    terminal.stdin.write("operator\r");
    await expect.poll(() => shown, { timeout: 60_000 }).toContain("password: ");
    terminal.stdin.write("canary-typo\x7fed\r");
    expect(await code).toBe(0);
    expect(shown).toContain("username: operator");
    expect(shown).not.toContain("canary");
    expect((await service.run(work("typed"))).result?.retval).toEqual({ who: "operator in with [secret]" });
  }, 120_000);
});

test("every driver accepts a credential in a request and in a bulk, shared or per entry", async () => {
  const { port, username, password, secret } = device;
  await put("device", { username, password, secret });
  const connection_args = {
    ...{ device_type: "cisco_ios", host: "127.0.0.1", port },
    credential: { name: "file", ref: "device" },
  };
  const show = { driver: "netmiko", connection_args, command: "show version" };
  expect((await service.run(show)).status).toBe("finished");
  const { credential, ...bare } = connection_args;
  for (const bulk of [
    { ...show, devices: [{}] },
    { ...show, connection_args: bare, devices: [{ credential }] },
  ]) {
    const answer = await service.call<{ succeeded: { id: string }[] }>("POST", "/device/bulk", bulk);
    const [one] = answer.body.data.succeeded;
    expect((await service.ended(one?.id ?? "")).status).toBe("finished");
  }
  const args = { host: "127.0.0.1", port: 1, credential };
  for (const [driver, more, command] of [
    ["napalm", { optional_args: {}, driver: "eos" }, "get_facts"],
    ["paramiko", {}, "true"],
    ["pyeapi", {}, "show version"],
  ] as const) {
    const answer = await service.call("POST", "/device/execute", {
      ...{
        driver,
        connection_args: { ...args, ...(driver === "napalm" ? { device_type: "eos", ...more } : {}) },
      },
      command,
    });
    expect([driver, answer.status, answer.body.data]).toMatchObject([driver, 201, {}]);
  }
});

test("audits each set, use and removal; no value is in the trail, log or database", async () => {
  const trail = await service.call<{ action: string; detail: string; host: string | null }[]>(
    "GET",
    "/audit?limit=500",
  );
  const entries = trail.body.data.map(({ action, detail, host }) => `${action} ${detail} ${host}`);
  for (const entry of [
    "credential.set file:api: username, password null",
    "credential.use file:api r1.lock.test",
    "credential.remove file:api null",
  ])
    expect(entries).toContain(entry);
  const stored = ["patchbay.db", "patchbay.db-wal"]
    .map((name) => join(service.dataDir, name))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "latin1"));
  const written = [JSON.stringify(trail.body), service.output(), ...stored].join("\n");
  expect(written.match(/canary-[a-z]+/g)).toBeNull();
});
