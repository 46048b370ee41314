/**
 * The devices of bench:changes: simulated routers and real ones (FRR), each with BGP. Both keep a journal of the lines
 * that they were sent, and know when their sessions were up; nothing of it comes from the service or its rivals.
 */
import { pause } from "../../../src/base/time/deadline.ts";
import { type Simulator, startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { platformOf } from "../../chaos/fleet.ts";
import { type FrrRing, type RingRouter, startFrrRing } from "../../testbed/frr-peers.ts";

export interface FleetOptions {
  readonly simulated: number;
  /** 0, or three and more. */
  readonly real: number;
}

/** A router whose line the bad data breaks: every fifth. */
const every = 5;
export const wrongAs = 64_999;
/** How long a simulated session takes to come up. */
const comesUpMs = 1_000;
const sampleMs = 100;
const upWithinMs = 180_000;

export interface SentLine {
  /** Wall clock, ms. */
  readonly at: number;
  readonly line: string;
}

export interface Transition {
  readonly at: number;
  readonly up: boolean;
}

export interface Speaker {
  readonly name: string;
  readonly isReal: boolean;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly asNumber: number;
  readonly peer: string;
  readonly peerAs: number;
  /** Whether the data about it is wrong. */
  readonly breaks: boolean;
  /** What it was sent about its neighbour since `mark`. */
  sent(): readonly SentLine[];
  /** Its session with the neighbour since `mark`. */
  transitions(): readonly Transition[];
  /** All its sessions are up. */
  isUp(): boolean;
  configuration(): string;
  /** Forgets what it has seen so far. */
  mark(): void;
  /** Puts back what it had at the start. */
  reset(): void;
}

export interface Fleet {
  /** By name. */
  readonly speakers: readonly Speaker[];
  stop(): Promise<void>;
}

export async function startFleet({ simulated, real }: FleetOptions): Promise<Fleet> {
  const ring: FrrRing | undefined = real === 0 ? undefined : await startFrrRing(real);
  const digits = String(simulated).length;
  const simulators: Simulated[] = [];
  for (let number = 1; number <= simulated; number++)
    simulators.push(await startSimulated(number, `sim-${String(number).padStart(digits, "0")}`));
  const sampling = setInterval(() => {
    for (const { sample } of simulators) sample();
  }, sampleMs);
  return {
    speakers: [...(ring?.routers ?? []).map(realSpeaker), ...simulators.map(({ speaker }) => speaker)],
    async stop() {
      clearInterval(sampling);
      await Promise.all(simulators.map(({ simulator }) => simulator.stop()));
      await ring?.stop();
    },
  };
}

interface Simulated {
  readonly speaker: Speaker;
  readonly simulator: Simulator;
  sample(): void;
}

const summary = "show ip bgp summary";
const account = { username: "ops", password: "bench-password-1" };
const aboutNeighbour = /^(?:no )?neighbor /;

async function startSimulated(number: number, name: string): Promise<Simulated> {
  const [asNumber, peerAs] = [64_512 + (number % 300), 65_000];
  const host = `127.10.${(number >> 8) & 255}.${number & 255}`;
  const peer = `10.${(number >> 8) & 255}.${number & 255}.1`;
  let seen = { isRight: true, since: Number.NEGATIVE_INFINITY };
  let isUp = true;
  let transitions: Transition[] = [];
  const remote = new RegExp(`^ neighbor ${peer.replaceAll(".", "\\.")} remote-as ${peerAs}$`);

  function stateOf(lines: readonly string[]): boolean {
    const isRight = lines.some((line) => remote.test(line));
    const now = Date.now();
    if (isRight !== seen.isRight) seen = { isRight, since: now };
    const up = isRight && now - seen.since >= comesUpMs;
    if (up !== isUp) transitions.push({ at: now, up });
    isUp = up;
    return up;
  }
  const simulator = await startSimulator({
    ...{ ...account, platform: platformOf("cisco_ios"), host, hostname: name, secret: "" },
    replaces: /^neighbor \S+ (?:remote-as|description)\b/,
    shows: { [summary]: (lines) => summaryOf({ number, asNumber, peer, peerAs }, stateOf(lines)) },
  });
  const { configuration } = simulator.device;
  configuration.add([`router bgp ${asNumber}`], `neighbor ${peer} remote-as ${peerAs}`);
  configuration.add([`router bgp ${asNumber}`], `neighbor ${peer} description uplink`);
  const first = configuration.lines();
  let from = 0;
  let sampled = 0;
  return {
    simulator,
    sample() {
      if (simulator.entered.length === sampled && isUp) return;
      sampled = simulator.entered.length;
      stateOf(configuration.lines());
    },
    speaker: {
      ...{ ...account, name, isReal: false, host, port: simulator.port, asNumber, peer, peerAs },
      breaks: number % every === 0,
      sent: () =>
        simulator.entered.slice(from).flatMap(({ at, line }) => {
          const text = line.trim();
          return aboutNeighbour.test(text) ? [{ at: performance.timeOrigin + at, line: text }] : [];
        }),
      transitions: () => transitions,
      isUp: () => stateOf(configuration.lines()),
      configuration: () => configuration.lines().join("\n"),
      mark() {
        from = simulator.entered.length;
        transitions = [];
      },
      reset: () => configuration.replace(first),
    },
  };
}

interface Neighbour {
  readonly number: number;
  readonly asNumber: number;
  readonly peer: string;
  readonly peerAs: number;
}

/** As IOS shows it: a number of prefixes, or the state of a session that is not up. */
function summaryOf({ number, asNumber, peer, peerAs }: Neighbour, up: boolean): string {
  const id = `10.255.${(number >> 8) & 255}.${number & 255}`;
  return [
    `BGP router identifier ${id}, local AS number ${asNumber}`,
    "BGP table version is 12, main routing table version 12",
    "",
    "Neighbor        V           AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd",
    `${peer.padEnd(15)} 4 ${String(peerAs).padStart(12)}      26      22       12    0    0 ${up ? "1d02h           17" : "never    Idle"}`,
  ].join("\n");
}

/** The first of them has wrong data. */
function realSpeaker({ router, asNumber, next, sessions, journal }: RingRouter, at: number): Speaker {
  let from = 0;
  /** What the log says after a date such as `2026/11/29 10:06:53.031`. */
  const logged = (pattern: RegExp) =>
    journal()
      .slice(from)
      .split("\n")
      .flatMap((line) => {
        const match = pattern.exec(line);
        return match === null ? [] : [{ at: new Date(line.slice(0, 23)).getTime(), text: match[1] ?? "" }];
      });
  const address = next.address.replaceAll(".", "\\.");
  const first = [
    `neighbor ${next.address} remote-as ${next.asNumber}`,
    `no neighbor ${next.address} description`,
  ];
  return {
    ...{ name: router.hostname, isReal: true, host: router.host, port: router.port, asNumber },
    ...{ username: router.user, password: router.password, peer: next.address, peerAs: next.asNumber },
    breaks: at === 0,
    sent: () =>
      logged(/ BGP: \S+ vty\[\d+\]@\(config-router\)#\s+((?:no )?neighbor .*?)\s*$/).map((one) => ({
        at: one.at,
        line: one.text,
      })),
    transitions: () =>
      logged(new RegExp(`%ADJCHANGE: neighbor ${address}\\S* in vrf default (Up|Down)`)).map((one) => ({
        at: one.at,
        up: one.text === "Up",
      })),
    isUp: () => sessions() === 2,
    configuration: () => router.vtysh("show running-config"),
    mark() {
      from = journal().length;
    },
    reset: () => void router.vtysh("configure terminal", `router bgp ${asNumber}`, ...first),
  };
}

