/** Versions restored as drafts: lines for IOS, whole configurations for EOS and Junos, compared by the device. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RestoreDraft, VersionRecord } from "../../../src/api/history/history.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { fortios } from "../../configtree/systems/fortios.ts";
import { type JunosRouter, startJunosRouter } from "../../drivers/napalm/junos/router.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
/** Secrets of the configurations, which nothing may show. */
const canaries = [
  "canaryForti1",
  "canaryForti2",
  "canaryCommunity1",
  "canaryCommunity2",
  "$6$canaryold",
  "$6$canarynew",
  "canaryRadius7",
];

let service: Service;
let ios: SimulatedDevice;
let eos: Switch;
let junos: JunosRouter;
let fortigate: SimulatedDevice;
/** What it has after each line that was entered, its passwords encrypted anew at each show. */
const firewall = () => {
  const device = fortios.make();
  device.push(
    fortigate.commands().filter((line) => /^\s*(?:config|edit|set|unset|delete|move|next|end)\b/.test(line)),
  );
  return device.running();
};
let shown = 0;

beforeAll(async () => {
  [service, ios, eos, junos, fortigate] = await Promise.all([
    startService(),
    simulated("cisco_ios", login),
    startSwitch({ password: login.password, enable: login.secret }),
    startJunosRouter([
      "interfaces {\n    ge-0/0/0;\n}",
      "system host-name a",
      'system root-authentication encrypted-password "$6$canaryold"',
    ]),
    simulated("fortinet", {
      ...login,
      shows: { show: () => firewall().replaceAll(/(password ENC \S+?)(?:#\d+)?$/gm, `$1#${++shown}`) },
    }),
  ]);
  await service.call("PUT", "/credential/lab", login);
  await service.call("PUT", "/credential/junos", { username: "admin", password: "admin" });
  const credential = { name: "file", ref: "lab" };
  const place = (port: number) => ({ host: "127.0.0.1", port, credential });
  const devices = [
    { name: "r1", ...place(ios.port), driver: "netmiko", platform: "cisco_ios" },
    { name: "spare", ...place(ios.port), driver: "netmiko", platform: "cisco_ios" },
    {
      ...{ name: "leaf-1", ...place(eos.port), driver: "pyeapi" },
      connection: { transport: "http" },
    },
    {
      name: "edge-1",
      ...place(junos.port),
      credential: { name: "file", ref: "junos" },
      driver: "napalm",
      platform: "junos",
    },
    { name: "fw", ...place(fortigate.port), driver: "netmiko", platform: "fortinet" },
    { name: "srv", ...place(1), driver: "netmiko", platform: "linux" },
  ];
  const stored = await service.call("POST", "/inventory/device", { devices });
  expect(stored.status, JSON.stringify(stored.body)).toBe(200);
});
afterAll(async () => {
  await service.close();
  await ios.stop();
  await fortigate.stop();
  eos.close();
  junos.close();
});

async function take(...devices: string[]): Promise<void> {
  const taken = await service.call<{ succeeded: { id: string; status: string }[] }>(
    "POST",
    "/history/take",
    { devices, parts: ["running"] },
    { Prefer: "wait=60" },
  );
  for (const { id, status } of taken.body.data.succeeded)
    if (status !== "finished") expect((await service.job(id)).result).toBe("");
  expect(taken.body.data.succeeded.map(({ status }) => status)).toEqual(devices.map(() => "finished"));
}

async function restore(name: string, item: string, body: object = {}, key = service.key) {
  const path = `/history/device/${name}/${item}/restore`;
  const { status, body: answer } = await service.call<RestoreDraft>("POST", path, body, { "X-API-KEY": key });
  return { status, draft: answer.data, text: JSON.stringify(answer) };
}

/** The job of the dry run, ended, with all that the service says of it. */
async function compared({ job }: RestoreDraft) {
  const id = job?.id ?? "";
  expect(job).toMatchObject({ dry_run: true });
  const ended = await service.ended(id);
  const told = await Promise.all(
    [`/job/${id}/sent`, `/job?id=${id}`, "/audit?limit=50"].map((path) => service.call("GET", path)),
  );
  const text = JSON.stringify([ended, service.output(), told.map(({ body }) => body)]);
  for (const canary of canaries) expect(text).not.toContain(canary);
  expect(ended.status, JSON.stringify(ended.result)).toBe("finished");
  return { ended, text };
}

test("of a switch that replaces its whole configuration, the switch itself tells the difference", async () => {
  eos.running.splice(0, eos.running.length, "hostname sw1", "snmp-server community canaryCommunity1 ro");
  await take("leaf-1");
  eos.running.splice(1, 1, "snmp-server community canaryCommunity2 ro", "vlan 7");
  await take("leaf-1");
  const before = [...eos.running];
  const { draft, text, status } = await restore("leaf-1", "1");
  expect(status, text).toBe(200);
  expect(draft).toMatchObject({ way: "replace", driver: "pyeapi", driver_args: { session: true } });
  expect(draft.lines[0]).toBe("rollback clean-config");
  expect(draft.lines.at(-1)).toMatch(/^snmp-server community <secret [0-9a-f]{6}> ro$/);
  expect(draft.unified).toContain("-vlan 7");
  for (const canary of canaries) expect(text).not.toContain(canary);
  const { ended } = await compared(draft);
  expect(JSON.stringify(ended.result)).toContain("+snmp-server community");
  const asked = JSON.stringify(eos.asked);
  expect(asked).toContain("snmp-server community canaryCommunity1 ro");
  expect(eos.running).toEqual(before);
  expect(eos.sessions.size).toBe(0);
});

test("of Junos over NETCONF, too", async () => {
  await take("edge-1");
  junos.store.merge(["system host-name b", 'system root-authentication encrypted-password "$6$canarynew"']);
  junos.store.commit();
  await take("edge-1");
  const { draft, text, status } = await restore("edge-1", "1");
  expect(status, text).toBe(200);
  expect(draft).toMatchObject({ way: "replace", driver: "napalm", driver_args: { replace: true } });
  for (const canary of canaries) expect(text).not.toContain(canary);
  const { ended } = await compared(draft);
  expect(JSON.stringify(ended.result)).toContain("host-name a");
  expect(junos.store.running()).toContain("system host-name b");
});

test("for IOS the lines are computed, and pushed they restore the version", async () => {
  await take("r1");
  const push = (config: readonly string[]) => service.run({ device: "r1", config });
  await push([
    "interface Loopback9",
    "description canary free",
    "exit",
    "snmp-server community canaryCommunity1 RO",
  ]);
  await take("r1");
  const { draft, text, status } = await restore("r1", "1");
  expect(status, text).toBe(200);
  expect(draft).toMatchObject({ way: "lines", driver: "netmiko", job: null });
  expect(draft.warnings.join("\n")).toContain("no dry run");
  expect(draft.lines).toContain("no interface Loopback9");
  expect(draft.lines.find((line) => line.startsWith("no snmp-server"))).toMatch(/<secret [0-9a-f]{6}> RO$/);
  for (const canary of canaries) expect(text).not.toContain(canary);
  const raw = draft.lines.map((line) => line.replace(/<secret \w+>/, "canaryCommunity1"));
  expect((await push(raw)).status).toBe("finished");
  await take("r1");
  const versions = await service.call<VersionRecord[]>("GET", "/history/device/r1");
  expect(versions.body.data.at(0)?.sha256).toBe(versions.body.data.at(-1)?.sha256);
  const again = await restore("r1", "latest");
  expect(again.draft).toMatchObject({ lines: [], unified: "", job: null });
  const audit = JSON.stringify((await service.call("GET", "/audit?limit=20")).body);
  expect(audit).toContain("history.restore");
  expect(audit).toContain("r1 running version 1 on r1");
});

test("for FortiOS, whose entries name each other and whose passwords are encrypted anew, too", async () => {
  const push = async (...config: string[]) => {
    const job = await service.run({ device: "fw", config });
    expect(job.status, JSON.stringify(job.result)).toBe("finished");
  };
  await push(
    ...["config system global", "set hostname edge", "end"],
    ...[
      "config system admin",
      "edit ops",
      "set accprofile super",
      "set password ENC canaryForti1",
      "next",
      "end",
    ],
    ...["config firewall address", "edit web", "set subnet 192.0.2.1 255.255.255.255", "next"],
    ...["edit db", "set subnet 192.0.2.2 255.255.255.255", "next", "end"],
    ...["config firewall addrgrp", "edit servers", "set member web db", "next", "end"],
  );
  await take("fw");
  const wanted = firewall();
  await push(
    ...["config firewall addrgrp", "edit servers", "set member web", "next", "end"],
    ...[
      "config firewall address",
      "delete db",
      "edit cache",
      "set subnet 192.0.2.3 255.255.255.255",
      "next",
      "end",
    ],
    ...["config system admin", "edit ops", "set password ENC canaryForti2", "next", "end"],
  );
  await take("fw");
  const { draft, text, status } = await restore("fw", "1");
  expect(status, text).toBe(200);
  expect(draft).toMatchObject({ way: "lines", driver: "netmiko", job: null });
  for (const canary of canaries) expect(text).not.toContain(canary);
  expect(draft.warnings.join("\n")).toContain("encrypts anew");
  const raw = draft.lines.map((line) => line.replace(/<secret \w+>/, "canaryForti1#1"));
  await push(...raw);
  expect(firewall().replaceAll("#1", "")).toBe(wanted);
  await take("fw");
  const versions = await service.call<VersionRecord[]>("GET", "/history/device/fw");
  expect(versions.body.data.at(0)?.sha256).toBe(versions.body.data.at(-1)?.sha256);
});

test("what cannot be restored is refused with the reason", async () => {
  const refused = async (name: string, item: string, body?: object) => {
    const { status, text } = await restore(name, item, body);
    return `${status} ${text}`;
  };
  expect(await refused("r1", "9")).toMatch(/^404/);
  expect(await refused("r1", "1", { target: "leaf-1" })).toMatch(/^422.*another system/);
  expect(await refused("r1", "1", { target: "spare" })).toMatch(/^422.*read it first/);
  expect(await refused("r1", "1", { target: "srv" })).toMatch(/^422.*no way to restore/);
  expect(await refused("r1", "1", { target: "gone" })).toMatch(/^422.*no device/);
  expect(await refused("leaf-1", "1", { connection_args: { host: "192.0.2.1" } })).toMatch(/^422/);
  await take("spare");
  const spare = await restore("r1", "1", { target: "spare" });
  expect(spare.draft.warnings.join("\n")).toContain("the text is of r1");
});

test("the text goes to another device, or over another connection, only for a key that may read its secrets", async () => {
  const made = await service.call<{ key: string }>("POST", "/key", {
    ...{ name: "restorer", scope: "operate", rights: ["history"] },
  });
  const { key } = made.body.data;
  expect((await restore("leaf-1", "1", { target: "spare" }, key)).status).toBe(403);
  expect((await restore("leaf-1", "1", { connection_args: { port: 1 } }, key)).status).toBe(403);
  expect((await restore("leaf-1", "1", {}, key)).status).toBe(200);
  const reader = await service.call<{ key: string }>("POST", "/key", {
    ...{ name: "reader", scope: "read", rights: ["history"] },
  });
  expect((await restore("leaf-1", "1", {}, reader.body.data.key)).status).toBe(403);
});
