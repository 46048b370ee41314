/**
 * What a change does next, from every state that three devices in two waves can come to: it always ends, it pushes to
 * each device at most once, and nothing is pushed after a stop. A killed node is a look at the same state again.
 */
import { expect, test } from "vitest";
import type { ChangePhase, ChangeState, TargetState } from "../../src/api/changes/change.ts";
import type { GateVerdict } from "../../src/api/changes/change-gates.ts";
import {
  type ChangeAction,
  type ChangeFacts,
  type ChangeRules,
  nextAction,
  type PhaseWork,
} from "../../src/changes/rollout/model.ts";
import { noCounts } from "../../src/changes/targets.ts";

interface Target {
  readonly wave: number;
  readonly state: TargetState;
  readonly touched: boolean;
  /** How often lines were sent. */
  readonly pushes: number;
  /** A timer runs on it, or has ended unseen. */
  readonly open: boolean;
}
interface World {
  readonly state: ChangeState;
  readonly phase: ChangePhase | null;
  readonly wave: number;
  readonly work: PhaseWork;
  readonly soaks: boolean;
  readonly targets: readonly Target[];
  readonly stopped: boolean;
  readonly verdict: GateVerdict | null;
  /** A gate after a push has failed. */
  readonly failed: boolean;
  /** Whether pushes wait in their devices, and whether their timers have ended. */
  readonly holds: boolean;
  readonly lapsed: boolean;
  /** The bulk that starts timers anew, and whether it is time for one. */
  readonly extending: PhaseWork;
  readonly due: boolean;
}

const first: World = {
  ...{ state: "running", phase: "reading", wave: 1, work: "none", soaks: false, stopped: false },
  ...{ verdict: null, failed: false, holds: false, lapsed: false },
  ...{ extending: "none", due: false },
  targets: [1, 2, 2].map((wave) => ({ wave, state: "waiting", touched: false, pushes: 0, open: false })),
};
const working: readonly ChangeState[] = ["running", "paused", "stopping", "returning"];

function factsOf(world: World): ChangeFacts {
  const { state, phase, wave, work, soaks, targets, verdict, lapsed, extending, due } = world;
  const [inWave, inAll] = [noCounts(), noCounts()];
  for (const target of targets) {
    inAll[target.state]++;
    if (target.wave === wave) inWave[target.state]++;
  }
  const returnable = targets.filter((target) => target.touched && target.state !== "returned").length;
  return {
    ...{ state, phase, wave, waves: 2, dueAt: soaks ? 0 : null, now: 1, work, inWave, inAll, returnable },
    verdict: verdict && { is: verdict, reason: "" },
    open: {
      ...{ count: targets.filter(({ open }) => open).length, endsBy: lapsed ? 0 : 2 },
      ...{ extending, extendAt: due ? 1 : 2 },
    },
    isClaimed: false,
  };
}

const set = (world: World, fits: (target: Target) => boolean, to: (target: Target) => Target): World => ({
  ...world,
  targets: world.targets.map((target) => (fits(target) ? to(target) : target)),
});

/** What a word that starts timers anew may find; that it was refused changes nothing here. */
const extended = [
  {},
  { state: "failed", touched: false, open: false },
  { state: "diverged", open: false },
] as const satisfies readonly Partial<Target>[];

