/** The history of a real router: FRR's vtysh over OpenSSH, changed by hand, cut off, closed and renamed. */
import { readFileSync } from "node:fs";
import process from "node:process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../../scripts/testbed/frr.ts";
import { run } from "../../../scripts/testbed/run.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type HeldLine, heldLine } from "../drivers/held-line.ts";
import { type Kept, keptBy } from "./history-places.ts";

const secrets = {
  login: "canary-vty-1",
  enable: "canary-enable-2",
  chain: "canary-chain-3",
  ospf: "canary-ospf-4",
  rip: "canary-rip-5",
  bgp: "canary-bgp-6",
  virtual: "canary-virt-7",
  area: "canary-area-8",
  domain: "canary-domain-9",
};

const configuration = [
  "hostname edge-1",
  `password ${secrets.login}`,
  `enable password ${secrets.enable}`,
  ...["key chain KEYS", " key 1", `  key-string ${secrets.chain}`, " exit", "exit"],
  "interface lo",
  " description loopback",
  ...[" ip ospf authentication message-digest", ` ip ospf message-digest-key 1 md5 ${secrets.ospf}`],
  ` ip rip authentication string ${secrets.rip}`,
  "exit",
  ...["router bgp 65001", " neighbor 192.0.2.9 remote-as 65002"],
  ...[` neighbor 192.0.2.9 password ${secrets.bgp}`, "exit"],
  ...["router ospf", " area 1 virtual-link 192.0.2.7"],
  ` area 1 virtual-link 192.0.2.7 message-digest-key 3 md5 ${secrets.virtual}`,
  "exit",
  ...["router isis CORE", ` area-password clear ${secrets.area}`, ` domain-password md5 ${secrets.domain}`],
  "exit",
  "ip route 192.0.2.0/24 blackhole",
];

