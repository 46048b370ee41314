/**
 * The client with bulks in a terminal: many devices of which three are broken, confirmation of pushes, Ctrl-C,
 * a restarted service.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { isExhaustive } from "../../support/sampled.ts";
import { addressOf, type Fleet, startFleet } from "../fleet.ts";
import { loggedIn, type Operator, ownControls } from "../terminal.ts";

/** Waits at its gate; its output contains terminal control sequences. */
const gatedDriver = (gate: string) => `
import { existsSync } from "node:fs";
import { defineDriver, v } from "patchbay/plugin";
export default defineDriver({
  name: "gated", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }),
  connection: v.object({ host: v.string() }),
  query: v.object({}), repeatable: () => true,
  async open({ connection: { host } }) {
    return {
      async query(command, _args, ctx) {
        while (!existsSync(${JSON.stringify(gate)}) && !existsSync(${JSON.stringify(gate)} + "-" + host)) {
          ctx.signal.throwIfAborted();
          await new Promise((done) => setTimeout(done, 20));
        }
        return "\\x1b]0;owned\\x07\\x1b[2Jdone " + command;
      },
    };
  },
});`;

const count = isExhaustive() ? 200 : 50;
const folder = tempFolder();
const gate = join(folder, "gate");
let service: Service;
let fleet: Fleet;
let someone: Operator;
const env = { PATCHBAY_CLIENT_USERNAME: "admin", PATCHBAY_CLIENT_PASSWORD: "device-password-1" };

beforeAll(async () => {
  writeFileSync(join(folder, "gated.mjs"), gatedDriver(gate));
  [service, fleet] = await Promise.all([
    startService({ plugins: [folder] }),
    startFleet(count, { 7: { password: "another-one" }, 27: { faults: { dropAfter: 40 } }, 47: "absent" }),
  ]);
  someone = await loggedIn(service.url, adminKey, env);
});
afterAll(() => Promise.all([service.stop(), fleet.stop()]));

const broken = [7, 27, 47].map(addressOf);
const gated = ["--driver", "gated", "--user", "none", "--no-password"];

describe(`${count} devices, three of them broken`, () => {
  test("run in a terminal: progress, failures with reasons, a file per device", async () => {
    const outputs = join(someone.home, "outputs");
    const run = someone.at(["run", `@${fleet.inventory}`, "--output-dir", outputs, "--", "show", "version"]);
    await run.sees(`${count} devices: ${count - 3} finished, 3 failed`);
    expect(await run.ended).toBe(1);
    await run.sees(/127\.77\.0\.7 +AuthenticationFailed/);
    await run.sees(/127\.77\.0\.27 +\w+/);
    await run.sees(/127\.77\.0\.47 +ConnectionRefused/);
    await run.sees(new RegExp(`\\[#*-*\\] \\d+/${count}`));
    expect(run.text().replace(ownControls, "")).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
    expect(readdirSync(outputs)).toHaveLength(count);
    expect(readFileSync(join(outputs, `${addressOf(8)}.txt`), "utf8")).toContain("sw008 uptime is");
    expect(readFileSync(join(outputs, `${addressOf(7)}.txt`), "utf8")).toContain("AuthenticationFailed");
  });

  test("give programs one line each and no progress", async () => {
    const args = [
      "run",
      `@${fleet.inventory}`,
      "--label",
      "audit",
      "--json",
      "-c",
      "show clock",
      "show version",
    ];
    const { code, out, err } = await someone.piped(args);
    expect(code).toBe(1);
    const jobs = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(new Set(jobs.map(({ host }) => host)).size).toBe(count);
    const failed = jobs.filter(({ status }) => status === "failed").map(({ host }) => host);
    expect(failed.sort()).toEqual([...broken].sort());
    expect(Object.keys(jobs.find(({ status }) => status === "finished").result.retval)).toEqual([
      "show clock",
      "show version",
    ]);
    expect(err).not.toContain("[#");
  });

  test("are listed and exported by the id of the bulk", async () => {
    const run = await someone.piped([
      "run",
      `@${fleet.inventory}`,
      "--csv",
      "--ticket",
      "CHG-7",
      "--",
      "show clock",
    ]);
    const id = /Bulk (\S+):/.exec(run.err)?.[1] ?? "";
    expect(run.out.split("\r\n").filter((line) => line.includes(",finished,show clock,"))).toHaveLength(
      count - 3,
    );
    const shown = await someone.piped(["bulk", id]);
    expect(shown.code).toBe(1);
    expect(shown.out).toContain(`${count} devices: ${count - 3} finished, 3 failed`);
    expect(shown.out).toMatch(/errors +.*AuthenticationFailed 1/);
    const file = join(someone.home, "bulk.csv");
    expect((await someone.piped(["bulk", id, "--export", "csv", "--output", file])).code).toBe(0);
    expect(readFileSync(file, "utf8").split("\n").length).toBeGreaterThan(count);
    const lines = await someone.piped(["bulk", id, "--export", "jsonl"]);
    expect(lines.out.trim().split("\n")).toHaveLength(count);
    const list = await someone.piped(["bulk", "--json"]);
    expect(list.out).toContain(`"id":"${id}"`);
  });
});