/** What the jobs of a phase may end in, the same for all of its devices but one. */
function ends(world: World): World[] {
  const { state, phase, wave, holds } = world;
  // Pushes of earlier waves may still wait.
  const isEnd = phase === "confirming" || phase === "cancelling" || phase === "proving";
  const here = ({ wave: of }: Target) => isEnd || state === "returning" || of === wave;
  const outcomes = (from: TargetState | "open", all: readonly Partial<Target>[]): World[] =>
    all.flatMap((some) =>
      all.map((others) => {
        let isFirst = true;
        return set(
          world,
          (target) => here(target) && (from === "open" ? target.open : target.state === from),
          (target) => {
            const outcome = isFirst ? some : others;
            isFirst = false;
            return { ...target, ...outcome };
          },
        );
      }),
    );
  if (state === "returning") {
    if (phase === "left") return outcomes("returning", [{ state: "returned" }, { state: "not_returned" }]);
    return outcomes("returning", [{}, { state: "not_returned" }]);
  }
  if (phase === "reading") return outcomes("waiting", [{}, { state: "diverged" }, { state: "unreachable" }]);
  if (phase === "left") return outcomes(holds ? "unconfirmed" : "pushed", [{}, { state: "unknown" }]);
  const ended = { open: false } as const;
  const back = { touched: false, ...ended } as const;
  if (phase === "confirming")
    return outcomes("unconfirmed", [
      { state: "pushed", ...ended },
      {},
      { state: "failed", ...back },
      { state: "diverged", ...ended },
    ]);
  if (phase === "cancelling")
    return outcomes("open", [{ state: "returned", ...back }, {}, { state: "diverged", ...ended }]);
  if (phase === "proving")
    return outcomes("open", [
      { state: "pushed", ...ended },
      { state: state === "stopping" ? "returned" : "failed", ...back },
      { state: "unknown", ...ended },
    ]);
  if (holds)
    return outcomes("pushing", [
      { state: "unconfirmed", touched: true, open: true },
      { state: "failed" },
      { state: "unknown", touched: true, open: true },
      ...(world.stopped ? [{ state: "skipped" } as const] : []),
    ]);
  return outcomes("pushing", [
    { state: "pushed", touched: true },
    { state: "failed", touched: true },
    { state: "unreachable" },
    { state: "unknown", touched: true },
    ...(world.stopped ? [{ state: "skipped" } as const] : []),
  ]);
}

/** As the runner performs it. */
function after(world: World, action: ChangeAction, { holdsAll }: ChangeRules): World[] {
  const none = { work: "none", soaks: false } as const;
  switch (action.do) {
    case "submit": {
      // After a gate has failed no wave begins.
      const ends = world.state === "returning" || world.phase === "cancelling" || world.phase === "proving";
      const isEnd = ends || world.phase === "confirming";
      if (!ends) expect(world.failed).toBe(false);
      // Nothing is confirmed after a stop, nor a word sent to a device whose timer has ended.
      if (world.phase === "confirming") expect(world.stopped).toBe(false);
      if (world.phase === "confirming") expect([null, "passed"]).toContain(world.verdict);
      if (world.phase === "proving") expect(world.lapsed).toBe(true);
      // One word at a time.
      if (isEnd) expect(world.extending).toBe("none");
      if (world.phase !== "pushing") return [{ ...world, work: "open" }];
      if (world.state === "returning") return [{ ...world, work: "open" }];
      expect(world.stopped).toBe(false);
      const pushed = set(
        world,
        ({ wave, state }) => wave === world.wave && state === "waiting",
        (target) => ({ ...target, state: "pushing", pushes: target.pushes + 1 }),
      );
      return [{ ...pushed, work: "open" }];
    }
    case "settle":
      return ends(world).map((ended) => ({ ...ended, ...none, phase: action.phase }));
    case "extend":
      expect(world.stopped || world.failed).toBe(false);
      expect(world.phase).not.toMatch(/cancelling|proving/);
      return [{ ...world, extending: "open", due: false }];
    case "settleExtension":
      return extended.flatMap((some) =>
        extended.map((others): World => {
          let isFirst = true;
          return set(
            { ...world, extending: "none" },
            (target) => target.open && target.state === "unconfirmed",
            (target) => {
              const outcome = isFirst ? some : others;
              isFirst = false;
              return { ...target, ...outcome };
            },
          );
        }),
      );
    case "cancelExtension":
      return [{ ...world, extending: "ended" }];
    case "skip":
      return [{ ...world, ...none, phase: action.phase }];
    case "soak":
      return [{ ...world, soaks: true }];
    case "nextWave":
      expect(world.failed).toBe(false);
      // No timer of an earlier wave is left, unless all wait for the last.
      if (!holdsAll) expect(world.targets.some(({ open }) => open)).toBe(false);
      return [{ ...world, ...none, wave: world.wave + 1, phase: "reading", verdict: null, lapsed: false }];
    case "judge":
      return [
        { ...world, soaks: false, verdict: "passed" },
        { ...world, soaks: false, verdict: "failed", failed: world.wave > 0 },
        { ...world, soaks: false, verdict: "inconclusive" },
        // Its questions are asked again.
        { ...world, soaks: true, verdict: "inconclusive" },
      ];
    case "pause":
      return [{ ...world, state: "paused", phase: action.phase }];
    case "stop":
      return [{ ...world, state: "stopping", stopped: true }];
    case "cancel":
      return [{ ...world, work: "ended" }];
    case "beginReturn":
      return [
        {
          ...set(
            world,
            ({ touched }) => touched,
            (target) => ({ ...target, state: "returning" }),
          ),
          ...{ ...none, state: "returning", phase: "reading" },
        },
      ];
    case "end":
      return [{ ...world, state: action.state, phase: null }];
    default:
      return [];
  }
}