describe.skipIf(needs("frr", "git"))("FRR", () => {
  let service: Service;
  let router: Frr;
  let kept: Kept;
  beforeAll(async () => {
    const daemons = ["staticd", "bgpd", "ospfd", "ripd", "isisd"] as const;
    [router, service] = await Promise.all([
      startFrr({ hostname: "edge-1", daemons, configuration }),
      startService(),
    ]);
    kept = keptBy(service);
    await kept.add("edge-1", router, { platform: "frr" });
  });
  afterAll(async () => {
    await service.close();
    await router.stop();
  });
  const byHand = (...lines: string[]) =>
    expect(router.vtysh("configure terminal", ...lines)).not.toContain("%");

  test("its text is what the router shows, with a mark for each secret, and no warning", async () => {
    const version = await kept.taken("edge-1");
    expect(version).toMatchObject({ version: 1, state: "good", part: "running" });
    const job = await service.job(version.job_id ?? "");
    expect(job.warnings).toBeUndefined();
    const shown = Object.values(secrets).reduce(
      (text, secret) => text.replace(` ${secret}\n`, " <secret>\n"),
      router.vtysh("show running-config").trim(),
    );
    const text = await kept.text("edge-1");
    expect(text.trim().replace(/<secret [0-9a-f]{6}>/g, "<secret>")).toBe(shown);
    await kept.hides("edge-1", Object.values(secrets));
    const opened = await service.call<{ text: string }>("GET", "/history/device/edge-1/latest?secrets=true");
    expect(opened.body.data.text.trim()).toBe(router.vtysh("show running-config").trim());
  });

  test("the difference is what was changed by hand, and nothing if nothing was", async () => {
    expect(await kept.taken("edge-1")).toMatchObject({ version: 1 });
    byHand("interface lo", "description to the core", "exit", "ip route 203.0.113.0/24 blackhole");
    expect(await kept.taken("edge-1")).toMatchObject({ version: 2, added: 2, removed: 1 });
    expect(await kept.changed("edge-1")).toEqual([
      "+ip route 203.0.113.0/24 blackhole",
      "- description loopback",
      "+ description to the core",
    ]);
  });

  test("a rotated secret is a change of its line, and is told by neither the old nor the new", async () => {
    byHand("router bgp 65001", "neighbor 192.0.2.9 password canary-new-bgp");
    byHand("interface lo", "ip rip authentication string canary-new-rip");
    await kept.taken("edge-1");
    const mark = expect.stringMatching(
      /^[+-] (?:neighbor 192\.0\.2\.9 password|ip rip .* string) <secret \w{6}>$/,
    );
    const lines = await kept.changed("edge-1");
    expect(lines).toEqual([mark, mark, mark, mark]);
    expect(new Set(lines.map((line) => line.slice(-7))).size).toBe(4);
    await kept.hides("edge-1", [...Object.values(secrets), "canary-new-bgp", "canary-new-rip"]);
  });

  test("the lines of a draft, entered by hand, lead back to the version that they restore, and forth", async () => {
    const [before] = await kept.versions("edge-1");
    // The router cannot remove it: it stays in the text without a line.
    const link = [
      "ip",
      "-n",
      router.network,
      "link",
      "add",
      "eth7",
      "type",
      "veth",
      "peer",
      "name",
      "eth7-b",
    ];
    run(link, { mustSucceed: true });
    byHand("no ip route 203.0.113.0/24 blackhole", "ip route 198.51.100.0/24 blackhole 200");
    byHand("interface lo", "description nobody knows why", "exit", "interface eth7", "description new");
    byHand("access-list GUESTS seq 5 permit 198.51.100.0/24");
    byHand("route-map IN permit 10", "description of guests", "match ip address GUESTS");
    byHand("router bgp 65001", "no neighbor 192.0.2.9", "neighbor 192.0.2.8 remote-as 65003");
    byHand("router bgp 65001", "neighbor 192.0.2.8 description two words");
    const family = ["router bgp 65001", "address-family ipv4 unicast"];
    byHand(...family, "neighbor 192.0.2.8 route-map IN in", "network 198.51.100.0/24");
    byHand("router isis CORE", "no area-password", "is-type level-2-only");
    byHand("no router rip", "no password");
    const after = await kept.taken("edge-1");
    const marks = new Map<string, string>();
    for (const version of [before?.version, after.version]) {
      const path = `/history/device/edge-1/${version}?secrets=true`;
      const opened = (await service.call<{ text: string }>("GET", path)).body.data.text.split("\n");
      for (const [at, line] of (await kept.text("edge-1", version)).split("\n").entries()) {
        const [start, mark] = line.split(/(<secret \w+>)/);
        if (mark !== undefined) marks.set(mark, opened[at]?.slice(start?.length) ?? "");
      }
    }
    for (const wanted of [before, after]) {
      const draft = await kept.restore("edge-1", wanted?.version ?? 0);
      expect(draft).toMatchObject({ way: "lines", driver: "netmiko" });
      // A person puts in the secrets.
      byHand(...draft.lines.map((line) => line.replace(/<secret \w+>/, (mark) => marks.get(mark) ?? mark)));
      expect(await kept.taken("edge-1")).toMatchObject({ sha256: wanted?.sha256 });
    }
  });

  test("a neighbour that was given to another AS is given back, and the rest of it stays", async () => {
    const bgp = [
      "router bgp 65001",
      "neighbor 192.0.2.7 remote-as 65007",
      "neighbor 192.0.2.7 timers connect 5",
    ];
    byHand(...bgp);
    const before = await kept.taken("edge-1");
    byHand("router bgp 65001", "neighbor 192.0.2.7 remote-as 65999");
    await kept.taken("edge-1");
    const { lines } = await kept.restore("edge-1", before.version);
    byHand(...lines);
    expect(await kept.taken("edge-1")).toMatchObject({ sha256: before.sha256 });
  });

  test("without one of its daemons its text is suspect, until the daemon is back or somebody accepts it", async () => {
    const before = await kept.taken("edge-1");
    router.vtysh("write memory");
    await router.stopDaemon("bgpd");
    await kept.take("edge-1");
    const [lacking] = await kept.versions("edge-1");
    expect(lacking).toMatchObject({
      state: "suspect",
      reason: expect.stringMatching(/^bgpd did not answer/),
    });
    expect(await kept.device("edge-1")).toMatchObject({ latest: { version: before.version }, suspects: 1 });
    await router.startDaemon("bgpd");
    await kept.take("edge-1");
    expect(await kept.device("edge-1")).toMatchObject({ latest: { version: before.version }, suspects: 0 });
    await router.stopDaemon("bgpd");
    await kept.take("edge-1");
    expect(await kept.device("edge-1")).toMatchObject({ suspects: 1 });
    await kept.take("edge-1", ["running"], { accept_less: true });
    const { latest, suspects } = await kept.device("edge-1");
    expect({ suspects, removed: (latest?.removed ?? 0) > 0 }).toEqual({ suspects: 0, removed: true });
    expect(await kept.taken("edge-1")).toMatchObject({ version: latest?.version });
    await router.startDaemon("bgpd");
    expect(await kept.taken("edge-1")).toMatchObject({ sha256: before.sha256 });
  });

  test("an account that may not use vtysh is a failure that says so, and no version", async () => {
    const stranger = await router.stranger();
    try {
      await kept.add("edge-9", stranger, { platform: "frr" });
      const job = await kept.take("edge-9");
      expect(job.status).toBe("failed");
      expect(job.result?.error?.message).toContain("failed to connect to any daemons");
      expect(await kept.device("edge-9")).toMatchObject({ latest: null, versions: 0, suspects: 0 });
    } finally {
      await stranger.stop();
    }
  });
});

