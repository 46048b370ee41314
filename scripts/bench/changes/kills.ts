/** Changes of which the service, or the rival, is killed at a random moment; the devices' own journals say what was sent. */
import { join } from "node:path";
import { pause } from "../../../src/base/time/deadline.ts";
import { createRandom } from "../../chaos/random.ts";
import { startAnsible } from "./ansible.ts";
import { downAfter, type Fleet, freshly, type Speaker, sumsOf } from "./fleet.ts";
import { type Ended, startOurs } from "./ours.ts";

export interface KillRuns {
  readonly fleet: Fleet;
  readonly folder: string;
  readonly settleS: number;
  readonly kills: number;
  readonly seed: number;
}

const waves = ["20%", "40%", "100%"];
/** Every so many changes one that nobody may start. */
const unvotedEvery = 5;
const kinds = ["canary breaks", "canary does not", "nothing breaks"] as const;
type Kind = (typeof kinds)[number];

export interface OurKills {
  readonly runs: number;
  readonly devices: number;
  /** Of the changes, after the kill. */
  readonly states: Readonly<Record<string, number>>;
  /** Phase of the change at the kill. */
  readonly killed_in: Readonly<Record<string, number>>;
  readonly sent_lines: number;
  readonly sent_twice: number;
  readonly waves_after_stop: number;
  readonly without_vote: number;
  readonly refused_without_vote: number;
  readonly left_broken: number;
  readonly record_differs: number;
  readonly breaches: readonly string[];
}

export async function killOurs({ fleet, folder, settleS, kills, seed }: KillRuns): Promise<OurKills> {
  const random = createRandom(seed);
  const ours = await startOurs(join(folder, "kills"), fleet.speakers);
  const { speakers } = fleet;
  const counts = { sentTwice: 0, afterStop: 0, withoutVote: 0, refused: 0, left: 0, differs: 0, lines: 0 };
  const breaches: string[] = [];
  const states: Record<string, number> = {};
  const killedIn: Record<string, number> = {};
  const breach = (key: keyof typeof counts, words: string) => {
    counts[key]++;
    breaches.push(words);
  };
  /** The first of each kind: they say how long it takes. */
  const unkilled = Math.min(kinds.length, kills);
  const lasts = new Map<Kind, number>();
  try {
    for (let round = -unkilled; round < kills; round++) {
      const kind = kinds[(round < 0 ? round + unkilled : round) % kinds.length] ?? "nothing breaks";
      await freshly(fleet);
      await ours.take();
      const before = new Map(speakers.map((speaker) => [speaker.name, speaker.configuration()]));
      const word = `round-${round + unkilled}`;
      const canary = canaryOf(speakers, kind);
      const change = await ours.planned({ canary, waves, settleS, word, isBad: kind !== "nothing breaks" });
      if (round % unvotedEvery === 0) {
        // Neither a vote for another plan nor none is one.
        const status = await ours.vote(change, { hash: "0".repeat(64) });
        const started = await ours.start(change.id);
        if (status < 400 || started !== 409)
          breach("withoutVote", `${word}: a vote for another plan was ${status}, the start ${started}`);
        else counts.refused++;
        const sent = speakers.filter((speaker) => linesOf(speaker, word) > 0).length;
        if (sent > 0) breach("withoutVote", `${word}: ${sent} devices were sent lines without a vote`);
      }
      await ours.vote(change);
      const from = performance.now();
      await ours.start(change.id);
      if (round >= 0) {
        await pause(random.below(Math.ceil(lasts.get(kind) ?? 1)));
        const phase = await ours.phase(change.id);
        killedIn[phase] = (killedIn[phase] ?? 0) + 1;
        await ours.node.kill();
        ours.node.spawn();
        await ours.node.up();
      }
      const ended = await ours.ended(change.id);
      if (round < 0) lasts.set(kind, performance.now() - from);
      states[ended.state] = (states[ended.state] ?? 0) + 1;
      await downAfter(fleet, 10_000);
      judge(ended, word, kind, before);
    }
  } finally {
    await ours.stop();
  }

  function judge(ended: Ended, word: string, kind: Kind, before: ReadonlyMap<string, string>): void {
    const byName = new Map(ended.targets.map((target) => [target.device, target]));
    const where = (name: string) => `${word} (${kind}, ${ended.state}), ${name}`;
    for (const speaker of speakers) {
      const { name } = speaker;
      const target = byName.get(name);
      const lines = linesOf(speaker, word);
      counts.lines += lines;
      if (lines > 1) breach("sentTwice", `${where(name)}: was sent its lines ${lines} times`);
      if (lines > 0 && (target?.wave ?? 0) > ended.wave)
        breach("afterStop", `${where(name)}: is of wave ${target?.wave}, the change ended in ${ended.wave}`);
      if (!speaker.isUp())
        breach("left", `${where(name)}: has no session: ${target?.state} ${target?.reason}`);
      const isAsBefore = sameLines(speaker.configuration(), before.get(name) ?? "");
      const fault = faultOf(target?.state, lines, isAsBefore);
      if (fault !== undefined)
        breach("differs", `${where(name)}: is ${target?.state} (${target?.reason}), and ${fault}`);
    }
  }

  return {
    ...{ runs: kills, devices: speakers.length, states, killed_in: killedIn },
    ...{ sent_lines: counts.lines, sent_twice: counts.sentTwice, waves_after_stop: counts.afterStop },
    ...{ without_vote: counts.withoutVote, refused_without_vote: counts.refused },
    ...{ left_broken: counts.left, record_differs: counts.differs, breaches: breaches.slice(0, 50) },
  };
}

