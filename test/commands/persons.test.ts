/** Roles and persons on the command line: the operator names the first admin without a service, others do it through the API. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import type { PersonRecord, RoleRecord } from "../../src/api/access/person.ts";
import { adminKey, programOf, startService, tempFolder } from "../../src/testkit/service.ts";
import { placeStore } from "../support/placed-store.ts";

const [program, ...begin] = programOf();

function patchbay(dataDir: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, [...begin, ...args], {
    encoding: "utf8",
    env: {
      ...{ PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir },
      PATCHBAY_CLIENT_CONTEXTS_FILE: join(dataDir, "contexts.toml"),
    },
  });
  return { status, stdout, stderr };
}

test("the first role is made before the service has ever started", async () => {
  const dataDir = tempFolder();
  const put = patchbay(
    dataDir,
    "role",
    "put",
    "admins",
    "--scope",
    "admin",
    "--group",
    "net",
    "--group",
    "ops",
  );
  expect(put).toMatchObject({ status: 0, stderr: expect.stringContaining("Manages keys, roles, persons") });
  const lines = patchbay(dataDir, "role", "list", "--json").stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { name: "admins", scope: "admin", groups: ["net", "ops"], hosts: [], position: 100 },
  ]);
  const preview = patchbay(dataDir, "role", "preview", "--group", "ops").stdout;
  expect(preview).toMatch(/role +admins\n/);
  expect(preview).toContain('It is the first role that names the group "ops".');
  expect(patchbay(dataDir, "role", "preview", "--group", "x").stdout).toContain("May not sign in.");
  expect(patchbay(dataDir, "role", "put", "b", "--scope", "root").stderr).toContain("scope");
  // Nobody would be an admin, and there is no key.
  const removed = patchbay(dataDir, "role", "remove", "admins", "--yes");
  expect(removed).toMatchObject({ status: expect.any(Number), stderr: expect.stringContaining("last role") });
  expect(removed.status).not.toBe(0);
});

test("persons are listed, blocked, let in and forgotten, on the machine and through the API", async () => {
  const dataDir = tempFolder();
  expect(patchbay(dataDir, "role", "put", "net", "--scope", "operate", "--group", "net").status).toBe(0);
  await placeStore(dataDir, async ({ persons }) => {
    for (const name of ["anna", "bert"])
      await persons.signIn(
        { issuer: "https://id.example.net", subject: `s-${name}`, name, email: null, groups: ["net"] },
        null,
      );
  });
  expect(patchbay(dataDir, "person", "list").stdout).toMatch(/anna +in force +net +operate +all/);
  expect(patchbay(dataDir, "person", "block", "anna")).toMatchObject({ stderr: "anna: blocked.\n" });
  const service = await startService({ dataDir });
  try {
    const keyFile = join(dataDir, "key");
    writeFileSync(keyFile, adminKey, { mode: 0o600 });
    const api = ["--url", service.url, "--key-file", keyFile];
    expect(patchbay(dataDir, "person", "show", "anna", ...api).stdout).toMatch(/state +blocked/);
    expect(patchbay(dataDir, "person", "unblock", "anna", ...api).stderr).toBe("anna: in force.\n");
    expect(patchbay(dataDir, "role", "list", ...api).stdout).toMatch(/100 +net +operate/);
    const put = patchbay(dataDir, "role", "put", "net", "--scope", "read", "--subject", "s-anna", ...api);
    expect(put).toMatchObject({ status: 0 });
    const roles = (await service.call<RoleRecord[]>("GET", "/role")).body.data;
    expect(roles).toMatchObject([{ name: "net", scope: "read", groups: [], subjects: ["s-anna"] }]);
    const preview = patchbay(dataDir, "role", "preview", "--person", "anna", "--json", ...api).stdout;
    expect(JSON.parse(preview)).toMatchObject({ role: "net", scope: "read" });
    const told = patchbay(dataDir, "person", "forget", "bert", "--yes", ...api).stderr;
    const pseudonym = /bert is (person-[0-9a-f]{12}) from now on/.exec(told)?.[1];
    const persons = (await service.call<PersonRecord[]>("GET", "/person")).body.data;
    expect(persons.map(({ name, state }) => [name, state])).toEqual([
      ["anna", "in_force"],
      [pseudonym, "forgotten"],
    ]);
    expect(patchbay(dataDir, "person", "show", "bert", ...api).status).not.toBe(0);
    expect(patchbay(dataDir, "role", "remove", "net", "--yes", ...api)).toMatchObject({ status: 0 });
  } finally {
    await service.stop();
  }
});