/** Waits until all sessions are up. @returns those that are not */
export async function downAfter({ speakers }: Fleet, withinMs: number): Promise<readonly Speaker[]> {
  let down = speakers;
  for (const from = performance.now(); ; await pause(sampleMs)) {
    down = down.filter((speaker) => !speaker.isUp());
    if (down.length === 0 || performance.now() - from > withinMs) return down;
  }
}

/** Each as it was at the start, with all sessions up and nothing noted. */
export async function freshly(fleet: Fleet): Promise<void> {
  for (const speaker of fleet.speakers) speaker.reset();
  const down = await downAfter(fleet, upWithinMs);
  if (down.length > 0)
    throw new Error(
      `not up: ${down.map(({ name, configuration }) => `${name}\n${configuration()}`).join("\n")}`,
    );
  for (const speaker of fleet.speakers) speaker.mark();
}

export interface Sums {
  readonly devices: number;
  /** Devices whose data is wrong. */
  readonly would_break: number;
  /** Devices that were sent a line. */
  readonly touched: number;
  /** Devices that lost their session, and those of them that do not have it back. */
  readonly lost: number;
  readonly left_broken: number;
  /** Untouched neighbours of those that have no session. */
  readonly neighbours_without_session: number;
  /** Devices that have another configuration than before. */
  readonly left_changed: number;
  /** From the first line of a device until its session was back, the longest; null: never. */
  readonly longest_back_s: number | null;
  /** From the start until the last session was back; null: never. */
  readonly last_back_s: number | null;
}

/** @param startedAt wall clock, ms @param before configurations by name */
export function sumsOf({ speakers }: Fleet, startedAt: number, before: ReadonlyMap<string, string>): Sums {
  const rows = speakers.map((speaker) => ({
    speaker,
    sent: speaker.sent(),
    transitions: speaker.transitions(),
    isUp: speaker.isUp(),
    isChanged: speaker.configuration() !== before.get(speaker.name),
  }));
  const touched = rows.filter(({ sent }) => sent.length > 0);
  const lost = touched.filter(({ transitions }) => transitions.some(({ up }) => !up));
  const left = lost.filter(({ isUp }) => !isUp);
  const seconds = (ms: number) => Math.round(ms / 100) / 10;
  const backs = lost.map(({ sent, transitions }) => {
    const back = transitions.filter(({ up }) => up).at(-1)?.at ?? Number.POSITIVE_INFINITY;
    return { after: back - (sent[0]?.at ?? 0), at: back };
  });
  const most = (values: readonly number[]) =>
    left.length > 0 || values.length === 0 ? null : seconds(Math.max(...values));
  return {
    devices: speakers.length,
    would_break: speakers.filter(({ breaks }) => breaks).length,
    touched: touched.length,
    lost: lost.length,
    left_broken: left.length,
    neighbours_without_session: rows.filter(({ sent, isUp }) => sent.length === 0 && !isUp).length,
    left_changed: rows.filter(({ isChanged }) => isChanged).length,
    longest_back_s: most(backs.map(({ after }) => after)),
    last_back_s: most(backs.map(({ at }) => at - startedAt)),
  };
}
