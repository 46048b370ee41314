/**
 * A change with a crash at every write of its runner, in a plain run between some of each kind: before it is stored, or after it with its answer lost. Another
 * runner on the same store goes on, alone or beside one that ran already. What devices received and have, and what the
 * record says, is as without the crash: no line twice, nothing after a stop, no device that is left behind.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampled } from "../support/sampled.ts";
import { type Crash, createChangeWorld, type Outcome, type Scenario } from "./world.ts";

const world = await createChangeWorld(1_200);
afterAll(() => world.stop());

const line = "ntp server 192.0.2.1";
const strategy = { canary: 1, waves: ["100%"] };
const request = { config: [line], strategy };
const any = { wave: "100%", total: "100%" };
const scenarios: Readonly<Record<string, Scenario>> = {
  "to its end, and returned on a word": { request, says: [{ state: "done", word: "return" }] },
  "stopped by a refusal, and returned": {
    request: { config: [line, "bogus"], strategy },
    trouble: { device: 2, kind: "refuses" },
  },
  "stopped by a push that was lost, kept, and returned on a word": {
    request: { ...request, on_stop: "keep" },
    trouble: { device: 3, kind: "lost" },
    says: [{ state: "stopped", word: "return" }],
  },
  "with a pause, and a word after each wave": {
    request: {
      ...request,
      strategy: { ...strategy, gate: "approval", limits: { failed: any, unknown: any } },
    },
    trouble: { device: 1, kind: "lost" },
    says: [
      { state: "running", at: { phase: "reading", wave: 1 }, word: "pause" },
      { state: "paused", word: "resume" },
      { state: "paused", at: { phase: "gate" }, word: "resume" },
    ],
  },
  "to its end, with pushes that wait for the gate of their wave": { request: { ...request, hold: "wave" } },
  "to its end, with a pause for which timers start anew": {
    request: { ...request, hold: "wave", strategy: { ...strategy, soak_seconds: 3 } },
    says: [
      { state: "running", at: { phase: "soaking", wave: 1 }, word: "pause", passesMs: 400_000 },
      { state: "paused", after: "extended", word: "resume" },
    ],
  },
  "to its end, with pushes that all wait for the last wave": { request: { ...request, hold: "change" } },
  "stopped by a refusal while the pushes of all waves wait": {
    request: { config: [line, "bogus"], strategy: { canary: 1, waves: ["50%", "100%"] }, hold: "change" },
    trouble: { device: 3, kind: "refuses" },
  },
  "stopped by a refusal while the push of another device waits": {
    request: { config: [line, "bogus"], strategy, hold: "wave" },
    trouble: { device: 2, kind: "refuses" },
  },
};
const atOnce = 8;

/** Everything but the order of steps, which runners side by side may interleave. */
const essence = ({ writes: _w, later: _l, steps: _s, extended: _e, ...outcome }: Outcome) => outcome;

function checkSteps({ steps }: Outcome): void {
  const stop = steps.findIndex((step) => step.startsWith("stopped: "));
  const begun = steps
    .slice(stop)
    .filter((step) => step.startsWith("pushing: wave") || step.startsWith("wave: "));
  if (stop >= 0) expect(begun).toEqual([]);
  // A wave begins once.
  const waves = steps.filter((step) => step.startsWith("pushing: wave"));
  expect(new Set(waves).size).toBe(waves.length);
}

interface Life {
  readonly name: string;
  readonly scenario: Scenario;
  /** With another node from the beginning. */
  readonly beside: boolean;
}

const lives: readonly Life[] = [
  ...Object.entries(scenarios).map(([name, scenario]) => ({ name, scenario, beside: false })),
  ...Object.entries(scenarios)
    .slice(0, 2)
    .map(([name, scenario]) => ({ name, scenario, beside: true })),
];

/** Where a life may end, and between which writes that is. */
interface Place {
  readonly life: Life;
  readonly crash: Crash;
  readonly between: string;
}

const wholes = new Map<Life, Outcome>();
/** Those of all lives together: most places are alike in all of them. */
let places: readonly Place[] = [];
beforeAll(async () => {
  const all: Place[] = [];
  for (const life of lives) {
    const whole = await world.run(life.scenario);
    wholes.set(life, whole);
    all.push(...placesOf(life, whole));
  }
  places = sampled(all, 60, ({ between }) => between);
});

function placesOf(life: Life, { writes, later }: Outcome): Place[] {
  const between = (at: number) => `${writes[at - 2]}, ${writes[at - 1]}`;
  // To die before a write is to die after the one before it, if nothing else happened between them.
  const isOwn = (at: number) => life.beside || later.includes(at);
  return writes.flatMap((_what, index): Place[] => {
    const at = index + 1;
    return [
      ...(isOwn(at) ? [{ life, crash: { at, when: "before" }, between: between(at) } as const] : []),
      { life, crash: { at, when: "after" }, between: between(at + 1) },
    ];
  });
}

