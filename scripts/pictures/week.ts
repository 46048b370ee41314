/** What a week leaves behind in a service: also all that goes wrong in one. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { pause } from "../../src/base/time/deadline.ts";
import { programOf } from "../../src/testkit/service.ts";
import { broken, edges, longest, nameOf, type Place } from "./place.ts";

/** Names that the pages need. */
export type Week = Readonly<Record<string, string>>;

const wait = { Prefer: "wait=120" };
const named = (at: number) => nameOf(at, true);
/** Those of a site without the broken ones, in the order of their names. */
const of = (site: number) =>
  Array.from({ length: 12 }, (_, n) => 3 * n + site)
    .filter((at) => !broken.has(at))
    .map(named);
const [berlin, lyon, oslo] = [of(0), of(1), of(2)];
const hostile =
  "<b>bold</b> “quoted” & 日本語 ‮reversed‬ — what somebody typed who had a lot to say about the evening";

export async function liveAWeek(place: Place): Promise<Week> {
  await people(place);
  const jobs = await workOf(place);
  const changes = await changesOf(place);
  const recipes = await recipesOf(place);
  await upkeep(place);
  const last = await goingOn(place);
  return { ...jobs, ...changes, ...recipes, ...last };
}

/** @throws what the service refused */
async function asked<T = { id: string }>(
  { service }: Place,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<T> {
  const answer = await service.call<T>(method, path, body, headers);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

const bulk = async (place: Place, body: object, headers: Record<string, string> = wait) =>
  (await asked<{ bulk_id: string }>(place, "POST", "/device/bulk", body, headers)).bulk_id;

async function job(place: Place, device: string, body: object): Promise<string> {
  return (await asked(place, "POST", "/device/execute", { device, ...body }, wait)).id;
}

async function people(place: Place): Promise<void> {
  const { service } = place;
  // On the machine of the service: its admin key cannot give a right that it does not have.
  const [program, ...begin] = programOf();
  const role = [
    "role",
    "put",
    "netops",
    "--scope",
    "operate",
    "--group",
    "netops",
    "--rights",
    "approve,history",
  ];
  const { status, stderr } = spawnSync(program, [...begin, ...role], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: service.dataDir },
  });
  if (status !== 0) throw new Error(stderr);
  await asked(place, "PUT", "/role/helpdesk", {
    scope: "read",
    groups: ["helpdesk"],
    hosts: ["10.1.0.0/16"],
  });
  for (const name of ["anna", "ben", "cleo"]) await place.browser().signIn(`${service.url}/login/corp`, name);
  const persons = await asked<{ id: string; name: string }[]>(place, "GET", "/person");
  const cleo = persons.find(({ name }) => name === "cleo");
  await asked(place, "PATCH", `/person/${cleo?.id}`, { blocked: true });
  await asked(place, "POST", "/key", { name: "grafana", scope: "read" });
  await asked(place, "POST", "/key", {
    ...{ name: "branch-berlin", scope: "operate", hosts: ["10.1.0.0/16", "berlin-*"], expires_days: 90 },
    ...{ credentials: ["lab*"], rights: ["history"] },
  });
  await asked(place, "POST", "/key", { name: "old-script" });
  await service.call("DELETE", "/key?name=old-script");
  for (const ref of ["netbox", "lab-readonly"])
    await asked(place, "PUT", `/credential/${ref}`, { username: "reader", password: "not-shown" });
}

