/** Changes on a real node whose devices are lists of lines, with runners that can be killed at any of their writes. */
import { createHash } from "node:crypto";
import { builtins } from "../../plugins/index.ts";
import type { ChangeState, ChangeWord } from "../../src/api/changes/change.ts";
import type { OpenEnd } from "../../src/api/jobs/request.ts";
import { createHolders } from "../../src/auth/holders.ts";
import type { Caller } from "../../src/auth/port.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createChanges } from "../../src/changes/changes.ts";
import { type ChangeRunner, createChangeRunner } from "../../src/changes/rollout/runner.ts";
import { createReturns } from "../../src/history/restoring/returns.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import type { ReadPart, Task } from "../../src/protocol/task.ts";
import { createRegistry, type Registry } from "../../src/registry/registry.ts";
import { packText } from "../../src/runtime/text-pack.ts";
import type { Changes, StoredChange } from "../../src/store/port.ts";
import { fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin as anybody, bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

/** What a person says, once, when the change is there. */
export interface Saying {
  readonly state: ChangeState;
  readonly at?: Partial<Pick<StoredChange, "phase" | "wave">>;
  readonly word: ChangeWord;
  /** Once this was the last step. */
  readonly after?: string;
  /** Then so much time passes. */
  readonly passesMs?: number;
}

export interface Scenario {
  /** Members of the request besides its name and devices. */
  readonly request: object;
  /** After the start, in this order. */
  readonly says?: readonly Saying[];
  /** What happens on the device with this number, from 1. */
  readonly trouble?: { readonly device: number; readonly kind: Trouble };
}

/** The n-th write of the first runner: its node ends before it is stored, or when it is and before it is answered. */
export interface Crash {
  readonly at: number;
  readonly when: "before" | "after";
}

export interface Outcome {
  readonly state: ChangeState;
  /** `1 pushed`, in the order of the waves. */
  readonly targets: readonly string[];
  /** Lines that each device received, returns included. */
  readonly received: readonly (readonly string[])[];
  /** What each device has. */
  readonly has: readonly (readonly string[])[];
  /** Devices whose push waits for a word. */
  readonly waiting: number;
  /** How often the timer of each has started anew. */
  readonly extended: readonly number[];
  /** The order of what happened, without what two runners may do in any order. */
  readonly steps: readonly string[];
  /** Jobs that push, or end a push that waits, by device. */
  readonly pushes: readonly number[];
  /** Writes of the first runner: what each is. */
  readonly writes: readonly string[];
  /** Those of them since whose forerunner something else happened: a device was worked on, a person spoke. */
  readonly later: readonly number[];
}

/**
 * It refuses a line; the worker is lost after the push, or after the first line of the return; its text is not whole
 * when it is read before its turn, or after the push.
 */
type Trouble =
  | ("refuses" | "lost" | "return lost" | "cut off" | "cut off after")
  /** Its timer does not start anew: it refuses, or its timer has ended. */
  | ("keeps its timer" | "comes back");

interface Device {
  readonly lines: string[];
  readonly received: string[];
  trouble?: Trouble | undefined;
  /** What it goes back to unless its push is confirmed. */
  before?: readonly string[] | undefined;
  /** How often its timer has started anew. */
  extended?: number;
}

const deviceCount = 3;
/** Longer than any wait of a runner for another one. */
const laterMs = 200_000;
const firstLines = ["hostname lab", "ntp server 192.0.2.250"];

/** @param runs at most so many: an inventory that changes keeps others from choosing devices */
export async function createChangeWorld(runs: number) {
  const folder = temporary();
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const devices = new Map<string, Device>();
  const sent: { readonly lines: readonly string[]; readonly args: object }[] = [];
  const pool = { ...fakePool(), run: runTask };
  const node = await startNode({ directory: folder.path, plugins: registry, pool });
  await node.admin.setCredential("lab", "file", bodyOf({ username: "u", password: "p" }), anybody);
  const key = { scope: "admin", hosts: [], name: "ops", key: "canary-key" } as const;
  const keyId = await node.store.keys.add(key, anybody);
  if (keyId === undefined) throw new Error("there is no key");
  const world: World = { node, registry, admin: { ...anybody, keyId }, lives: new Set() };
  node.jobEvents.onEveryEnd(({ bulkId }) => {
    for (const life of world.lives) if (bulkId !== null) life.ended(bulkId);
  });
  await addDevices(world, runs);
  let begun = 0;

  async function runTask<T extends Task>(task: T, options: RunOptions) {
    // The fake returns each task kind's own result type.
    return (await deviceTask(task, options)) as never;
  }

  async function deviceTask(task: Task, options: RunOptions): Promise<unknown> {
    if (task.kind !== "query" && task.kind !== "configure") throw new Error(`no ${task.kind} here`);
    const host = String(task.connection.host);
    const device = devices.get(host);
    if (device === undefined) throw new Error("no such device");
    for (const life of world.lives) life.touched(host);
    if (task.kind === "query") return { outputs: [], reused: false, configuration: [shownOf(device)] };
    await options.answer?.({ about: "sending", lines: task.lines });
    sent.push({ lines: task.lines, args: task.args });
    const outputs = [{ command: task.lines.join("\n"), output: "" }];
    if (task.ends !== undefined) {
      end(device, task.ends.word);
      return { outputs, reused: false };
    }
    const before = [...device.lines];
    for (const line of task.lines) {
      device.received.push(line);
      if (line === "bogus" && device.trouble === "refuses")
        throw new ServiceError("CommandError", "The device refused it.", { command: line });
      apply(device.lines, line);
      const isLost = line.startsWith("no ") ? "return lost" : "lost";
      if (device.trouble === isLost) {
        device.trouble = undefined;
        throw new ServiceError("WorkerLost", "The thread died.");
      }
    }
    if (task.checks?.holdSeconds === undefined) return { outputs, reused: false };
    device.before = before;
    const waits = { pushed: true, undone: false, how: "confirmed_commit", message: "", open: "marks" };
    return { outputs, reused: false, checks: { before: [], after: [], ...waits } };
  }

  return {
    node,
    /** What devices were sent, with the arguments of their driver. */
    sent: sent as readonly (typeof sent)[number][],
    async run(scenario: Scenario, crash?: Crash, beside = false): Promise<Outcome> {
      const names = namesOf(begun++);
      const own = names.map((name): Device => {
        const device = { lines: [...firstLines], received: [] };
        devices.set(addressOf(name), device);
        return device;
      });
      await readAll(world, names);
      for (const [at, device] of own.entries())
        if (scenario.trouble?.device === at + 1) device.trouble = scenario.trouble.kind;
      return outcomeOf(node, own, await live(world, names, scenario, crash, beside));
    },
    async stop() {
      await node.stop();
      folder.remove();
    },
  };
}

function shownOf({ lines, trouble, received }: Device): ReadPart {
  const isCutOff = trouble === "cut off" || (trouble === "cut off after" && received.length > 0);
  const part = partOf(isCutOff ? lines.slice(0, 1) : lines);
  return isCutOff ? { ...part, state: "suspect", reason: "the text does not end" } : part;
}

function partOf(lines: readonly string[]): ReadPart {
  const text = `${lines.join("\n")}\n`;
  return {
    ...{ part: "running", state: "good", compare: createHash("sha256").update(text).digest("hex") },
    ...{ lines: lines.length, bytes: Buffer.byteLength(text), body: packText(text), general: false },
  };
}

function end(device: Device, word: OpenEnd["word"]): void {
  if (word === "extend" && device.before !== undefined) {
    if (device.trouble === "keeps its timer")
      throw new ServiceError("CommandError", "The device refused it.", { outcome: "none" });
    if (device.trouble === "comes back") {
      device.lines.splice(0, device.lines.length, ...device.before);
      device.before = undefined;
      throw new ServiceError("CommandError", "It has come back.", { outcome: "none", found: "before" });
    }
    device.extended = (device.extended ?? 0) + 1;
    return;
  }
  if (word === "cancel" && device.before !== undefined)
    device.lines.splice(0, device.lines.length, ...device.before);
  else if (device.before === undefined)
    throw new ServiceError("CommandError", "Nothing waits there.", { outcome: "none" });
  device.before = undefined;
}

function apply(lines: string[], line: string): void {
  const removed = line.startsWith("no ") ? line.slice("no ".length) : undefined;
  const at = lines.indexOf(removed ?? line);
  if (removed === undefined) {
    if (at < 0) lines.push(line);
  } else if (at >= 0) lines.splice(at, 1);
}

const namesOf = (run: number) => Array.from({ length: deviceCount }, (_, at) => `r${run}-${at + 1}`);
const addressOf = (name: string) => `${name}.example.net`;

async function addDevices({ node, admin }: World, runs: number): Promise<void> {
  const devices = Array.from({ length: runs }, (_, run) => namesOf(run)).flatMap((names) =>
    names.map((name) => ({
      ...{ name, host: addressOf(name), driver: "netmiko", platform: "cisco_ios" },
      credential: { name: "file", ref: "lab" },
    })),
  );
  await node.inventory.upsert({ devices }, admin);
}

/** Without a known configuration nothing can be returned. */
async function readAll({ node, admin }: World, names: readonly string[]): Promise<void> {
  const taken = await node.jobs.take(bodyOf({ devices: names }), admin);
  await Promise.all(taken.succeeded.map(({ id }) => node.ended(id)));
}

interface World {
  readonly node: Node;
  readonly registry: Registry;
  readonly admin: Caller;
  readonly lives: Set<{ ended(bulkId: string): void; touched(host: string): void }>;
}

async function live(
  { node, registry, admin, lives }: World,
  names: readonly string[],
  { request, says = [] }: Scenario,
  crash: Crash | undefined,
  beside: boolean,
) {
  const { store } = node;
  const runners = new Set<ChangeRunner>();
  const left = [{ state: "approved", word: "start" } as const, ...says];
  let skewMs = 0;
  const hosts = new Set(names.map(addressOf));
  const later: number[] = [];
  const writes: string[] = [];
  let hasHappened = true;
  let happened = Promise.withResolvers<void>();
  const tell = () => {
    const told = happened;
    happened = Promise.withResolvers();
    told.resolve();
  };
  const wakeAll = () => {
    for (const runner of runners) runner.wake();
    tell();
  };
  const returns = createReturns({
    ...{ store, inventory: node.inventory, pool: node.pool },
    driver: (name) => registry.get("driver", name),
    platform: (name) => registry.get("platform", name),
  });
  const changes = createChanges({
    ...{ store, returns, jobs: node.jobs },
    inventory: node.inventory,
    holders: createHolders(store),
    iso: (ms) => new Date(ms).toISOString(),
    platform: () => undefined,
    onMoved: wakeAll,
    async planned() {},
  });
  const body = bodyOf({ name: names[0], devices: names, approvals: { count: 0 }, ...request });
  const { id } = await changes.draft(body, admin);

  function begin(doom: Crash | undefined): void {
    let isDead = false;
    const requireLife = () => {
      if (isDead) throw new Error("The node was killed.");
    };
    async function write<T>(what: string, perform: () => Promise<T>): Promise<T> {
      requireLife();
      if (doom !== undefined) {
        writes.push(what);
        if (hasHappened) later.push(writes.length);
        hasHappened = false;
      }
      if (doom?.at === writes.length) {
        if (doom.when === "after") await perform();
        isDead = true;
        runners.delete(runner);
        await Promise.race([runner.stop(), Promise.resolve()]);
        skewMs += laterMs;
        if (!beside) begin(undefined);
        wakeAll();
        requireLife();
      }
      const answer = await perform();
      requireLife();
      tell();
      return answer;
    }
    const known: Changes = {
      ...store.changes,
      move: (...of) => write(of[2].what, () => store.changes.move(...of)),
      setTargets: (...of) => write("targets", () => store.changes.setTargets(...of)),
      async active(at) {
        const all = await store.changes.active(at);
        return { ...all, changes: all.changes.filter((change) => change.id === id) };
      },
    };
    const runner = createChangeRunner({
      driver: (name) => registry.get("driver", name),
      platform: (name) => registry.get("platform", name),
      store: {
        ...{ changes: known, jobs: store.jobs, nodes: store.nodes, shared: store.shared },
        history: store.history,
        clock: { ...store.clock, wall: () => store.clock.wall() + skewMs },
      },
      jobs: {
        ...node.jobs,
        changeBulk: (...of) => write(`bulk: ${of[0].work.kind}`, () => node.jobs.changeBulk(...of)),
        cancelBulk: (...of) => write("cancelled bulk", () => node.jobs.cancelBulk(...of)),
      },
      returns,
      fixes: { fixOf: async () => ({ why: "there are no intents" }), planned: async () => {} },
      inventory: node.inventory,
      log: silentLog,
      isReady: () => !isDead,
      lease: () => undefined,
      onMoved() {},
      rehearse: async () => {},
      ownerOf: async () => admin,
    });
    runners.add(runner);
    runner.start();
  }

  begin(crash ?? { at: Number.POSITIVE_INFINITY, when: "before" });
  if (beside) begin(undefined);
  const life = {
    ended(bulkId: string) {
      hasHappened = true;
      for (const runner of runners) runner.ended(bulkId);
      tell();
    },
    touched(host: string) {
      if (hosts.has(host)) hasHappened = true;
    },
  };
  lives.add(life);
  await changes.plan(id, admin);
  for (;;) {
    const next = happened.promise;
    const change = await store.changes.find(id);
    if (change === undefined) throw new Error("the change is gone");
    const [saying] = left;
    const last = saying?.after === undefined ? [] : await store.changes.steps(id, change.step - 1, 1);
    const fits =
      saying !== undefined &&
      saying.state === change.state &&
      (saying.after === undefined || last[0]?.what === saying.after) &&
      Object.entries(saying.at ?? {}).every(([name, value]) => change[name as "phase" | "wave"] === value);
    if (fits) {
      hasHappened = true;
      left.shift();
      await changes.say(id, saying.word, undefined, admin).catch((error: unknown) => {
        // It was moved on meanwhile: a person says it again.
        if (!(error instanceof ServiceError) || error.kind !== "InProgress") throw error;
        left.unshift(saying);
      });
      if (left[0] !== saying && saying.passesMs !== undefined) {
        skewMs += saying.passesMs;
        wakeAll();
      }
      continue;
    }
    if (change.endedAt !== null && (left.length === 0 || change.state !== saying?.state)) break;
    await next;
  }
  await Promise.all([...runners].map((runner) => runner.stop()));
  lives.delete(life);
  return { id, writes, later };
}

async function outcomeOf(
  { store }: Node,
  devices: readonly Device[],
  { id, ...counted }: { readonly id: string } & Pick<Outcome, "writes" | "later">,
): Promise<Outcome> {
  const [change, targets, steps, jobs, bulks] = await Promise.all([
    store.changes.find(id),
    store.changes.targets(id, {}, 100),
    store.changes.steps(id, 0, 1_000),
    store.jobs.page({ tag: `change:${id}`, operation: "config" }, 1_000),
    store.changes.bulks(id),
  ]);
  const extensions = new Set(bulks.flatMap(({ phase, bulkId }) => (phase === "extending" ? [bulkId] : [])));
  if (change === undefined) throw new Error("the change is gone");
  if (steps.some(({ n }, at) => n !== at + 1) || change.step !== steps.length)
    throw new Error(`the steps ${steps.map(({ n }) => n).join()} of ${change.step} have gaps`);
  return {
    state: change.state,
    targets: targets.map(({ wave, state }) => `${wave} ${state}`),
    received: devices.map(({ received }) => received),
    has: devices.map(({ lines }) => lines),
    extended: devices.map(({ extended = 0 }) => extended),
    waiting: devices.filter(({ before }) => before !== undefined).length,
    steps: steps.map(({ what, detail }) => (detail === null ? what : `${what}: ${detail}`)),
    pushes: targets.map(
      ({ device }) => jobs.filter((job) => job.device === device && !extensions.has(job.bulkId ?? "")).length,
    ),
    ...counted,
  };
}
