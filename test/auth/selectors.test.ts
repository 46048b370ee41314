/**
 * P34 for selectors: a limited key can neither reach nor learn about a device outside its hosts, by any
 * selector or device name. The response is identical to that for a device that does not exist.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostOf } from "../../src/base/net/host-match.ts";
import type { Answered, Sending } from "../http/doubles/fixtures.ts";
import { admin } from "../support/requests.ts";
import { type LimitedNode, outside, startLimitedNode, within } from "./support.ts";

let limited: LimitedNode;
/** Out of reach; an allowed device that is configured to use it still shows it. */
const hop = "10.77.0.1";
const login = { username: "u", password: "canary-word" };
const devices = [
  { name: "in1", host: within, tags: ["mine"], site: "here" },
  { name: "in2", host: "10.22.0.2", tags: ["mine"] },
  { name: "out1", host: outside, site: "hidden-site", vars: { colour: "hidden-var" } },
  { name: "out2", host: "10.66.0.10", group: "hidden-group", tags: ["hidden-tag"] },
  { name: "hopper", host: "10.22.0.3", tags: ["mine"], connection: { proxy_host: hop } },
  { name: "vaulted", host: "10.22.0.4", tags: ["mine"], credential: { name: "file", ref: "root" } },
].map((device) => ({ driver: "netmiko", platform: "cisco_ios", ...device }));

beforeAll(async () => {
  limited = await startLimitedNode();
  await limited.node.inventory.apply({ devices, groups: [{ name: "hidden-group" }] }, {}, admin);
  const request = { command: "show version", connection_args: login, select: "all" };
  const { bulk_id } = await limited.node.bulk(request);
  await limited.node.jobs.waitForBulk(bulk_id, 100_000, new AbortController().signal);
});
afterAll(() => limited.stop());

const send = (as: string, path: string, sending?: Sending) => limited.send(as, path, sending);
const command = "show version";

/** The response without times and ids. */
function told({ status, text, headers }: Answered, asked: string): unknown {
  const plain = text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, "time")
    .replaceAll(asked, "asked");
  return [status, plain, headers.get("x-total-count"), headers.get("x-next-cursor")];
}

const hidden = [
  "out1",
  "out2",
  "hidden-site",
  "hidden-group",
  "hidden-tag",
  "hidden-var",
  outside,
  "10.66.0.10",
];

/** Each requests one device, by selector or by name. */
const routes: [string, (select: string, name: string) => [string, Sending?]][] = [
  ["GET /inventory/device", (select) => [`/inventory/device?select=${encodeURIComponent(select)}`]],
  ["GET /inventory/device/{name}", (_, name) => [`/inventory/device/${name}`]],
  ["GET /job?select=", (select) => [`/job?select=${encodeURIComponent(select)}`]],
  ["GET /job?device=", (_, name) => [`/job?device=${name}`]],
  ["GET /job/export", (select) => [`/job/export?format=csv&select=${encodeURIComponent(select)}`]],
  ["GET /worker", (select) => [`/worker?select=${encodeURIComponent(select)}`]],
  ["DELETE /job", (select) => [`/job?select=${encodeURIComponent(select)}`, { method: "DELETE" }]],
  [
    "POST /job/release",
    (select) => [`/job/release?select=${encodeURIComponent(select)}`, { method: "POST" }],
  ],
  ["DELETE /worker", (select) => [`/worker?select=${encodeURIComponent(select)}`, { method: "DELETE" }]],
  [
    "POST /device/bulk select",
    (select) => ["/device/bulk", { body: { command, connection_args: login, select } }],
  ],
  [
    "POST /device/bulk devices",
    (_, device) => ["/device/bulk", { body: { command, connection_args: login, devices: [{ device }] } }],
  ],
  [
    "POST /device/execute",
    (_, device) => ["/device/execute", { body: { command, connection_args: login, device } }],
  ],
  ["POST /device/test-connection", (_, device) => ["/device/test-connection", { body: { device } }]],
  ["POST /template/render", (_, device) => ["/template/render", { body: { template: "x", device } }]],
];