/** What may happen without the runner. */
function happenings(world: World): World[] {
  const { state, work, phase } = world;
  const again: Partial<World> = world.failed ? {} : { work: "none", soaks: false, verdict: null };
  const resumed: World = { ...world, state: "running", ...(phase === "judging" ? again : {}) };
  return [
    ...(work === "open" ? [{ ...world, work: "ended" } as const] : []),
    ...(state === "running" ? [{ ...world, state: "paused" } as const] : []),
    ...(state === "paused" ? [resumed] : []),
    ...(state === "running" || state === "paused"
      ? [{ ...world, state: "stopping", stopped: true } as const]
      : []),
    ...(phase === "proving" && work === "none" ? [{ ...world, lapsed: true }] : []),
    ...(world.extending === "open" ? [{ ...world, extending: "ended" } as const] : []),
    ...(world.extending === "none" && !world.due && world.targets.some(({ open }) => open)
      ? [{ ...world, due: true }]
      : []),
    ...(phase === "soaking" && world.soaks ? [{ ...world, soaks: true }] : []),
  ];
}

const limit = (count: number | null) => ({ wave: count, total: count });
const strict = { failed: limit(0), unreachable: limit(0), unknown: limit(0) };
const loose = { failed: limit(null), unreachable: limit(null), unknown: limit(null) };

const without = { judges: false, sentinels: false, holdsAll: false };
const questions = { judges: true, sentinels: false, holdsAll: false };
const sentinels = { judges: true, sentinels: true, holdsAll: false };

const cases: readonly [string, ChangeRules, "hold"?][] = [
  ["strict limits, return", { limits: strict, soakMs: 0, ...without, asks: false, onStop: "return" }],
  ["strict limits, keep, soak", { limits: strict, soakMs: 10, ...without, asks: false, onStop: "keep" }],
  [
    "no limits, a word after each wave",
    { limits: loose, soakMs: 0, ...without, asks: true, onStop: "return" },
  ],
  ["no limits, soak", { limits: loose, soakMs: 10, ...without, asks: false, onStop: "return" }],
  ["questions, return", { limits: strict, soakMs: 0, ...questions, asks: false, onStop: "return" }],
  ["questions, a word", { limits: loose, soakMs: 10, ...questions, asks: true, onStop: "keep" }],
  ["sentinels, soak", { limits: strict, soakMs: 10, ...sentinels, asks: false, onStop: "return" }],
  ["sentinels, no limits", { limits: loose, soakMs: 0, ...sentinels, asks: true, onStop: "return" }],
  [
    "strict limits, hold, return",
    { limits: strict, soakMs: 0, ...without, asks: false, onStop: "return" },
    "hold",
  ],
  ["no limits, hold, a word", { limits: loose, soakMs: 0, ...without, asks: true, onStop: "keep" }, "hold"],
  ["questions, hold", { limits: strict, soakMs: 0, ...questions, asks: false, onStop: "return" }, "hold"],
  [
    "strict limits, hold to the end, return",
    { limits: strict, soakMs: 0, ...without, holdsAll: true, asks: false, onStop: "return" },
    "hold",
  ],
  [
    "no limits, hold to the end, a word",
    { limits: loose, soakMs: 0, ...without, holdsAll: true, asks: true, onStop: "keep" },
    "hold",
  ],
  ["sentinels, hold, keep", { limits: loose, soakMs: 10, ...sentinels, asks: false, onStop: "keep" }, "hold"],
];

