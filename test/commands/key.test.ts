/** API keys and the master key on the command line, while the service runs and while it does not. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { programOf, startService, tempFolder } from "../../src/testkit/service.ts";

const [program, ...begin] = programOf();

function patchbay(dataDir: string, ...args: string[]) {
  return spawnSync(program, [...begin, ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir },
  });
}

test("keys are added, limited and revoked while the service runs, and the master key is rotated", async () => {
  const dataDir = tempFolder();
  const service = await startService({ dataDir });
  const key = patchbay(
    dataDir,
    "key",
    "add",
    "reader",
    "--scope",
    "read",
    "--hosts",
    "10.0.0.0/8",
  ).stdout.trim();
  expect(key).toMatch(/^pb_[\w-]{43}$/);
  const as = (path: string, method = "GET", body?: object) =>
    service.call(method, path, body, { "X-API-KEY": key });
  expect((await as("/job")).status).toBe(200);
  expect((await as("/device/execute", "POST", {})).status).toBe(403);
  expect((await as("/audit")).status).toBe(403);
  expect(patchbay(dataDir, "key", "list").stdout).toMatch(/reader\tread\t10\.0\.0\.0\/8/);
  expect(patchbay(dataDir, "key", "list").stdout).not.toContain(key);

  const submitted = await service.call<{ id: string }>("POST", "/device/execute", {
    driver: "netmiko",
    connection_args: { device_type: "cisco_ios", host: "127.0.0.1", port: 1, username: "u", password: "p" },
    command: "show clock",
  });
  const before = await service.ended(submitted.body.data.id);
  expect(await service.stop()).toBe(0);

  expect(patchbay(dataDir, "key", "revoke", "reader").status).toBe(0);
  expect(patchbay(dataDir, "key", "rotate-master").status).toBe(0);
  expect(statSync(join(dataDir, "master.key")).mode & 0o777).toBe(0o600);
  const next = await startService({ dataDir });
  try {
    expect((await next.call("GET", "/job", undefined, { "X-API-KEY": key })).status).toBe(403);
    expect(await next.job(before.id)).toEqual(before);
    const trail = await next.call<{ action: string; who: string; outcome: string; detail: string }[]>(
      "GET",
      "/audit?limit=500",
    );
    const ofKeys = trail.body.data.filter(({ action }) => action.startsWith("key.")).reverse();
    expect(ofKeys.map(({ action, who, outcome }) => [action, who, outcome])).toEqual([
      ["key.add", "patchbay (start)", "added"],
      ["key.add", `${userInfo().username} (command line)`, "added"],
      ["key.revoke", `${userInfo().username} (command line)`, "revoked"],
    ]);
    expect(ofKeys[1]?.detail).toBe("reader: scope read, hosts 10.0.0.0/8, expires never");
    expect(JSON.stringify(trail.body)).not.toContain(key);
  } finally {
    await next.stop();
  }
});

test("rights are given, listed and taken away on the command line, and the configured key has them all", async () => {
  const dataDir = tempFolder();
  const listed = (name: string) =>
    patchbay(dataDir, "key", "list")
      .stdout.split("\n")
      .map((line) => line.split("\t"))
      .find(([first]) => first === name)?.[4];
  expect(patchbay(dataDir, "key", "add", "reader", "--scope", "read", "--rights", "history").status).toBe(0);
  expect(patchbay(dataDir, "key", "add", "chief", "--scope", "admin").status).toBe(0);
  expect([listed("rights"), listed("reader"), listed("chief")]).toEqual([undefined, "history", "history"]);
  const wrong = patchbay(dataDir, "key", "add", "wrong", "--rights", "everything");
  expect([wrong.status, wrong.stderr]).toEqual([
    1,
    expect.stringContaining("--rights: must be one of history, history_secrets, approve."),
  ]);
  expect(patchbay(dataDir, "key", "rights", "reader", "x").stderr).toContain("must be one of history");
  expect(patchbay(dataDir, "key", "rights", "nobody", "history").stderr).toContain("no valid key named");
  expect(patchbay(dataDir, "key", "rights", "chief", "history_secrets").stdout).toBe(
    'The key "chief" has these rights: history, history_secrets.\n',
  );
  expect(patchbay(dataDir, "key", "rights", "reader").stdout).toBe(
    'The key "reader" has these rights: none.\n',
  );
  expect([listed("reader"), listed("chief")]).toEqual(["-", "history,history_secrets"]);

  const rightsOf = async () => {
    const service = await startService({ dataDir });
    const { body } = await service.call<{ name: string; rights: string[] }[]>("GET", "/key");
    expect(await service.stop()).toBe(0);
    return body.data.find(({ name }) => name === "configured")?.rights;
  };
  expect(await rightsOf()).toEqual(["history", "history_secrets", "approve"]);
  // As a version without rights had stored it.
  expect(patchbay(dataDir, "key", "rights", "configured").status).toBe(0);
  expect(listed("configured")).toBe("history");
  expect(await rightsOf()).toEqual(["history", "history_secrets", "approve"]);
});

test("recipes are listed and changed on the command line, and who made a key is told", async () => {
  const dataDir = tempFolder();
  const cells = () => {
    const found = patchbay(dataDir, "key", "list")
      .stdout.split("\n")
      .map((line) => line.split("\t"))
      .find(([first]) => first === "desk");
    return [found?.[5], found?.at(-1)];
  };
  const add = patchbay(dataDir, "key", "add", "desk", "--scope", "read", "--recipes", "port-*,vlan");
  expect(add.status, add.stderr).toBe(0);
  expect(cells()).toEqual(["port-*,vlan", expect.stringMatching(/^.+ \(command line\)$/)]);
  expect(patchbay(dataDir, "key", "recipes", "desk", "vlan").stdout).toBe(
    'The key "desk" may run these recipes: vlan.\n',
  );
  expect(patchbay(dataDir, "key", "recipes", "desk", "none").stdout).toContain("recipes: none.");
  expect(cells()[0]).toBe("none");
  expect(patchbay(dataDir, "key", "recipes", "desk", "a b").stderr).toContain("The list of recipes: ");
  expect(patchbay(dataDir, "key", "recipes", "desk").stdout).toContain("recipes: none.");
  expect(cells()[0]).toBe("-");
  const agent = patchbay(dataDir, "key", "add", "bot", "--scope", "agent", "--recipes", "vlan");
  expect(agent.status, agent.stderr).toBe(0);
  expect(patchbay(dataDir, "key", "recipes", "bot", "port-*").stdout).toBe(
    'The key "bot" may propose these recipes: port-*.\n',
  );
  const put = (...more: string[]) => patchbay(dataDir, "role", "put", "desk", "--group", "desk", ...more);
  expect(put("--scope", "admin").status).toBe(0);
  const role = put("--scope", "read", "--recipes", "port-*");
  expect(role.stderr).toContain("last role");
  expect(patchbay(dataDir, "key", "add", "chief", "--scope", "admin").status).toBe(0);
  expect(put("--scope", "read", "--recipes", "port-*").stderr).toContain(
    "Runs the recipes port-*, and starts nothing else.",
  );
});

test("listing keys creates nothing, and files that root creates belong to the directory's owner", () => {
  const folder = tempFolder();
  const dataDir = join(folder, "data");
  const nothing = patchbay(dataDir, "key", "list");
  expect(nothing).toMatchObject({ status: 1, stderr: expect.stringContaining("There is no database in") });
  expect(patchbay(dataDir, "key", "revoke", "x").status).toBe(1);
  expect(existsSync(dataDir)).toBe(false);
  if (process.getuid?.() !== 0) return;
  mkdirSync(dataDir, { mode: 0o700 });
  chmodSync(folder, 0o755);
  chownSync(dataDir, 65_534, 65_534);
  expect(patchbay(dataDir, "key", "add", "first").stdout).toMatch(/^pb_/);
  const createdFiles = readdirSync(dataDir);
  expect(createdFiles).toContain("master.key");
  for (const name of createdFiles) expect(statSync(join(dataDir, name)).uid, name).toBe(65_534);
  rmSync(folder, { recursive: true, force: true });
});
