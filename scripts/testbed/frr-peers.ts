/** Two real routers on one link with a BGP session between them. */
import { type Frr, startFrr } from "./frr.ts";
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
  const ends = [
    { ...router, address: "10.77.0.1/24" },
    { ...peer, address: "10.77.0.2/24" },
  ];
  const [left, right] = [`${router.network}-w`.slice(-15), `${peer.network}-w`.slice(-15)];
  run(["ip", "link", "add", left, "type", "veth", "peer", "name", right], { mustSucceed: true });
  for (const [at, wire] of [left, right].entries()) {
    const end = ends[at];
    if (end === undefined) continue;
    const { network, address } = end;
    run(["ip", "link", "set", wire, "netns", network, "name", "wire"], { mustSucceed: true });
    run(["ip", "-n", network, "address", "add", address, "dev", "wire"], { mustSucceed: true });
    run(["ip", "-n", network, "link", "set", "wire", "up"], { mustSucceed: true });
  }
  const established = () => /"state":\s*"Established"/.test(router.vtysh("show bgp summary json"));
  const stop = async () => {
    await router.stop();
    await peer.stop();
  };
  for (const startedAt = performance.now(); !established(); ) {
    if (performance.now() - startedAt > 90_000) {
      const seen = router.vtysh("show bgp summary");
      await stop();
      throw new Error(`the BGP session did not come up: ${seen}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { router, peer, established, stop };
}