test.each(cases)("from every state there is a way on: %s", (_title, rules, hold) => {
  const seen = new Map<string, World>();
  const leadsTo = new Map<string, string[]>();
  const begin: World = { ...first, holds: hold !== undefined };
  const queue: World[] = [rules.judges ? { ...begin, wave: 0, phase: "judging" } : begin];
  for (let world = queue.pop(); world !== undefined; world = queue.pop()) {
    const key = JSON.stringify(world);
    if (seen.has(key)) continue;
    seen.set(key, world);
    for (const { pushes } of world.targets) expect(pushes).toBeLessThanOrEqual(1);
    const isWorking = working.includes(world.state);
    const next = isWorking
      ? [...after(world, nextAction(factsOf(world), rules, null), rules), ...happenings(world)]
      : [];
    leadsTo.set(
      key,
      next.map((one) => JSON.stringify(one)),
    );
    queue.push(...next);
  }
  // Backwards from the ends.
  const reaches = new Set([...seen].flatMap(([key, { state }]) => (working.includes(state) ? [] : [key])));
  for (let grew = true; grew; ) {
    grew = false;
    for (const [key, next] of leadsTo)
      if (!reaches.has(key) && next.some((one) => reaches.has(one))) {
        reaches.add(key);
        grew = true;
      }
  }
  expect([...seen.keys()].filter((key) => !reaches.has(key))).toEqual([]);
  expect(seen.size).toBeGreaterThan(100);
  for (const { state, targets, failed } of seen.values()) {
    // What was left on a device is known: it was returned, or somebody must look.
    if (state === "returned") expect(targets.some((target) => target.state === "returning")).toBe(false);
    if (state === "done") expect(failed).toBe(false);
    if (!working.includes(state)) expect(targets.some(({ open }) => open)).toBe(false);
    if (state === "done") expect(targets.some((target) => target.state === "waiting")).toBe(false);
  }
});

test("what stops a change says how many devices of what, and the limit, for one and for many", () => {
  const none = { wave: null, total: null };
  const stopped = (
    kind: "failed" | "unreachable" | "unknown",
    limit: object,
    state: TargetState,
    count = 1,
  ) => {
    const facts = factsOf({ ...first, phase: "left" });
    const counts = { ...noCounts(), [state]: count };
    const rules = {
      ...{ soakMs: 0, ...without, asks: false, onStop: "return" as const },
      limits: { failed: none, unreachable: none, unknown: none, [kind]: { ...none, ...limit } },
    };
    const action = nextAction({ ...facts, inWave: counts, inAll: counts }, rules, null);
    return action.do === "stop" ? action.reason : action.do;
  };
  expect(stopped("failed", { wave: 0 }, "failed")).toBe("1 device of wave 1 has failed; the limit is 0");
  expect(stopped("failed", { total: 2 }, "diverged", 3)).toBe("3 devices in all have failed; the limit is 2");
  expect(stopped("unreachable", { wave: 0 }, "unreachable")).toBe(
    "1 device of wave 1 is unreachable; the limit is 0",
  );
  expect(stopped("unreachable", { wave: 1 }, "unreachable", 2)).toBe(
    "2 devices of wave 1 are unreachable; the limit is 1",
  );
  expect(stopped("unknown", { total: 0 }, "unknown")).toBe(
    "1 device in all has an unknown outcome; the limit is 0",
  );
  expect(stopped("unknown", { wave: 1 }, "unknown", 2)).toBe(
    "2 devices of wave 1 have an unknown outcome; the limit is 1",
  );
});
