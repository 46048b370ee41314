/** What a take stores of a text that has changed: compared beside the event loop if that is long, and stored anyway. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TakePlan } from "../../src/api/history/history.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { applyDelta } from "../../src/configtext/delta.ts";
import { faultOf } from "../../src/configtext/whole.ts";
import { compareTexts } from "../../src/configtext/work.ts";
import { createHistoryNews } from "../../src/history/news.ts";
import { createTakes } from "../../src/history/takes/takes.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import type { Pool } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import { unpackText } from "../../src/runtime/text-pack.ts";
import { platformOf } from "../configtext/samples.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { createTaker, versionOf } from "../support/takes.ts";
import { temporary } from "../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
let node: Node;
let tasks: string[];
let fails: ServiceError | undefined;

beforeEach(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path, started: false });
  [tasks, fails] = [[], undefined];
});
afterEach(async () => {
  await node.stop();
  folder.remove();
});

/** Compares beside this thread, as far as its caller can see: only tasks of the pool may take long. */
const run = async (task: Task) => {
  tasks.push(task.kind === "compare" ? task.wanted.form : task.kind);
  if (fails !== undefined) throw fails;
  return task.kind === "compare" ? compareTexts(task.wanted) : undefined;
};
const pool = { run: run as Pool["run"] };

const plan: TakePlan = {
  device: { name: "sw1", host: "sw1", group: null, platform: null },
  ...{ parts: ["running"], source: "schedule", who: "nightly" },
};
const numbered = (count: number, of: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => `line ${of(at)}\n`).join("");

const takesOf = () =>
  createTakes({ store: node.store, afterPushMs: undefined, pool, platform: () => undefined });

/** What is stored of a text after another one. */
async function stored(before: string, text: string) {
  const { take } = await createTaker(node.store, `taker-${tasks.length}`);
  await take([{ device: "sw1", versions: [versionOf(before)] }]);
  const { compare, lines, bytes, text: packed } = versionOf(text);
  const begun = await takesOf().begin(plan);
  const part = {
    part: "running",
    state: "good",
    compare,
    lines,
    bytes,
    body: packed.body,
    general: true,
  } as const;
  const [version] = (await begun.taken([part])).versions;
  return version;
}

test("a small change is compared at once, a text in another order in a process", async () => {
  const before = numbered(300, (at) => at);
  const after = `${before}line new\n`;
  const small = await stored(before, after);
  expect(tasks).toEqual([]);
  expect(small).toMatchObject({ added: 1, removed: 0 });
  expect(applyDelta(before, unpackText(small?.text.body ?? new Uint8Array(), 1e6))).toBe(after);

  const [hostile, reversed] = [numbered(6_000, (at) => at), numbered(6_000, (at) => 6_000 - at)];
  const large = await stored(hostile, reversed);
  expect(tasks).toEqual(["stored"]);
  expect(large?.added).toBeGreaterThan(1_000);
});

test("a comparison that is stopped costs its figures, not the text", async () => {
  fails = new ServiceError("TemplateTimeout", "The comparison was still running.");
  const [before, after] = [numbered(6_000, (at) => at), numbered(5_900, (at) => 7_000 - at)];
  const version = await stored(before, after);
  expect(version).toMatchObject({ added: 0, removed: 100 });
  expect(version?.text.base).toBeUndefined();
  expect(unpackText(version?.text.body ?? new Uint8Array(), 1e6)).toBe(after);
});

test("a text that is damaged does not keep the next one from being stored", async () => {
  const damaged = versionOf("gone\n", { text: { body: new Uint8Array([1, 2, 3]) } });
  const { take } = await createTaker(node.store);
  await take([{ device: "sw1", versions: [damaged] }]);
  const begun = await takesOf().begin(plan);
  const { compare, lines, bytes, text } = versionOf("here\nagain\n");
  const part = {
    part: "running",
    state: "good",
    compare,
    lines,
    bytes,
    body: text.body,
    general: true,
  } as const;
  const [version] = (await begun.taken([part])).versions;
  expect(version).toMatchObject({ added: 1, removed: 0, text: { body: text.body } });
});

