/** `patchbay schedule` for an operator: created from a file and flags, shown, paused, run now, removed. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { loggedIn, type Operator } from "../terminal.ts";

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
  const fired = await someone.piped(["schedule", "run", "versions"]);
  expect(fired).toMatchObject({ code: 0, err: expect.stringMatching(/: submitted\.\n$/) });
  expect(fired.out).toMatch(/^\S{36}\n$/);
  await expect
    .poll(async () => (await someone.piped(["schedule", "show", "versions"])).out, { timeout: 120_000 })
    .toMatch(/last +\S+ \d\d:\d\d:\d\d\S* submitted: 1 failed \(\w+ 1\)/);
  const { out } = await someone.piped(["schedule", "show", "versions"]);
  expect(out).toMatch(/state +paused[\s\S]*command +show version[\s\S]*\d\d:\d\d:\d\d\S* +submitted +\S{36}/);
  expect(out).toMatch(new RegExp(`^bulk +${fired.out}`, "m"));
  expect((await someone.piped(["schedule", "list"])).out).toMatch(/submitted: 1 failed \(\w+ 1\)/);
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
  const taking = ["--name", "nightly", "--every", "1d", "--take", "--select", "tag:lab", "--json"];
  const nightly = await someone.piped(["schedule", "add", ...taking]);
  expect(JSON.parse(nightly.out).what).toEqual({ kind: "history", history: { select: "tag:lab" } });
  const edited = await someone.piped(["schedule", "edit", "nightly", "--select", "tag:core", "--json"]);
  expect(JSON.parse(edited.out).what).toEqual({ kind: "history", history: { select: "tag:core" } });
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

test("a schedule that is run can be followed, and one that submits nothing is a failure", async () => {
  const flags = ["--every", "1h", "--driver", "netmiko", "--platform", "cisco_ios", "--host", "127.0.0.1"];
  await someone.piped(["schedule", "add", "--name", "followed", ...flags, "--command", "show clock"]);
  const followed = await someone.piped(["schedule", "run", "followed", "--follow"]);
  expect(followed.code).toBe(1);
  expect(followed.err).toMatch(/^Bulk \S{36}\.\n[\s\S]*1 device: 1 failed/);
  await someone.piped(["schedule", "add", "--name", "sync", "--every", "1h", "--sync", "nowhere"]);
  const failed = await someone.piped(["schedule", "run", "sync"]);
  expect(failed).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/: failed \(.+\)\.\n$/) });
  expect((await someone.piped(["schedule", "list"])).out).toMatch(/failed: There is no source/);
});

test("shows the latest 20 firings, and how many there are", async () => {
  await someone.piped(["schedule", "add", "--name", "often", "--every", "1h", "--sync", "nowhere"]);
  for (let fired = 0; fired < 22; fired++) await service.call("POST", "/schedule/often/run");
  await expect
    .poll(async () => (await service.call("GET", "/schedule/often/firing")).body.data)
    .toHaveLength(22);
  const { out, err } = await someone.piped(["schedule", "show", "often"]);
  expect(err).toBe("The latest 20 of 22 firings.\n");
  expect(
    out.split("\n").filter((line) => /\d\d:\d\d:\d\d\S* +(?:failed|skipped|submitting|waiting) /.test(line)),
  ).toHaveLength(20);
});

test("changes what flags name, and in its request only that", async () => {
  const flags = ["--every", "1h", "--driver", "netmiko", "--host", "r1", "--platform", "cisco_ios"];
  await someone.piped(["schedule", "add", "--name", "edited", ...flags, "--command", "show clock"]);
  const edit = async (...changes: string[]) => {
    const edited = await someone.piped(["schedule", "edit", "edited", ...changes, "--json"]);
    expect(edited).toMatchObject({ code: 0, err: "" });
    return JSON.parse(edited.out);
  };
  expect(await edit("--every", "2h", "--label", "night")).toMatchObject({
    ...{ every: "2h", label: "night" },
    what: { request: { command: ["show clock"], devices: [{ host: "r1" }] } },
  });
  expect((await edit("--command", "show version")).what.request).toEqual({
    ...{ driver: "netmiko", devices: [{ host: "r1" }], command: ["show version"] },
    connection_args: { device_type: "cisco_ios" },
  });
  const { request } = (await edit("--select", "all", "--credential", "file:lab")).what;
  expect(request).toMatchObject({ select: "all", command: ["show version"] });
  expect(request.connection_args).toMatchObject({ device_type: "cisco_ios", credential: { ref: "lab" } });
  expect(request).not.toHaveProperty("devices");
  const pointless = await someone.piped(["schedule", "edit", "edited"]);
  expect(pointless).toMatchObject({ code: 2, err: expect.stringContaining("--cron") });
});

test("edits a schedule in the operator's editor; a change of someone else in between is not overwritten", async () => {
  await someone.piped([
    ...["schedule", "add", "--name", "open", "--every", "1h", "--driver", "netmiko"],
    ...["--host", "r1", "--command", "show clock"],
  ]);
  const edited = async (editor: string) => {
    const run = someone.at(["schedule", "edit", "open"], { columns: 300, env: { EDITOR: editor } });
    return { code: await run.ended, text: run.text() };
  };
  expect(await edited("sed -i s/1h/3h/")).toMatchObject({ code: 0, text: expect.stringMatching(/every 3h/) });
  expect((await edited("true")).text).toContain("Nothing was changed.");
  const refused = await edited("sed -i s/3h/1s/");
  expect(refused).toMatchObject({
    code: 2,
    text: expect.stringMatching(/every[\s\S]*Your text is in \S+json\./),
  });
  const program = `'${process.execPath}' '${resolve("src/main.ts")}'`;
  const late = await edited(`${program} schedule edit open --label x >/dev/null; sed -i s/3h/4h/`);
  expect(late).toMatchObject({ code: 1, text: expect.stringContaining("has changed since") });
  expect((await service.call<{ every: string }>("GET", "/schedule/open")).body.data).toMatchObject({
    every: "3h",
    label: "x",
  });
});