describe.skipIf(needs("frr"))("a long text of FRR", () => {
  let service: Service;
  let router: Frr;
  let line: HeldLine;
  let kept: Kept;
  beforeAll(async () => {
    const path = "64512_".repeat(100);
    const lists = Array.from(
      { length: 4_000 },
      (_, at) => `bgp as-path access-list L${at} seq 5 permit ${path}${at}$`,
    );
    [router, service] = await Promise.all([
      startFrr({ hostname: "edge-2", daemons: ["bgpd"], configuration: ["hostname edge-2", ...lists] }),
      startService(),
    ]);
    line = await heldLine(router.port);
    kept = keptBy(service);
    await kept.add("edge-2", { ...router, port: line.port }, { platform: "frr" });
    await kept.taken("edge-2");
  });
  afterEach(() => line.release());
  afterAll(async () => {
    await service.close();
    line.close();
    await router.stop();
  });

  const shells = () =>
    router.sessions().filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "vtysh");

  test.for(["the session", "vtysh"])("is no version if %s is killed in the middle of it", async (what) => {
    const [before] = await kept.versions("edge-2");
    // More than a channel of SSH carries before it is told that the data arrived.
    expect(before?.size).toBeGreaterThan(2.2 * 1024 * 1024);
    const held = line.holdAfter(100_000);
    const taking = kept.take("edge-2", ["running"]);
    await held;
    if (what === "vtysh") for (const pid of shells()) process.kill(pid, "SIGKILL");
    else router.killSessions();
    line.release();
    const job = await taking;
    expect(job.status).toBe("failed");
    expect(job.result?.error).toMatchObject({ type: "ConnectionLost", command: "show running-config" });
    expect(JSON.stringify(job)).not.toContain("64512");
    expect(await kept.versions("edge-2")).toEqual([before]);
    expect(await kept.device("edge-2")).toMatchObject({ versions: 1, suspects: 0, error: "ConnectionLost" });
    expect(await kept.taken("edge-2")).toMatchObject({ version: 1, sha256: before?.sha256 });
    expect(await kept.device("edge-2")).toMatchObject({ error: null, failed_at: null });
  });
});