test("the difference in a message is made in a process, too, and left out if that is stopped", async () => {
  const { take } = await createTaker(node.store);
  for (const text of [numbered(6_000, (at) => at), numbered(6_000, (at) => 6_000 - at)])
    await take([{ device: "sw1", versions: [versionOf(text)] }]);
  const { store, inventory } = node;
  const news = createHistoryNews({ store, inventory, pool, iso: (ms) => new Date(ms).toISOString() });
  const [latest] = await store.history.changes({}, 1);
  const [told] = await news.versions([latest?.n ?? 0]);
  expect(told?.isVisibleTo(admin)).toBe(true);
  expect(await told?.difference()).toMatch(/^--- sw1 version 1\t?\n\+\+\+ sw1 version 2\t?\n/);
  expect(tasks).toEqual(["unified"]);
  fails = new ServiceError("TemplateLimit", "too much memory");
  expect(await told?.difference()).toBeUndefined();
});

test("a text that has shrunk to what the device had before is whole; another short one is not", async () => {
  const { take } = await createTaker(node.store);
  const [short, long] = [numbered(3, (at) => at), numbered(30, (at) => at)];
  for (const text of [short, long]) await take([{ device: "sw1", versions: [versionOf(text)] }]);
  const begun = await takesOf().begin(plan);
  const suspect = (text: string) => {
    const { compare, lines, bytes, text: packed } = versionOf(text);
    return {
      ...({ part: "running", state: "suspect", reason: "less than half" } as const),
      ...{ compare, lines, bytes, body: packed.body, general: true },
    };
  };
  const [back] = await begun.judged([suspect(short)]);
  expect(back).toMatchObject({ state: "good", lines: 3 });
  expect(back?.reason).toBeUndefined();
  expect(await begun.judged([suspect(numbered(2, (at) => at))])).toMatchObject([{ state: "suspect" }]);
  // Not for another reason.
  expect(await begun.judged([suspect(long)])).toMatchObject([{ state: "suspect" }]);
});

test("a text that lacks modules that answered before is suspect if it differs, and good if somebody accepts it", async () => {
  const { take } = await createTaker(node.store);
  const [whole, lacking] = ["a\nrouter bgp 1\nend\n", "a\nend\n"];
  await take([{ device: "sw1", versions: [versionOf(whole)] }], { modules: ["zebra", "bgpd", "ripd"] });
  const read = (text: string, modules?: string[]) => {
    const { compare, lines, bytes, text: packed } = versionOf(text);
    const good = { part: "running", state: "good", compare, lines, bytes, body: packed.body } as const;
    return { ...good, general: true, ...(modules === undefined ? {} : { modules }) };
  };
  const judged = async (part: ReturnType<typeof read>, less?: boolean) =>
    (await (await takesOf().begin({ ...plan, less })).judged([part]))[0];
  const reason = "bgpd, ripd did not answer, as before: the text may lack what is theirs";
  expect(await judged(read(lacking, ["zebra"]))).toMatchObject({ state: "suspect", reason });
  // One that had nothing to show is missed by nobody.
  expect(await judged(read(whole, ["zebra", "bgpd"]))).toMatchObject({ state: "good" });
  expect(await judged(read(lacking, ["ripd", "bgpd", "zebra", "isisd"]))).toMatchObject({ state: "good" });
  // A device that does not say what runs is judged by its text.
  expect(await judged(read(lacking))).toMatchObject({ state: "good" });
  expect(await judged(read(lacking, ["zebra"]), true)).toMatchObject({ state: "good" });

  const begun = await takesOf().begin({ ...plan, less: true });
  expect(await begun.taken([read(lacking, ["zebra"])])).toMatchObject({ modules: ["zebra"] });
  await take([{ device: "sw1", versions: [versionOf(lacking)] }], { modules: ["zebra"] });
  expect(await judged(read("a\nb\n", ["zebra"]))).toMatchObject({ state: "good" });
});