function canaryOf(speakers: readonly Speaker[], kind: Kind): string {
  const wanted = kind === "canary breaks";
  const fitting = speakers.filter(({ breaks }) => breaks === wanted);
  return (wanted ? fitting[0] : fitting[1])?.name ?? "";
}

/** How often the device was sent the line that only this change has. */
const linesOf = (speaker: Speaker, word: string) =>
  speaker.sent().filter(({ line }) => line === `neighbor ${speaker.peer} description ${word}`).length;

/** The order of lines that a device sorts in its own way does not matter. */
const sameLines = (one: string, other: string) =>
  one.split("\n").sort().join("\n") === other.split("\n").sort().join("\n");

/** What the device says, if it is not what the record says. */
function faultOf(state: string | undefined, lines: number, isAsBefore: boolean): string | undefined {
  switch (state) {
    case "pushed":
      if (lines === 0) return "it was sent nothing";
      return isAsBefore ? "it has what it had before" : undefined;
    case "returned":
      return isAsBefore ? undefined : "it has not what it had before";
    case "failed":
      return isAsBefore ? undefined : "its lines are still there";
    case "waiting":
    case "skipped":
    case "diverged":
    case "unreachable":
      return lines > 0 ? `it was sent ${lines} lines` : undefined;
    default:
      // Of these the record says that it does not know, or that a person must look.
      return undefined;
  }
}

/** What a killed playbook leaves. */
export async function killAnsible({ fleet, folder, settleS, kills, seed }: KillRuns): Promise<object> {
  const random = createRandom(seed);
  const rounds: ReturnType<typeof sumsOf>[] = [];
  let lastsMs = 0;
  for (let round = -1; round < kills; round++) {
    await freshly(fleet);
    const before = new Map(fleet.speakers.map((speaker) => [speaker.name, speaker.configuration()]));
    const canary = canaryOf(fleet.speakers, "canary does not");
    const from = Date.now();
    const playbook = startAnsible(join(folder, `rival-${round + 1}`), fleet.speakers, {
      ...{ canary, settleS, word: `round-${round + 1}`, rescues: true },
    });
    if (round >= 0) {
      await pause(random.below(lastsMs));
      playbook.child.kill("SIGKILL");
    }
    await playbook.exited;
    if (round < 0) lastsMs = Date.now() - from;
    // Whatever goes on without it has the time to.
    await downAfter(fleet, 10_000);
    if (round >= 0) rounds.push(sumsOf(fleet, from, before));
    playbook.clean();
  }
  const sum = (of: (sums: ReturnType<typeof sumsOf>) => number) =>
    rounds.reduce((total, one) => total + of(one), 0);
  return {
    ...{ runs: kills, devices: fleet.speakers.length, unkilled_s: Math.round(lastsMs / 100) / 10 },
    touched: sum(({ touched }) => touched),
    left_broken: sum(({ left_broken }) => left_broken),
    left_changed: sum(({ left_changed }) => left_changed),
    runs_that_left_devices_broken: rounds.filter(({ left_broken }) => left_broken > 0).length,
    record: "none: its output ends; nothing goes on, and no file says which devices have which lines",
  };
}