test("retries the failed devices with the correct password", async () => {
  const wrong = { PATCHBAY_CLIENT_PASSWORD: "not-this-one" };
  const target = `${addressOf(20)}:${fleet.devices[19]?.port}`;
  const run = someone.at(["run", target, "--type", "cisco_ios", "--", "show", "clock"], { env: wrong });
  expect(await run.ended).toBe(1);
  await run.sees("AuthenticationFailed");
  const id = /Bulk (\S+):/.exec(run.text())?.[1] ?? "";
  const unknown = { PATCHBAY_CLIENT_PASSWORD: "" };
  const again = someone.at(["bulk", id, "--retry"], { env: unknown });
  await again.sees("connection_args.password:");
  again.type("device-password-1\r");
  expect(await again.ended).toBe(0);
  await again.sees("1 device: 1 finished");
  expect(again.text()).not.toContain("device-password-1");
  const nothing = await someone.piped(["bulk", /Bulk (\S+):/.exec(again.text())?.[1] ?? "", "--retry"]);
  expect(nothing.code).toBe(2);
  expect(nothing.err).toContain("matches no job");
});

test("a list of failures says how many more there are and how to see all; refusals are counted apart", async () => {
  const { body } = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
    ...{ driver: "netmiko", command: "show nonsense", options: { queue_strategy: "fifo" } },
    connection_args: { host: "127.0.0.1", device_type: "cisco_ios", username: "x", password: "y" },
    devices: [{ ...fleet.devices[0]?.connection }, ...Array.from({ length: 14 }, () => ({ port: 9 }))],
  });
  const id = body.data.bulk_id;
  await someone.piped(["bulk", id, "--follow"]);
  const one = await someone.piped(["bulk", id]);
  expect(one.out).toContain("15 devices: 1 finished with a refused command, 14 failed in ");
  expect(one.out).toContain(`… and 4 more: patchbay bulk ${id} --failed\n`);
  const all = await someone.piped(["bulk", id, "--failed", "--csv"]);
  expect(all.code).toBe(1);
  expect(all.out.match(/ConnectionRefused/g)).toHaveLength(14);
  const list = await someone.piped(["bulk", "--csv", "--limit", "1"]);
  expect(list.out).toMatch(/^id,status,jobs,failed,refused,[^\n]*\r?\n[^,]+,ended,15,14,1,/);
  expect(list.err).toContain("There are more: --limit 10");
});