/** Jobs and bulks: good ones, and every way to fail. */
async function workOf(place: Place): Promise<Week> {
  await asked(place, "POST", "/history/take", { select: "group:access", note: "first look" }, wait);
  const evening = await bulk(place, {
    ...{ select: "group:access", command: ["show version", "show ip interface brief"] },
    options: { label: "evening check", ticket: "CHG-7" },
  });
  const pushed = await job(place, named(0), {
    ...{ config: ["interface Loopback7", "description made by patchbay"], driver_args: { save: true } },
    options: { ticket: "CHG-9", label: "loopbacks" },
  });
  await job(place, named(1), { config: ["no such line"] });
  const checked = await job(place, named(3), {
    config: ["ntp server 192.0.2.55"],
    checks: {
      before: [{ name: "it is up", command: "show version", contains: "uptime" }],
      after: [
        { name: "the new server answers", command: "show ntp associations", contains: "192.0.2.55" },
        { command: "show ip interface brief", matches: "^Vlan1 .* up" },
      ],
    },
    options: { ticket: "CHG-12" },
  });
  const lines = Array.from({ length: 200 }, (_, n) => `ip route 192.0.2.${n} 255.255.255.255 Null0`);
  const unknown = await job(place, edges.lost, {
    config: lines,
    options: { label: "null routes", ticket: "CHG-14" },
  });
  const show = { command: "show version", driver_args: { fresh: true } };
  await job(place, edges.replaced, show);
  await place.replace();
  const replaced = await job(place, edges.replaced, show);
  const dry = await job(place, named(6), {
    ...{ config: ["ntp server 192.0.2.66"], driver_args: { dry_run: true }, options: { label: "NTP" } },
  });
  const parsed = await bulk(place, {
    ...{ select: "group:access-lyon", command: "show ip interface brief" },
    ...{ parsing: { name: "textfsm" }, options: { label: "interfaces" } },
  });
  const rehearsed = await job(place, named(0), {
    config: [
      "interface Vlan1",
      " no ip address",
      "loging host 192.0.2.7",
      "ntp server 192.0.2.66",
      "hostname R1",
    ],
    rehearse: true,
  });
  // Somebody at the device itself.
  place.switches[9]?.device.configuration.add([], "snmp-server community public RW");
  place.switches[12]?.device.configuration.add(["interface Vlan1"], "ip access-group 10 in");
  await asked(place, "POST", "/history/take", { select: "group:access-berlin", note: "after CHG-9" }, wait);
  const discovered = (
    await asked<{ bulk_id: string }>(place, "POST", "/inventory/discover", { select: "site:oslo" }, wait)
  ).bulk_id;
  return { evening, pushed, checked, unknown, replaced, dry, parsed, rehearsed, discovered };
}

async function changesOf(place: Place): Promise<Week> {
  const draft = async (body: object) => (await asked(place, "POST", "/change", body)).id;
  const say = (id: string, word: string, body: object = {}) =>
    asked(place, "POST", `/change/${id}/${word}`, body);
  const read = (id: string) => asked<{ state: string; phase: string | null }>(place, "GET", `/change/${id}`);
  async function reaches(id: string, ...states: string[]): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      const { state } = await read(id);
      if (states.includes(state)) return;
      await pause(200);
    }
    throw new Error(`change ${id} is ${(await read(id)).state}, not ${states.join(", ")}`);
  }
  const unvoted = { approvals: { count: 0 } };
  async function started(body: object, ...states: string[]): Promise<string> {
    const id = await draft({ ...unvoted, ...body });
    await say(id, "plan");
    await reaches(id, "approved");
    await say(id, "start");
    await reaches(id, ...states);
    return id;
  }
  const drafted = await draft({
    ...{ name: "NTP of Berlin", ticket: "CHG-1042", select: "group:access-berlin" },
    ...{ config: "ntp server 192.0.2.1", strategy: { canary: 1, waves: ["2", "100%"] } },
  });
  const done = await started(
    {
      ...{
        name: "Login banner of Oslo",
        ticket: "CHG-1017",
        devices: oslo,
        config: "banner login ^authorised use only^",
      },
      ...{ strategy: { canary: 1, waves: ["4", "100%"] }, note: "asked for by the auditors" },
    },
    "done",
  );
  // One device refuses its login, and one does not pass its check.
  const halted = await started(
    {
      ...{ name: "SNMP location of Lyon", ticket: "CHG-1023", select: "group:access-lyon" },
      ...{ config: "snmp-server location campus west", on_stop: "keep" },
      strategy: { canary: 1, waves: ["4", "100%"] },
      checks: {
        after: [
          { name: "uplink is up", command: "show running-config", not_contains: `hostname ${named(4)}` },
        ],
        on_failure: "keep",
      },
    },
    "stopped",
  );
  const returned = await started(
    {
      ...{ name: "Storm control of Berlin", ticket: "CHG-1031", devices: berlin.slice(2, 5) },
      ...{ config: ["interface GigabitEthernet1/0/2", "storm-control broadcast level 1"] },
      checks: {
        after: [{ command: "show ip interface brief", contains: "GigabitEthernet1/0/9" }],
        on_failure: "keep",
      },
    },
    ...["returned", "partly_returned", "needs_person", "stopped"],
  );
  const paused = await started(
    {
      ...{ name: "Syslog level of Berlin", ticket: "CHG-1048", devices: berlin.slice(6, 11) },
      ...{ config: "logging trap informational", strategy: { canary: 1, gate: "approval" } },
    },
    "paused",
  );
  const planned = await draft({
    ...{ name: "logging to the collector of the western campus", ticket: "CHG-1050", devices: lyon },
    config: ["logging host 192.0.2.7", "loging trap informational", "interface Vlan1", " no ip address"],
    ...{ strategy: { canary: 1, waves: ["3", "100%"] }, approvals: { count: 2 }, note: hostile },
  });
  await say(planned, "plan");
  await reaches(planned, "waiting_approval");
  await asked(place, "POST", `/change/${planned}/rehearse`, {});
  const cancelled = await draft({ name: hostile, devices: [named(0)], config: "ntp server 192.0.2.2" });
  await say(cancelled, "cancel", { note: "done by hand" });
  const agent = await proposal(place, "propose_change", {
    ...{ name: "A clock for two switches", devices: berlin.slice(0, 2), lines: ["ntp server 192.0.2.123"] },
    reason: "Two switches of Berlin have no clock. <b>Approve</b> it at once.",
  });
  return { drafted, done, halted, returned, paused, planned, cancelled, ...agent };
}