test("a text that is far shorter is good if somebody accepts it", async () => {
  const { take } = await createTaker(node.store);
  await take([{ device: "sw1", versions: [versionOf(numbered(30, (at) => at))] }]);
  expect((await takesOf().begin(plan)).shows.previous).toMatchObject({ running: expect.any(Number) });
  expect((await takesOf().begin({ ...plan, less: true })).shows.previous).toEqual({});
});

test("a text without an end mark that ends early is suspect, whatever is cut, until it is shown again", async () => {
  const lines = ["!Time: 1", "hostname sw1", "interface Ethernet1/1", "  no shutdown", "line vty"];
  const before = `${lines.join("\n")}\n`;
  const { take } = await createTaker(node.store);
  await take([{ device: "sw1", versions: [versionOf(before)] }]);
  const platform = { running: { ignore: [/^!Time:/], shape: "indent" } } as unknown as PlatformPlugin;
  const takes = createTakes({ store: node.store, afterPushMs: undefined, pool, platform: () => platform });
  const read = (text: string) => {
    const { compare, lines, bytes, text: packed } = versionOf(text);
    return {
      ...({ part: "running", state: "good", general: true } as const),
      ...{ compare, lines, bytes, body: packed.body },
    };
  };
  const judged = async (text: string) =>
    (
      await (await takes.begin({ ...plan, device: { ...plan.device, platform: "x" } })).judged([read(text)])
    )[0];
  const later = before.replace("!Time: 1", "!Time: 2");
  for (let at = later.indexOf("Ethernet"); at < later.length - 1; at++)
    expect([at, (await judged(later.slice(0, at)))?.state]).toEqual([at, "suspect"]);
  // Something else has changed, too.
  const other = later.replace("sw1", "sw2").replace("  no shutdown\n", "");
  expect(await judged(other)).toMatchObject({ state: "good" });
  // What stood last was removed.
  const removed = later.replace("line vty\n", "");
  const found = await judged(removed);
  expect(found?.reason).toContain("shown again");
  await take([
    { device: "sw1", versions: [versionOf(removed, { state: "suspect", reason: found?.reason ?? "" })] },
  ]);
  expect(await judged(removed)).toMatchObject({ state: "good" });
  expect(await judged(later.slice(0, 40))).toMatchObject({ state: "suspect" });
});

/** Top blocks of a system whose end mark stands behind each of them, with a line that somebody may change. */
const blockSystems = [
  {
    name: "fortinet",
    blocks: [
      'config system global\n    set hostname "fw1"\n    set timezone "04"\nend',
      'config system interface\n    edit "port1"\n        set ip 10.0.0.1 255.255.255.0\n    next\nend',
      'config firewall address\n    edit "net-10"\n        set subnet 10.0.0.0 255.0.0.0\n    next\nend',
      "config router static\n    edit 1\n        set gateway 10.0.0.254\n    next\nend",
      "config log setting\n    set resolve-ip enable\nend",
    ],
    change: ['"fw1"', '"firewall-1"'],
  },
  {
    // Each virtual domain has the same blocks.
    name: "fortinet",
    blocks: [
      "config vdom\nedit root\nnext\nedit branch\nnext\nend\n",
      "config vdom\nedit root\nconfig system settings\n    set opmode nat\nend",
      "config firewall policy\n    edit 1\n        set action accept\n    next\nend",
      "config router static\n    edit 1\n        set gateway 10.0.0.254\n    next\nend\nend\n",
      "config vdom\nedit branch\nconfig system settings\n    set opmode nat\nend",
      "config firewall policy\n    edit 1\n        set action deny\n    next\nend\nend",
    ],
    change: ["set action accept", "set action accept\n        set logtraffic all"],
  },
  {
    name: "juniper_junos",
    blocks: [
      "## Last commit: 2026-11-01 10:00:00 UTC by ops\nversion 21.4R3.15;\nsystem {\n    host-name r1;\n    services {\n        ssh;\n    }\n}",
      "interfaces {\n    ge-0/0/0 {\n        unit 0;\n    }\n}",
      "routing-options {\n    static {\n        route 0.0.0.0/0 next-hop 10.0.0.254;\n    }\n}",
      "protocols {\n    lldp {\n        interface all;\n    }\n}",
      "vlans {\n    users {\n        vlan-id 10;\n    }\n}",
    ],
    change: ["host-name r1;", "host-name router-1;"],
  },
] as const;

