/** Drift of a real router from its intents: found, mended by a change that persons vote on, and read back. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../../scripts/testbed/frr.ts";
import type { ChangeDetail } from "../../../src/api/changes/change.ts";
import type {
  DriftDetail,
  DriftLineRecord,
  DriftRecord,
  DriftSummary,
} from "../../../src/api/intent/intent.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type Kept, keptBy } from "../history/history-places.ts";
import { loggedIn, type Operator } from "../terminal.ts";

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
  let someone: Operator;
  beforeAll(async () => {
    [router, service] = await Promise.all([
      startFrr({ hostname: "edge-1", daemons: ["staticd", "bgpd"], configuration }),
      startService(),
    ]);
    kept = keptBy(service);
    await kept.add("edge-1", router, { platform: "frr", tags: ["edge"], vars: { purpose: "loopback" } });
    someone = await loggedIn(service.url, adminKey);
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
  const drift = (...args: string[]) => someone.piped(["drift", ...args]);
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
    expect(await someone.piped(["intent", "list"])).toMatchObject({ code: 0, err: "There are none.\n" });
    const misspelt = await someone.piped(
      ["intent", "put", "edge", "-"],
      JSON.stringify({ ...intent, igno: [] }),
    );
    expect(misspelt).toMatchObject({ code: 2, err: expect.stringContaining("igno") });
    const put = await someone.piped(["intent", "put", "edge", "-"], JSON.stringify(intent));
    expect(put).toMatchObject({ code: 0, err: expect.stringContaining("edge has revision 1") });
    // Nothing is known, which is no yes.
    const run = await drift("run");
    expect(run).toMatchObject({ code: 4, err: expect.stringMatching(/^1 comparison: 1 unknown\.$/m) });
    expect(run.out).toMatch(/^\? +edge-1 +edge +unknown .*is known: read it first$/m);
    expect(await drift("show", "edge-1")).toMatchObject({
      code: 4,
      out: expect.stringMatching(/^edge-1, edge: unknown \(no good running configuration is known/),
    });
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
      twin: expect.objectContaining({ proven: true, lines: 4, unknown_lines: 0 }),
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

  test("is told by the client, whose exit code fails a pipeline", async () => {
    const run = await drift("run");
    expect(run).toMatchObject({ code: 1, err: expect.stringMatching(/^1 comparison: 1 drifted\.$/m) });
    expect(run.out).toMatch(/^! +edge-1 +edge +drifted +bgp: 1 missing; routes: 1 missing *$/m);
    expect((await drift("run", "--no-wait")).code).toBe(0);
    const markdown = await drift("show", "--markdown");
    expect(markdown).toMatchObject({ code: 1, err: "" });
    expect(markdown.out).toBe(
      "**Drift:** 1 comparison: 1 drifted.\n\n| Device | Intent | State | Sections | Reason |\n|---|---|---|---|---|\n| edge-1 | edge | drifted | bgp: 1 missing; routes: 1 missing |  |\n",
    );
    const rows = await drift("show", "--section", "bgp", "--state", "drifted", "--json");
    expect(rows.code).toBe(1);
    expect(JSON.parse(rows.out)).toMatchObject({ device: "edge-1", state: "drifted" });
    const [device, inMarkdown] = await Promise.all([
      drift("show", "edge-1"),
      drift("show", "edge-1", "--markdown"),
    ]);
    expect(device.code).toBe(1);
    for (const part of [
      "edge-1, edge: drifted\n! bgp: drifted, 1 missing\n router bgp 65001\n+ neighbor 192.0.2.9 description transit\n",
      "A fix would send (proven):\nrouter bgp 65001\n neighbor 192.0.2.9 description transit\nexit\n",
    ])
      expect(device.out).toContain(part);
    expect(inMarkdown.out).toContain("```diff\n router bgp 65001\n+ neighbor");
    const lines = await drift("lines", "description");
    expect(lines.out).toMatch(
      /^1 +edge\/bgp +missing +router bgp 65001 > neighbor 192\.0\.2\.9 description transit +edge-1 *$/m,
    );
    for (const { out } of [run, markdown, rows, device, inMarkdown, lines]) expect(out).not.toContain(secret);
    const wrong = await Promise.all([
      drift("show", "nowhere"),
      drift("run", "--intent", "nothing"),
      drift("show", "--state", "odd"),
      drift("run", "--select", "tag:"),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([1, 1, 2, 2]);
  });

  test("a fix that the client drafts is planned, and waits for a vote", async () => {
    const fix = await drift("fix", "edge", "--section", "bgp", "--ticket", "CHG-7", "--json");
    expect(fix.code, fix.err).toBe(0);
    const { id, ...planned }: ChangeDetail = JSON.parse(fix.out);
    expect(planned).toMatchObject({
      state: "waiting_approval",
      ticket: "CHG-7",
      approvals: { needed: 1, given: 0 },
    });
    expect(planned.groups[0]?.lines).toBe("router bgp 65001\n neighbor 192.0.2.9 description transit\nexit");
    expect((await service.call("POST", `/change/${id}/start`, {})).status).toBe(409);
    expect((await someone.piped(["change", "cancel", id])).code).toBe(0);
    expect(router.vtysh("show running-config")).not.toContain("description transit");
  });

  test("is mended by a change, read back, and compliant", async () => {
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
    expect(await drift("fix", "edge")).toMatchObject({ code: 2, err: expect.stringContaining("intents") });
    const run = await drift("run");
    expect(run).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringMatching(/^1 comparison: 1 compliant\.$/m),
    });
    expect((await drift("show", "edge-1")).code).toBe(0);
    const shown = await someone.piped(["intent", "show", "edge"]);
    expect(JSON.parse(shown.out)).toMatchObject({ name: "edge", revision: 1 });
    expect(shown.out).not.toContain(secret);
    expect((await someone.piped(["intent", "remove", "edge", "--yes"])).code).toBe(0);
    expect(await drift("show", "edge-1")).toMatchObject({
      code: 0,
      err: expect.stringContaining("No intent is for edge-1."),
    });
  });
});
