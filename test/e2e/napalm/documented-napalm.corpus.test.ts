/** Every napalm request in NetPulse 0.2's documents, on recorded and simulated devices. */
import * as v from "valibot";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type ReplayDevice,
  replayCaseOf,
  login as replayLogin,
  startReplay,
} from "../../../scripts/testbed/replay.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Router, startRouter } from "../../drivers/napalm/ios/router.ts";
import { startJunosRouter } from "../../drivers/napalm/junos/router.ts";
import { password as routerPassword } from "../../drivers/napalm/open.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import {
  commandsOf,
  type Documented,
  documented,
  type Operation,
  readdressed,
} from "../drivers/documented.ts";

const requests = documented("napalm");
const one = (id: string): Documented => {
  const found = requests.find((request) => request.id === id);
  if (found === undefined) throw new Error(`the documents have no request ${id}`);
  return found;
};

/** A device that answers with the recordings of several cases of its system; earlier cases win. */
function device(...ids: readonly string[]): Promise<ReplayDevice> {
  const [first, ...more] = ids.map(replayCaseOf);
  if (first === undefined) throw new Error("no case");
  const calls = [first, ...more].flatMap((recorded) => recorded.calls);
  const files = Object.assign({}, ...[...more.reverse(), first].map((recorded) => recorded.files));
  return startReplay({ ...first, calls, files });
}

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_AUTH_FAILURES: "0" } });
});
afterAll(async () => {
  await service.stop();
});

type Login = Readonly<Record<"username" | "password" | "secret", string>>;

/** Replaces address and login, also in `optional_args`. */
function at(request: Documented, port: number, login: Login = replayLogin): Operation {
  const { username, password, secret } = login;
  const given = request.body.connection_args.optional_args;
  const optional_args = { ...(typeof given === "object" ? given : {}), port, secret };
  const host = "hostname" in request.body.connection_args ? "hostname" : "host";
  return readdressed(request, { [host]: "127.0.0.1", username, password, optional_args }, "");
}

const getters = ["0dff9e4098", "e329d05de6", "121c046ac5"];

/** Requests with `config` or `rollback`, which need stateful routers. */
const changes = ["e74a0ad728", "fb27833f64", "e0237a7a4c", "44909072f1"];
const others = ["aa512872b4", "e9ba1fd02a", "e5553d82d3", "73f4ec93e8", "669a01e3f0"];

test("every one of them is tried below", () => {
  const tried = [...getters, ...changes, ...others, "f31ea65e48", "8bd642a559"];
  expect(requests.map(({ id }) => id).sort()).toEqual(tried.sort());
});

describe("configuration of ios", () => {
  let router: Router;
  beforeAll(async () => {
    router = await startRouter();
  });
  afterAll(() => router.close());
  beforeEach(() => router.reset());
  const login = { username: "admin", password: routerPassword, secret: "" };

  test.each(changes)("%s: compared, committed, saved", async (id) => {
    const body = at(one(id), router.port, login);
    const lines = [body.config].flat().map(String);
    const job = await service.run(body);
    expect(job).toMatchObject({ status: "finished", result: { error: null } });
    const confirmed = body.driver_args?.confirm === 60;
    expect(Object.values(job.result?.retval ?? {})).toMatchObject([
      {
        committed: true,
        diff: expect.stringContaining(lines[0] ?? ""),
        ...(confirmed ? { reverts_in: 60 } : {}),
      },
    ]);
    const shown = lines.filter((line) => !line.startsWith("no "));
    for (const line of shown) expect(router.running.join("\n")).toContain(line);
    // An unconfirmed commit is not saved, so a restart also rolls it back.
    expect(router.startup.join("\n").includes(lines[0] ?? "")).toBe(!confirmed);
    const commented = ["message", "commit_message"].some((name) => name in (body.driver_args ?? {}));
    expect(job.warnings ?? []).toEqual(commented ? [expect.stringContaining("message")] : []);
  });

  test("f31ea65e48: rolls back the last change, or reports why it cannot", async () => {
    const rollback = at(one("f31ea65e48"), router.port, login);
    const refused = await service.run(rollback);
    expect(refused.result?.error).toMatchObject({
      type: "CommandError",
      message: expect.stringContaining("no commit of this service"),
    });
    const before = [...router.running];
    await service.run(at(one("fb27833f64"), router.port, login));
    expect(router.running).not.toEqual(before);
    const job = await service.run(rollback);
    expect(job.result).toMatchObject({ type: "success", retval: { rollback: { rolled_back: true } } });
    expect(router.running).toEqual(before);
  });
});

const rendered = v.looseObject({ rendering: v.looseObject({ template: v.string() }) });

