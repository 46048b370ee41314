/** Real routers with BGP sessions between them: two on one link, or a ring of several. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Frr, startFrr } from "./frr.ts";
import { makeFolder } from "./process.ts";
import { run } from "./run.ts";

export interface FrrPeers {
  /** 10.77.0.1, AS 65001: the router under test. */
  readonly router: Frr;
  /** 10.77.0.2, AS 65002. */
  readonly peer: Frr;
  /** Whether the router reports the session as established. */
  established(): boolean;
  stop(): Promise<void>;
}

/** BGP configuration with timers that connect at once and survive a busy machine. */
const bgp = (own: number, other: number): string[] => [
  `router bgp 6500${own}`,
  ` bgp router-id 10.77.0.${own}`,
  " no bgp ebgp-requires-policy",
  " timers bgp 10 30",
  ` neighbor 10.77.0.${other} remote-as 6500${other}`,
  ` neighbor 10.77.0.${other} description the other end of the wire`,
  ` neighbor 10.77.0.${other} timers connect 1`,
  " !",
  " address-family ipv4 unicast",
  `  network 10.78.${own}.0/24`,
  `  neighbor 10.77.0.${other} soft-reconfiguration inbound`,
  " exit-address-family",
  "exit",
  `ip route 10.78.${own}.0/24 blackhole`,
];

export async function startFrrPeers(): Promise<FrrPeers> {
  const daemons = ["staticd", "bgpd"] as const;
  const router = await startFrr({ hostname: "R1", daemons, configuration: bgp(1, 2) });
  const peer = await startFrr({ hostname: "R2", daemons, configuration: bgp(2, 1) }).catch(async (error) => {
    await router.stop();
    throw error;
  });
  connect(
    { network: router.network, address: "10.77.0.1/24", wire: "wire" },
    { network: peer.network, address: "10.77.0.2/24", wire: "wire" },
  );
  const established = () => sessionsOf(router) === 1;
  const stop = async () => {
    await router.stop();
    await peer.stop();
  };
  await comesUp(established, router, stop);
  return { router, peer, established, stop };
}

interface End {
  readonly network: string;
  readonly address: string;
  /** Name of its interface. */
  readonly wire: string;
}

/** A link between two routers. */
export function connect(...ends: readonly [End, End]): void {
  const [left, right] = ends.map(({ network, wire }) => `${network}-${wire.slice(0, 1)}`.slice(-15));
  run(["ip", "link", "add", left ?? "", "type", "veth", "peer", "name", right ?? ""], { mustSucceed: true });
  for (const [at, { network, address, wire }] of ends.entries()) {
    const link = (at === 0 ? left : right) ?? "";
    run(["ip", "link", "set", link, "netns", network, "name", wire], { mustSucceed: true });
    run(["ip", "-n", network, "address", "add", address, "dev", wire], { mustSucceed: true });
    run(["ip", "-n", network, "link", "set", wire, "up"], { mustSucceed: true });
  }
}

const sessionsOf = (router: Frr) =>
  router.vtysh("show bgp summary json").match(/"state":\s*"Established"/g)?.length ?? 0;

async function comesUp(isUp: () => boolean, router: Frr, stop: () => Promise<void>): Promise<void> {
  for (const startedAt = performance.now(); !isUp(); ) {
    if (performance.now() - startedAt > 90_000) {
      const seen = router.vtysh("show bgp summary");
      await stop();
      throw new Error(`the BGP sessions did not come up: ${seen}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export interface RingRouter {
  readonly router: Frr;
  readonly asNumber: number;
  /** The next one of the ring, as this one sees it. */
  readonly next: { readonly address: string; readonly asNumber: number };
  /** Its sessions that are established. */
  sessions(): number;
  /** What it wrote down itself: the lines that it was sent, and sessions that went up and down. */
  journal(): string;
}

export interface FrrRing {
  readonly routers: readonly RingRouter[];
  stop(): Promise<void>;
}

/** Three routers or more, each with a session to the one before it and to the next; AS 65101 and up. */
export async function startFrrRing(count: number): Promise<FrrRing> {
  const asOf = (at: number) => 65_101 + at;
  const before = (at: number) => (at + count - 1) % count;
  const folder = makeFolder("frr-ring");
  const logOf = (at: number) => join(folder.path, `${at}.log`);
  const frrs: Frr[] = [];
  const stop = async () => {
    for (const frr of frrs) await frr.stop();
    folder.remove();
  };
  run(["chown", "frr:frr", folder.path], { mustSucceed: true });
  // The link from a router to the next one has the number of the first.
  const neighbors = (at: number) => [
    { address: `10.76.${before(at)}.1`, asNumber: asOf(before(at)) },
    { address: `10.76.${at}.2`, asNumber: asOf((at + 1) % count) },
  ];
  try {
    for (let at = 0; at < count; at++)
      frrs.push(
        await startFrr({
          hostname: `frr-${at + 1}`,
          daemons: ["staticd", "bgpd"],
          configuration: [
            ...[`log file ${logOf(at)} informational`, "log timestamp precision 3", "log commands"],
            ...[`router bgp ${asOf(at)}`, ` bgp router-id 10.75.0.${at + 1}`],
            ...[" bgp log-neighbor-changes", " no bgp ebgp-requires-policy", " timers bgp 10 30"],
            ...neighbors(at).flatMap(({ address, asNumber }) => [
              ` neighbor ${address} remote-as ${asNumber}`,
              ` neighbor ${address} timers connect 1`,
            ]),
            ...[" !", " address-family ipv4 unicast", `  network 10.75.${at + 1}.0/24`],
            ...[" exit-address-family", "exit", `ip route 10.75.${at + 1}.0/24 blackhole`],
          ],
        }),
      );
    for (const [at, { network }] of frrs.entries())
      connect(
        { network, address: `10.76.${at}.1/24`, wire: "next" },
        { network: frrs[(at + 1) % count]?.network ?? "", address: `10.76.${at}.2/24`, wire: "former" },
      );
  } catch (error) {
    await stop();
    throw error;
  }
  const [first] = frrs;
  if (first !== undefined) await comesUp(() => frrs.every((frr) => sessionsOf(frr) === 2), first, stop);
  return {
    routers: frrs.map((router, at) => ({
      router,
      asNumber: asOf(at),
      next: { address: `10.76.${at}.2`, asNumber: asOf((at + 1) % count) },
      sessions: () => sessionsOf(router),
      journal: () => readFileSync(logOf(at), "utf8"),
    })),
    stop,
  };
}