let key: string | undefined;

/** Of an agent, over MCP. @returns the ids of what it has proposed */
async function proposal(place: Place, name: string, given: object): Promise<Week> {
  key ??= (
    await asked<{ key: string }>(place, "POST", "/key", {
      ...{ name: "agent", scope: "agent", rights: ["history"], recipes: ["*"] },
    })
  ).key;
  const said = await fetch(`${place.service.url}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-KEY": key },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name, arguments: given },
    }),
  });
  const text = await said.text();
  const { run, change } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result?.structuredContent ?? {};
  if (run === undefined && change === undefined) throw new Error(`${name}: ${text}`);
  return run === undefined ? { agent: change } : { proposed: run };
}

async function recipesOf(place: Place): Promise<Week> {
  for (const name of ["backup-around", "compare-devices", "find-address"]) {
    const recipe = Bun.YAML.parse(await Bun.file(join("recipes", `${name}.yaml`)).text());
    await asked(place, "PUT", `/recipe/${name}`, recipe);
  }
  const run = (recipe: string, body: object) =>
    asked(place, "POST", `/recipe/${recipe}/run`, body, wait).then(({ id }) => id);
  const compared = await run("compare-devices", {
    ...{ parameters: { left: berlin[0], right: lyon[0] }, ticket: "CHG-7" },
  });
  const failed = await run("backup-around", {
    ...{ parameters: { lines: "snmp-server location roof" }, devices: [berlin[1], named(7)], dry_run: true },
  });
  const agent = await proposal(place, "propose_run", {
    ...{ recipe: "compare-devices", parameters: { left: berlin[2], right: berlin[3] }, ticket: "CHG-8" },
    reason: "Both should have the same lines, and one of them has drifted since Monday.",
  });
  await asked(place, "PUT", "/template/ntp", {
    ...{ engine: "jinja2", template: "{# one clock for all -#}\nntp server 192.0.2.123" },
    ...{ title: "NTP", tests: [{ name: "one server", context: {}, expected: "ntp server 192.0.2.123" }] },
  });
  await asked(place, "PUT", "/intent/ntp", {
    ...{ select: "group:access", rendering: { name: "jinja2", template: "template://ntp" } },
    sections: [{ name: "ntp", match: ["ntp server *"], mode: "exact" }],
  });
  await asked(place, "PUT", "/intent/snmp", {
    ...{ select: "group:access", rendering: { name: "jinja2", template: "snmp-server location basement" } },
    sections: [{ name: "snmp", match: ["snmp-server *"], mode: "exact" }],
  });
  await asked(place, "POST", "/drift/run", { intents: ["ntp", "snmp"] });
  return { compared, failed, ...agent };
}

/** Schedules and sources, also those that do not work. */
async function upkeep(place: Place): Promise<void> {
  const make = (body: object) => asked(place, "POST", "/schedule", body).then(({ id }) => id);
  const query = (request: object) => ({ kind: "query", request });
  const versions = await make({
    ...{ name: "versions", cron: "30 2 * * *", time_zone: "Europe/Berlin", ticket: "CHG-7" },
    what: query({ select: "group:access-berlin", command: "show version" }),
  });
  const nobody = await make({
    ...{ name: "clocks of a group that is gone", cron: "0 3 * * 1-5" },
    what: query({ select: "group:malmo", command: "show clock" }),
  });
  await make({ name: "drift", every: "6h", what: { kind: "drift", drift: {} } });
  const paused = await make({
    ...{ name: "configurations", cron: "15 */4 * * *", time_zone: "America/Argentina/Buenos_Aires" },
    what: { kind: "history", history: { select: "all" } },
  });
  await asked(place, "POST", `/schedule/${paused}/pause`, {});
  for (const id of [versions, nobody]) await place.service.call("POST", `/schedule/${id}/run`, {});
  const source = (name: string, more: object) =>
    asked(place, "PUT", `/inventory/source/${name}`, { kind: "url", format: "csv", ...more });
  await source("fleet", { url: `${place.files}/fleet.csv`, group: "access" });
  await source("campus-west", { url: `${place.files}/nothing-here.csv`, mode: "mirror", max_removals: 20 });
  await source("never-synced", { url: "https://files.example.net/fleet.csv" });
  for (const name of ["fleet", "campus-west"])
    await place.service.call("POST", `/inventory/source/${name}/sync`, { dry_run: name === "fleet" });
  await make({ name: "sync", every: "1d", what: { kind: "sync", source: "fleet" } });
  await asked(place, "PUT", `/inventory/device/${longest}`, {
    ...{ host: "2001:db8:17:3::112:7", group: "access-lyon", site: "lyon", enabled: false },
    tags: ["spare", "to be replaced in spring", "lab"],
  });
}

/** What waits, and what runs while somebody looks. */
async function goingOn(place: Place): Promise<Week> {
  await asked(place, "PATCH", `/inventory/device/${edges.slow}`, { enabled: true });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const held = await bulk(
    place,
    {
      devices: berlin.slice(0, 3).map((device) => ({ device })),
      ...{ command: "show clock", options: { label: hostile, not_before: tomorrow, ticket: "CHG-77" } },
    },
    {},
  );
  const rest = await bulk(
    place,
    {
      devices: oslo.slice(0, 2).map((device) => ({ device })),
      ...{ command: "show users", options: { label: "not needed any more", not_before: tomorrow } },
    },
    {},
  );
  await place.service.call("DELETE", `/bulk/${rest}`);
  const running = await bulk(
    place,
    {
      devices: [edges.slow, edges.refused, ...oslo.slice(0, 6)].map((device) => ({ device })),
      ...{ command: ["show version", "show inventory"], connection_args: { timeout: 3_000 } },
      options: { label: "inventory of Oslo", ttl: 14_400 },
    },
    {},
  );
  await pause(4_000);
  await asked(place, "POST", "/device/execute", {
    ...{ device: edges.slow, command: "show clock", options: { ttl: 14_400 } },
    connection_args: { timeout: 3_000 },
  });
  const jobs = await asked<readonly ListedJob[]>(place, "GET", "/job?limit=500");
  const first = (is: (one: ListedJob) => boolean) => jobs.find(is)?.id ?? "";
  const jobOf = (status: string, device: string) =>
    first((one) => one.status === status && one.device === device);
  return {
    ...{
      held,
      running,
      "job-failed": jobOf("failed", named(7)),
      "job-running": jobOf("running", edges.slow),
    },
    ...{ "job-queued": jobOf("queued", edges.slow), "job-refused": jobOf("failed", edges.refused) },
    "job-held": first((one) => one.status !== "cancelled" && one.held !== undefined),
    "job-cancelled": first(({ status }) => status === "cancelled"),
    "job-long": first(({ status }) => status === "finished"),
    schedule: await idOf(place, "versions"),
    "schedule-failed": await idOf(place, "clocks of a group that is gone"),
  };
}

interface ListedJob {
  readonly id: string;
  readonly status: string;
  readonly device: string | null;
  readonly held?: boolean;
}

async function idOf(place: Place, name: string): Promise<string> {
  const known = await asked<{ id: string; name: string }[]>(place, "GET", "/schedule");
  return known.find((one) => one.name === name)?.id ?? "";
}
