/** `patchbay schedule` for an operator: created from a file and flags, shown, paused, run now, removed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKey, type Service, startService } from "../../src/testkit/service.ts";
import { loggedIn, type Operator } from "./terminal.ts";

let service: Service;
let someone: Operator;

beforeAll(async () => {
  service = await startService();
  someone = await loggedIn(service.url, adminKey, {});
});
afterAll(() => service.stop());

const file = `
name: versions
cron: "30 2 * * 1-5"
time_zone: Europe/Berlin
what:
  kind: query
  request:
    driver: netmiko
    connection_args: {device_type: cisco_ios, username: u, port: 9}
    devices: [{host: 127.0.0.1}]
    command: show version
`;

test("manages a schedule from creation to removal", async () => {
  const path = join(someone.home, "versions.yaml");
  writeFileSync(path, file);
  const made = await someone.piped(["schedule", "add", path, "--overlap", "queue", "--json"]);
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(made.out)).toMatchObject({ name: "versions", overlap: "queue", next: { length: 10 } });
  const listed = await someone.piped(["schedule", "list"]);
  expect(listed.out).toMatch(/versions +active +30 2 \* \* 1-5 Europe\/Berlin +query/);
  expect(await someone.piped(["schedule", "pause", "versions"])).toMatchObject({
    code: 0,
    err: expect.stringContaining("versions is paused."),
  });
  expect((await someone.piped(["schedule", "run", "versions"])).err).toMatch(/submitting/);
  await expect
    .poll(async () => (await someone.piped(["schedule", "show", "versions"])).out, { timeout: 120_000 })
    .toMatch(/state +paused[\s\S]*\d\d:\d\d:\d\d\S* +submitted +\S{36}/);
  expect(await someone.piped(["schedule", "remove", "versions"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("--yes"),
  });
  expect((await someone.piped(["schedule", "remove", "versions", "--yes"])).code).toBe(0);
  expect((await someone.piped(["schedule", "show", "versions"])).err).toMatch(
    /no schedule with that id or name/,
  );
});

test("previews firings and reports errors without a file", async () => {
  const flags = ["--cron", "0 2 * * *", "--time-zone", "Europe/Berlin"];
  const next = await someone.piped(["schedule", "next", ...flags, "--json"]);
  expect(JSON.parse(next.out).next).toHaveLength(10);
  const push = ["--name", "push", "--driver", "netmiko", "--host", "r1", "--config-file", "-"];
  const made = await someone.piped(
    ["schedule", "add", "--every", "1h", ...push, "--json"],
    "hostname a\nend\n",
  );
  expect(JSON.parse(made.out).what.request).toMatchObject({
    config: ["hostname a", "end"],
    devices: [{ host: "r1" }],
  });
  const wrong = await someone.piped([
    "schedule",
    "add",
    "--name",
    "x",
    "--every",
    "1s",
    "--command",
    "show version",
  ]);
  expect(wrong.code).not.toBe(0);
  expect(wrong.err).toMatch(/every/);
});