test("configuration of junos 8bd642a559: rejects rendered lines that are not Junos and names the line", async () => {
  const router = await startJunosRouter(["system host-name a"]);
  const login = { username: router.user, password: router.password, secret: "" };
  const request = one("8bd642a559");
  const job = await service.run(at(request, router.port, login));
  expect(job.result?.error).toMatchObject({
    type: "CommandError",
    message: expect.stringMatching(/line 1.*syntax error/s),
  });
  expect([router.store.running(), router.store.lockedBy()]).toEqual([["system host-name a"], undefined]);
  // With the keyword that Junos requires on each line it is committed, pending confirmation.
  const { rendering } = v.parse(rendered, request.body.options);
  const template = rendering.template.replace(/(^|\n|%\})(snmp|ntp)/g, "$1set $2");
  const options = { ...request.body.options, rendering: { ...rendering, template } };
  const mended = await service.run({ ...at(request, router.port, login), options });
  expect(Object.values(mended.result?.retval ?? {})).toMatchObject([
    { committed: true, reverts_in: 120, diff: expect.stringContaining("ntp server 8.8.4.4") },
  ]);
  expect(router.comment()).toContain("NAPALM configuration");
  await router.close();
});

describe("ios", () => {
  let router: ReplayDevice;
  beforeAll(async () => {
    router = await device(
      "ios/get_facts/empty_show_hosts",
      "ios/get_interfaces/alternate",
      "ios/get_interfaces_ip/normal",
      "ios/get_bgp_neighbors/mcast_ipv6",
    );
  });
  afterAll(() => router.close());

  test.each(getters)("%s: each method has its structure", async (id) => {
    const body = at(one(id), router.port);
    const job = await service.run(body);
    expect(job).toMatchObject({ status: "finished", driver: "napalm", result: { type: "success" } });
    expect(Object.keys(job.result?.retval ?? {})).toEqual(commandsOf(body));
    const shapes: Record<string, object> = {
      get_facts: { vendor: "Cisco", interface_list: expect.arrayContaining([expect.any(String)]) },
      get_interfaces: { Vlan1: expect.objectContaining({ is_up: expect.any(Boolean) }) },
      get_interfaces_ip: expect.objectContaining({}),
      get_bgp_neighbors: { global: { peers: expect.objectContaining({}) } },
    };
    for (const [method, given] of Object.entries(job.result?.retval ?? {}))
      expect(given).toMatchObject(shapes[method] ?? {});
    expect(job.warnings ?? []).toEqual([]);
  });

  test("aa512872b4: rejects an unknown NAPALM method and suggests similar ones", async () => {
    const { status, body } = await service.call(
      "POST",
      "/device/execute",
      at(one("aa512872b4"), router.port),
    );
    expect([status, JSON.stringify(body.data)]).toEqual([
      422,
      expect.stringMatching(
        /\\"get_ospf_neighbors\\" is not a method of napalm. Did you mean get_bgp_neighbors/,
      ),
    ]);
  });

  test("e9ba1fd02a: without a candidate there is no diff", async () => {
    const job = await service.run(at(one("e9ba1fd02a"), router.port));
    expect(job.result).toMatchObject({ type: "success", retval: { compare_config: "" } });
  });
});

test("eos e5553d82d3: facts over eAPI", async () => {
  const hostname = { "show_hostname.json": '{"hostname": "sw1", "fqdn": "sw1.example.net"}' };
  const [recorded, version] = ["eos/get_interfaces_counters/normal", "eos/get_environment/normal"].map(
    replayCaseOf,
  );
  if (!recorded || !version) throw new Error("no case");
  const eos = await startReplay({ ...recorded, files: { ...version.files, ...recorded.files, ...hostname } });
  const job = await service.run(at(one("e5553d82d3"), eos.port));
  await eos.close();
  expect(job.result).toMatchObject({
    type: "success",
    retval: { get_facts: { vendor: "Arista", hostname: "sw1", fqdn: "sw1.example.net" } },
  });
});

test("iosxr 73f4ec93e8: reports unsupported methods and answers the others", async () => {
  const router = await device(
    "iosxr/get_bgp_neighbors/normal.reduced",
    "iosxr/get_bgp_neighbors_detail/normal.reduced",
  );
  const job = await service.run(at(one("73f4ec93e8"), router.port));
  await router.close();
  expect(job).toMatchObject({ status: "finished" });
  expect(job.result?.retval).toMatchObject({
    get_route_to: { error: { type: "CommandError" } },
    get_bgp_neighbors: { global: expect.objectContaining({}) },
    get_bgp_neighbors_detail: expect.objectContaining({}),
  });
  expect(job.warnings).toEqual([expect.stringMatching(/^get_route_to: /)]);
});

test("eos 669a01e3f0: a connection test over SSH", async () => {
  const eos: SimulatedDevice = await simulated("arista_eos", { hostname: "sw1" });
  const { path } = one("669a01e3f0");
  const answer = await service.call("POST", path, at(one("669a01e3f0"), eos.port, eos));
  await eos.stop();
  expect([answer.status, answer.body.data]).toMatchObject([200, { success: true }]);
});