describe.each(["operator", "limitedAdmin", "selector", "selectorAdmin"])("to the key %s", (as) => {
  test.each(routes)("%s: answers alike for a device out of reach and a missing one", async (_, asking) => {
    const nothing = told(await send(as, ...asking("name:none", "none")), "none");
    for (const [select, name] of [
      ["name:out1", "out1"],
      [`host:${outside}`, "OUT1"],
      ["site:hidden-site", "out1"],
      ["tag:hidden-tag or group:hidden-group", "out2"],
      ["var.colour:*", "out1"],
      ["host:10.66.0.0/16", "out2"],
    ] as const)
      expect([select, told(await send(as, ...asking(select, name)), name)]).toEqual([select, nothing]);
  });

  test("`all` selects and counts only its own devices", async () => {
    const listed = await send(as, "/inventory/device?select=all&limit=1");
    expect(listed.headers.get("x-total-count")).toBe("4");
    for (const select of ["all", "not name:in1", "not site:here", "host:*", "name:out1 or tag:mine"]) {
      for (const [, asking] of routes.filter(([name]) =>
        /select|GET \/inventory\/device$|export/.test(name),
      )) {
        const [path, sending] = asking(select, "in1");
        if (sending?.method === "DELETE") continue;
        const { text } = await send(as, path, sending);
        expect([path, select, hidden.filter((word) => text.includes(word) && !path.includes(word))]).toEqual([
          path,
          select,
          [],
        ]);
      }
    }
  });

  test("the inventory's jump hosts, credentials and hosts do not bypass its reach", async () => {
    const bulk = { command, connection_args: login };
    const reasons = async (body: object) => {
      const { body: answer } = await send(as, "/device/bulk", { body });
      const { succeeded, failed_jobs } = answer.data as {
        succeeded: unknown[];
        failed_jobs: { reason: string }[];
      };
      expect(succeeded).toEqual([]);
      return failed_jobs.map(({ reason }) => reason);
    };
    expect(await reasons({ ...bulk, select: "name:hopper" })).toEqual([
      `connection_args.proxy_host: This API key or person may not reach the host in connection_args.proxy_host.`,
    ]);
    expect(await reasons({ command, select: "name:vaulted" })).toEqual([
      "connection_args.credential: This API key or person may not use the credential file:root.",
    ]);
    const moved = await reasons({ ...bulk, devices: [{ device: "in1", host: outside }] });
    expect(moved).toEqual([expect.stringContaining("cannot be combined")]);
    const shared = { ...bulk, connection_args: { ...login, host: outside }, select: "name:in1" };
    expect((await send(as, "/device/bulk", { body: shared })).status).toBe(422);
    for (const route of ["/device/execute", "/device/test-connection"]) {
      const hop = { device: "in1", command, connection_args: { ...login, proxy_host: outside } };
      expect((await send(as, route, { body: hop })).status).toBe(403);
      const vaulted = { device: "vaulted", command };
      expect((await send(as, route, { body: vaulted })).status).toBe(403);
    }
    const reached = [...limited.reached].filter((task) => task.includes(outside) || task.includes(hop));
    expect(reached).toEqual([]);
  });

  test("cannot move a device into its reach", async () => {
    const body = { host: within, tags: ["mine"] };
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const sending = method === "DELETE" ? { method } : { method, body };
      expect([method, (await send(as, "/inventory/device/out1", sending)).status]).toEqual([method, 403]);
    }
    const upsert = { devices: [{ name: "out1", ...body }] };
    expect((await send(as, "/inventory/device", { body: upsert })).status).toBe(403);
  });
});

describe("a key whose hosts are a selector", () => {
  const ask = (host: string) => ({
    body: { driver: "netmiko", command, connection_args: { device_type: "cisco_ios", host, ...login } },
  });

  test("reaches exactly the hosts of its devices by any request", async () => {
    expect((await send("selector", "/device/execute", ask(within))).status).toBe(201);
    for (const host of [outside, "10.22.0.9", "in.corp", "192.0.2.1"])
      expect([host, (await send("selector", "/device/execute", ask(host))).status]).toEqual([host, 403]);
    // Checks the job itself: the hosts that it names, not those of the key.
    const task = [...limited.reached].map((text) => JSON.parse(text)).findLast((one) => one.kind === "query");
    expect(task.reach).toEqual([within]);
  });

  test("loses a device when its tags change; accepted jobs continue", async () => {
    const later = {
      ...ask("10.22.0.2").body,
      options: { not_before: new Date(Date.now() + 600_000).toISOString() },
    };
    const ticket = await send("selector", "/device/execute", { body: later });
    const { id } = ticket.body.data as { id: string };
    const jobs = await send("selector", "/job?host=10.22.0.2");
    await limited.node.inventory.apply({ devices: [{ name: "in2", tags: [] }] }, {}, admin);
    expect((await send("selector", "/device/execute", ask("10.22.0.2"))).status).toBe(403);
    expect((await send("selector", "/inventory/device/in2")).status).toBe(404);
    const others = (text: string) =>
      (JSON.parse(text).data as { id: string }[]).filter((job) => job.id !== id);
    expect(others(jobs.text).length).toBeGreaterThan(
      others((await send("selector", "/job?host=10.22.0.2")).text).length,
    );
    await limited.node.jobs.release({ id }, admin);
    expect(await limited.node.ended(id)).toMatchObject({ status: "finished" });
    await limited.node.inventory.apply({ devices: [{ name: "in2", tags: ["mine"] }] }, {}, admin);
    expect((await send("selector", "/inventory/device/in2")).status).toBe(200);
  });

  test("cannot be created with an invalid selector", async () => {
    for (const host of ["select:", "select:colour:red", "select:site:a or"]) {
      const sending = { body: { name: "broken", hosts: [host] } };
      const { status, text } = await send("admin", "/key", sending);
      expect([host, status, text.includes("hosts.0")]).toEqual([host, 422, true]);
    }
    const made = await send("admin", "/key", { body: { name: "good", hosts: ["select:tag:mine"] } });
    expect(made.body.data).toMatchObject({ hosts: ["select:tag:mine"] });
  });

  test("reaches nothing with a broken, empty or unmatched selector", async () => {
    const { createSelectedHosts } = await import("../../src/inventory/selector/selected-hosts.ts");
    const selected = createSelectedHosts(limited.node.inventory);
    expect([...(await selected(["colour:red"]))]).toEqual([]);
    expect([...(await selected([""]))]).toEqual([]);
    expect([...(await selected(["name:none"]))]).toEqual([]);
    expect([...(await selected(["name:in1", "colour:red"]))]).toEqual([hostOf(within).text]);
  });
});
