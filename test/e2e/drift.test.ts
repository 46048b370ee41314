/** Drift of a real router from its intents: found, mended by a change that persons vote on, and read back. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../scripts/testbed/frr.ts";
import type { ChangeDetail } from "../../src/api/change.ts";
import type { DriftDetail, DriftLineRecord, DriftRecord, DriftSummary } from "../../src/api/intent.ts";
import { type Service, startService } from "../../src/testkit/service.ts";
import { type Kept, keptBy } from "./history-places.ts";

const secret = "canary-bgp-1";
const configuration = [
  "hostname edge-1",
  ...["interface lo", " description loopback", "exit"],
  ...[
    "router bgp 65001",
    " neighbor 192.0.2.9 remote-as 65002",
    ` neighbor 192.0.2.9 password ${secret}`,
    "exit",
  ],
  "ip route 192.0.2.0/24 blackhole",
];
const wanted = [
  ...["interface lo", " description {{ vars.purpose }}", "exit"],
  ...["router bgp 65001", " neighbor 192.0.2.9 remote-as 65002", ` neighbor 192.0.2.9 password ${secret}`],
  ...[" neighbor 192.0.2.9 description transit", "exit"],
  ...["ip route 192.0.2.0/24 blackhole", "ip route 198.51.100.0/24 blackhole"],
].join("\n");
const intent = {
  select: "tag:edge",
  rendering: { name: "jinja2", template: wanted },
  sections: [
    { name: "interfaces", match: ["interface *"], mode: "ignore_extra" },
    { name: "bgp", match: ["router bgp *"] },
    { name: "routes", match: ["ip route *"] },
    { name: "telnet", match: ["line vty * > transport input telnet"], mode: "absent" },
  ],
  ignore: ["no bgp *", "bgp *"],
};

describe.skipIf(needs("frr"))("FRR", () => {
  let service: Service;
  let router: Frr;
  let kept: Kept;
  beforeAll(async () => {
    [router, service] = await Promise.all([
      startFrr({ hostname: "edge-1", daemons: ["staticd", "bgpd"], configuration }),
      startService(),
    ]);
    kept = keptBy(service);
    await kept.add("edge-1", router, { platform: "frr", tags: ["edge"], vars: { purpose: "loopback" } });
  });
  afterAll(async () => {
    await service.close();
    await router.stop();
  });
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await service.call<T>("GET", path);
    expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
    return body.data;
  };
  const settled = () => get<DriftSummary>("/drift/summary?wait=30");
  const states = async () => {
    await settled();
    const [row] = await get<DriftRecord[]>("/drift");
    return `${row?.state}: ${row?.sections.map(({ name, state }) => `${name} ${state}`).join(", ")}`;
  };
  const ended = (id: string) =>
    expect
      .poll(
        () => get<ChangeDetail>(`/change/${id}`).then(({ state, reason }) => `${state} ${reason ?? ""}`),
        {
          timeout: 60_000,
        },
      )
      .toMatch(/^done/);

  test("is unknown before it was read, and compared as soon as it was", async () => {
    const put = await service.call("PUT", "/intent/edge", intent, { "If-None-Match": "*" });
    expect(put.status, JSON.stringify(put.body)).toBe(201);
    expect(await states()).toBe("unknown: interfaces unknown, bgp unknown, routes unknown, telnet unknown");
    await kept.taken("edge-1");
    expect(await states()).toBe(
      "drifted: interfaces compliant, bgp drifted, routes drifted, telnet compliant",
    );
    const [detail] = await get<DriftDetail[]>("/drift/device/edge-1");
    expect(detail?.sections.map(({ lines }) => lines).join("")).toBe(
      " router bgp 65001\n+ neighbor 192.0.2.9 description transit\n+ip route 198.51.100.0/24 blackhole\n",
    );
    expect(detail?.fix).toEqual({
      lines: [
        "router bgp 65001",
        " neighbor 192.0.2.9 description transit",
        "exit",
        "ip route 198.51.100.0/24 blackhole",
      ],
      proven: true,
      risks: [],
    });
    expect(await get<DriftLineRecord[]>("/drift/line?text=description")).toMatchObject([
      {
        line: "router bgp 65001 > neighbor 192.0.2.9 description transit",
        devices: 1,
        first_devices: ["edge-1"],
      },
    ]);
    await kept.hides("edge-1", [secret]);
  });

  test("is mended by a change, read back, and compliant; a suspect or other text makes it unknown", async () => {
    router.vtysh("configure terminal", "ip route 203.0.113.0/24 blackhole");
    await kept.taken("edge-1");
    await settled();
    const draft = await service.call<ChangeDetail>("POST", "/drift/fix", {
      intents: ["edge"],
      approvals: { count: 0 },
    });
    expect(draft.status, JSON.stringify(draft.body)).toBe(201);
    const { id } = draft.body.data;
    const planned = (await service.call<ChangeDetail>("POST", `/change/${id}/plan`, {})).body.data;
    expect(planned, JSON.stringify(planned)).toMatchObject({ state: "approved", waves: [1] });
    expect(planned.groups[0]?.lines).toContain("no ip route 203.0.113.0/24 blackhole");
    expect((await service.call("POST", `/change/${id}/start`, {})).status).toBe(200);
    await ended(id);
    await expect
      .poll(states, { timeout: 30_000 })
      .toBe("compliant: interfaces compliant, bgp compliant, routes compliant, telnet compliant");
    expect(router.vtysh("show running-config")).toContain("neighbor 192.0.2.9 description transit");
    const again = await service.call("POST", "/drift/fix", { intents: ["edge"] });
    expect(again.status).toBe(422);
  });
});