describe("a push", () => {
  const host = `${addressOf(1)}:`;
  const target = () => `${host}${fleet.devices[0]?.port}`;
  const lines = () => fleet.devices[0]?.commands() ?? [];
  const secret = { PATCHBAY_CLIENT_SECRET: "enable-secret-1" };
  const file = () => {
    const path = join(someone.home, "lines.cfg");
    writeFileSync(path, "interface Loopback7\n description by hand\n");
    return path;
  };
  const push = (more: readonly string[] = []) => ["push", target(), file(), "--type", "cisco_ios", ...more];

  test("asks first, showing the lines and a dry run, and sends nothing on no", async () => {
    const run = someone.at(push(), { env: secret });
    await run.sees("Type yes:");
    expect(run.text()).toContain("2 lines for 1 device:");
    expect(run.text()).toContain("description by hand");
    expect(run.text()).toContain(`Dry run on ${addressOf(1)}:`);
    run.type("no\r");
    expect(await run.ended).toBe(1);
    await run.sees("Nothing was pushed.");
    expect(lines()).not.toContain("interface Loopback7");
  });

  test("proceeds on yes", async () => {
    const run = someone.at(push(), { env: secret });
    await run.sees("Type yes:");
    run.type("yes\r");
    expect(await run.ended).toBe(0);
    await run.sees("1 device: 1 finished");
    expect(lines()).toContain("interface Loopback7");
  });

  test("requires --yes without a terminal", async () => {
    const refused = await someone.piped(push());
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("needs confirmation at a terminal: use --yes");
    const before = lines().filter((line) => line === "hostname sw001").length;
    const args = ["push", target(), "-", "--type", "cisco_ios", "--yes", "--arg", "timeout=60"];
    const done = await (await loggedIn(service.url, adminKey, { ...env, ...secret })).piped(
      args,
      "hostname sw001\n",
    );
    expect(done).toMatchObject({ code: 0 });
    expect(lines().filter((line) => line === "hostname sw001")).toHaveLength(before + 1);
  });

  test("skips the dry run if the driver has none", async () => {
    const done = await someone.piped(push(["--dry-run", "--driver", "paramiko"]));
    expect(done.err).toContain("The driver paramiko has no dry run.");
    expect(done.code).toBe(2);
  });
});

describe("long-running work", () => {
  test("continues after Ctrl-C, which prints how to follow it", async () => {
    rmSync(gate, { force: true });
    const run = someone.at(["run", "g[1-3]", ...gated, "--", "talk"]);
    await run.sees("0/3");
    run.type("\x03");
    expect(await run.ended).toBe(130);
    await run.sees(/patchbay bulk \S+ --follow --results/);
    const id = /patchbay bulk (\S+) --follow/.exec(run.text())?.[1] ?? "";
    const again = someone.at(["bulk", id, "--follow", "--results"]);
    await again.sees("0/3");
    writeFileSync(gate, "");
    expect(await again.ended).toBe(0);
    await again.sees("3 devices: 3 finished");
    // The driver's output would have cleared the screen.
    expect(again.text()).toContain("^[]0;owned^G^[[2Jdone talk");
    expect(again.text().replace(ownControls, "")).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
  });

  test("is reported device by device as each ends", async () => {
    rmSync(gate, { force: true });
    const run = someone.at(["run", "g[5-7]", ...gated, "--", "talk"]);
    await run.sees("0/3");
    writeFileSync(`${gate}-g6`, "");
    await run.sees(/=== \S*g6/);
    expect(run.text()).not.toMatch(/=== \S*g[57]/);
    writeFileSync(gate, "");
    expect(await run.ended).toBe(0);
    await run.sees("3 devices: 3 finished");
  });

  test("is cancelled by one call", async () => {
    rmSync(gate, { force: true });
    const detached = await someone.piped(["run", "g[1-3]", ...gated, "--detach", "--", "talk"]);
    expect(detached.code).toBe(0);
    const id = detached.out.trim();
    const cancelled = await someone.piped(["bulk", id, "--cancel", "--force"]);
    expect(cancelled.code).toBe(0);
    const followed = await someone.piped(["bulk", id, "--follow"]);
    expect(followed.code).toBe(1);
    expect(followed.err).toMatch(/3 devices: .*(?:failed|cancelled)/);
  });

  test("survives a kill and restart of the service", async () => {
    rmSync(gate, { force: true });
    const run = someone.at(["run", "g[1-3]", ...gated, "--retries", "3", "--", "talk"]);
    await run.sees("0/3");
    const { dataDir, url } = service;
    const leaving = someone.at(["bulk", /Bulk (\S+):/.exec(run.text())?.[1] ?? "", "--follow"]);
    await leaving.sees("0/3");
    await service.kill();
    await leaving.sees("Waiting up to");
    leaving.type("\x03");
    expect(await leaving.ended).toBe(130);
    await leaving.sees("Follow with:");
    await run.sees("Waiting up to");
    // A new run fails at once while the service is down.
    const other = someone.at(["run", "g9", ...gated, "--", "talk"]);
    expect(await other.ended).toBe(3);
    writeFileSync(gate, "");
    service = await startService({ plugins: [folder], dataDir, port: Number(new URL(url).port) });
    expect(await run.ended).toBe(0);
    await run.sees("It is back.");
    await run.sees("3 devices: 3 finished");
  });
});