async function everywhere(life: Life): Promise<void> {
  const whole = wholes.get(life);
  if (whole === undefined) throw new Error("it was not run");
  expect(whole.writes.length).toBeGreaterThan(15);
  checkSteps(whole);
  expect(whole.waiting).toBe(0);
  for (const received of whole.received) expect(new Set(received).size).toBe(received.length);
  const queue = places.filter((place) => place.life === life);
  const work = async () => {
    for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
      const { crash } = place;
      const outcome = await world.run(life.scenario, crash, life.beside);
      checkSteps(outcome);
      expect({ crash, ...essence(outcome) }).toEqual({ crash, ...essence(whole) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

test("a device whose text is not whole before its turn gets nothing", async () => {
  const outcome = await world.run({ request, trouble: { device: 2, kind: "cut off" } });
  expect(outcome).toMatchObject({ state: "returned", targets: ["1 returned", "2 diverged", "2 waiting"] });
  expect(outcome.received[1]).toEqual([]);
});

test("a device whose text is not whole after its push is not taken for returned", async () => {
  const says = [{ state: "done", word: "return" }] as const;
  const outcome = await world.run({ request, trouble: { device: 2, kind: "cut off after" }, says });
  expect(outcome.targets).toEqual(["1 returned", "2 not_returned", "2 returned"]);
  expect(outcome.received[1]).toEqual([line]);
});

const paused = [
  { state: "running", at: { phase: "soaking", wave: 1 }, word: "pause", passesMs: 400_000 },
] as const;

test("a pause starts the timers in devices anew, before half of them is over", async () => {
  const says = [...paused, { state: "paused", after: "extended", word: "resume" }] as const;
  const held = { ...request, hold: "wave", strategy: { ...strategy, soak_seconds: 3 } };
  const outcome = await world.run({ request: held, says });
  expect(outcome).toMatchObject({ state: "done", waiting: 0 });
  expect(outcome.extended[0]).toBe(1);
  expect(outcome.steps).toEqual(expect.arrayContaining(["extending: 1 device", "extended: 1 device"]));
});

test("a device that refuses to start its timer anew is told, and confirmed if that is in time", async () => {
  const says = [...paused, { state: "paused", after: "not_extended", word: "resume" }] as const;
  const held = { ...request, hold: "wave", strategy: { ...strategy, soak_seconds: 3 } };
  const trouble = { device: 1, kind: "keeps its timer" } as const;
  const outcome = await world.run({ request: held, says, trouble });
  expect(outcome).toMatchObject({ state: "done", waiting: 0 });
  expect(outcome.extended[0]).toBe(0);
  const told = /^not_extended: 1 device: r\d+-1: CommandError: The device refused it\.$/;
  expect(outcome.steps).toContainEqual(expect.stringMatching(told));
});

test("a device that has come back meanwhile has failed, and stops the change by its limits", async () => {
  const held = { ...request, hold: "wave", strategy: { ...strategy, soak_seconds: 3 } };
  const outcome = await world.run({
    ...{ request: held, says: paused, trouble: { device: 1, kind: "comes back" } },
  });
  expect(outcome).toMatchObject({ state: "stopped", targets: ["1 failed", "2 waiting", "2 waiting"] });
});

test("timers of earlier waves start anew while a later one waits for a word", async () => {
  const held = { ...request, hold: "change", strategy: { ...strategy, gate: "approval" } };
  const says = [
    { state: "paused", at: { phase: "gate", wave: 1 }, word: "resume", passesMs: 400_000 },
  ] as const;
  const outcome = await world.run({ request: held, says });
  expect(outcome).toMatchObject({ state: "done", waiting: 0 });
  expect(outcome.extended[0]).toBeGreaterThan(0);
  // Nothing is confirmed before the last wave.
  const confirming = outcome.steps.indexOf("confirming");
  expect(confirming).toBeGreaterThan(outcome.steps.findIndex((step) => step.startsWith("wave: 2")));
});

test("a return that was cut off is tried again, and knows what the device has", async () => {
  const lines = { config: [line, "ntp server 192.0.2.2"], strategy };
  const says = [{ state: "done", word: "return" }] as const;
  const trouble = { device: 2, kind: "return lost" } as const;
  const first = await world.run({ request: lines, trouble, says });
  expect(first).toMatchObject({
    state: "partly_returned",
    targets: ["1 returned", "2 not_returned", "2 returned"],
  });
  const again = { state: "partly_returned", word: "return" } as const;
  const second = await world.run({ request: lines, trouble, says: [...says, again] });
  expect(second).toMatchObject({ state: "returned", targets: ["1 returned", "2 returned", "2 returned"] });
  // Cut off after its only line: it has what it had.
  const whole = await world.run({ request, trouble, says });
  expect(whole.state).toBe("returned");
});

const named = (isBeside: boolean) =>
  lives.filter(({ beside }) => beside === isBeside).map((life) => [life.name, life] as const);

test.each(named(false))(
  "a change goes %s, whichever write its node dies at",
  (_name, life) => everywhere(life),
  600_000,
);

test.each(named(true))(
  "a change goes %s, with another node beside the one that dies",
  (_name, life) => everywhere(life),
  600_000,
);