type BlockSystem = (typeof blockSystems)[number];
const textOf = (blocks: readonly string[]) => `${blocks.join("\n")}\n`;

/** A device of the system with all blocks, and how texts of it are judged. */
async function judgeOfBlocks({ name, blocks, change }: BlockSystem) {
  const platform = platformOf(name);
  const { take } = await createTaker(node.store);
  await take([{ device: "sw1", versions: [versionOf(textOf(blocks))] }]);
  const takes = createTakes({ store: node.store, afterPushMs: undefined, pool, platform: () => platform });
  const partOf = (some: readonly string[]) => {
    const { compare, lines, bytes, text } = versionOf(textOf(some));
    return {
      ...({ part: "running", state: "good", general: true } as const),
      ...{ compare, lines, bytes, body: text.body },
    };
  };
  const begin = (source: TakePlan["source"]) =>
    takes.begin({ ...plan, source, device: { ...plan.device, platform: name } });
  return {
    take,
    rules: platform?.running,
    changed: (some: readonly string[]) => some.map((block) => block.replace(change[0], change[1])),
    judged: async (some: readonly string[]) => (await (await begin("schedule")).judged([partOf(some)]))[0],
    /** @returns the state, and how often it was read again */
    async shownAgain(some: readonly string[], again: readonly string[], source: TakePlan["source"] = "push") {
      let asked = 0;
      const [part] = await (await begin(source)).judged([partOf(some)], async () => {
        asked++;
        return [partOf(again)];
      });
      return [part?.state, asked];
    },
  };
}

test.each(blockSystems)(
  "a text of $name that is cut behind a top block is suspect until it is shown again",
  async (system) => {
    const { blocks } = system;
    const { take, rules, changed, judged } = await judgeOfBlocks(system);
    for (let count = 1; count < blocks.length; count++) {
      const cut = blocks.slice(0, count);
      const text = textOf(cut);
      // The text alone does not tell.
      const judge = { lines: text.trimEnd().split("\n"), bytes: text.length, rules, errors: [] };
      const of = {
        part: "running",
        prompt: undefined,
        otherName: undefined,
        previousBytes: undefined,
      } as const;
      if (text.length >= (rules?.leastBytes ?? 0)) expect(faultOf({ ...judge, ...of })).toBeUndefined();
      expect([count, (await judged(cut))?.state]).toEqual([count, "suspect"]);
      // Somebody has also changed a block that is there, whatever that makes of the length.
      expect([count, (await judged(changed(cut)))?.state]).toEqual([count, "suspect"]);
    }
    // Something stands behind what was removed, or is new there.
    expect(await judged(blocks.filter((_, at) => at !== blocks.length - 2))).toMatchObject({ state: "good" });
    expect(await judged(changed(blocks))).toMatchObject({ state: "good" });
    // Somebody has removed the last block.
    const removed = blocks.slice(0, -1);
    const found = await judged(removed);
    expect(found?.reason).toContain("shown again");
    const suspect = versionOf(textOf(removed), { state: "suspect", reason: found?.reason ?? "" });
    await take([{ device: "sw1", versions: [suspect] }]);
    expect(await judged(removed)).toMatchObject({ state: "good" });
    expect(await judged(blocks.slice(0, 2))).toMatchObject({ state: "suspect" });
  },
);

test.each(blockSystems)(
  "after a push such a text of $name is read again at once, and believed if it is the same",
  async (system) => {
    const { blocks } = system;
    const { changed, shownAgain } = await judgeOfBlocks(system);
    const removed = blocks.slice(0, -1);
    expect(await shownAgain(removed, removed)).toEqual(["good", 1]);
    expect(await shownAgain(removed, blocks.slice(0, -2))).toEqual(["suspect", 1]);
    expect(await shownAgain(removed, blocks)).toEqual(["good", 1]);
    expect(await shownAgain(changed(blocks), removed)).toEqual(["good", 0]);
    expect(await shownAgain(removed, removed, "schedule")).toEqual(["suspect", 0]);
  },
);
