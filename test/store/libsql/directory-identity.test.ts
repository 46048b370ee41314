/** A copied data directory is detected, however it was copied; a restart is never mistaken for one. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openConnection } from "../../../src/store/libsql/database/connect.ts";
import type { Store } from "../../../src/store/port.ts";
import { temporary } from "../../support/temporary.ts";
import { claimRequest, closeStore, facts, newJob, openStore } from "../support.ts";

const by = { keyId: "k1", name: "admin", from: null };

let folder: ReturnType<typeof temporary>;
let here: string;
let there: string;
beforeEach(async () => {
  folder = temporary();
  here = join(folder.path, "here");
  there = join(folder.path, "there");
  const store = await openStore({ directory: here });
  const life = await store.nodes.acquire({ ...facts, name: "n1", home: store.home.id });
  if (!life) throw new Error("no life");
  await store.jobs.insert(["r1", "r2", "r3", "r4"].map((host) => newJob(store, { host, retries: 1 })));
  const { jobs } = await store.claims.claim(life, claimRequest(["pinned_r1", "pinned_r2"]));
  const [first] = jobs;
  if (!first) throw new Error("no claim");
  await store.claims.recordIntent(first.fence, ["show a"], 0);
  await closeStore(store);
});
afterEach(() => folder.remove());

const run = (file: string, ...args: string[]) => execFileSync(file, args, { stdio: "pipe" });
const marksOf = (path: string) => readdirSync(path).filter((name) => /^home\.\d+$/.test(name));

async function opened<T>(directory: string, look: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ directory });
  try {
    return await look(store);
  } finally {
    await closeStore(store);
  }
}

async function copiedAt(directory: string) {
  return opened(directory, async ({ home }) => home.copied);
}

async function statuses(directory: string): Promise<string[]> {
  return opened(directory, async (store) =>
    (await store.jobs.page({}, 10)).map(({ host, status }) => `${host} ${status}`).sort(),
  );
}

const asItWas = ["r1 running", "r2 running", "r3 queued", "r4 queued"];

const harmless: [string, () => void][] = [
  ["a restart", () => {}],
  ["another name of the directory", () => renameSync(here, `${here}2`)],
  ["chmod and touch", () => run("chmod", "-R", "u+rwX", here)],
  ["touch", () => run("sh", "-c", `touch ${here}/*`)],
  ["an empty marker file", () => writeFileSync(join(here, "home.999999"), "")],
];
test.each(harmless)("%s is not mistaken for a copy", async (_, change) => {
  change();
  const now = existsSync(here) ? here : `${here}2`;
  for (let n = 0; n < 3; n++) expect(await copiedAt(now)).toBeUndefined();
  expect(await statuses(now)).toEqual(asItWas);
});

test("a process killed between any two steps keeps its identity", async () => {
  const store = await openStore({ directory: here });
  const [before = ""] = marksOf(here);
  copyFileSync(join(here, before), join(folder.path, before));
  await store.home.advance();
  // As if it had crashed between the database and the new marker, and between that and removing the old one.
  const [after = ""] = marksOf(here);
  expect(marksOf(here)).toEqual([`home.${Number(before.slice(5)) + 1}`]);
  await closeStore(store);
  expect(await copiedAt(here)).toBeUndefined();
  expect(after).not.toBe(before);
});

const copies: [string, string, () => void | Promise<void>][] = [
  ["cp -r", "there", () => void run("cp", "-r", here, there)],
  ["cp -a", "there", () => void run("cp", "-a", here, there)],
  [
    "tar",
    "there",
    () => void run("sh", "-c", `mkdir ${there} && tar -C ${here} -cf - . | tar -C ${there} -xf -`),
  ],
  [
    "a backup and the master key",
    "there",
    async () => {
      mkdirSync(there);
      await opened(here, (store) => store.backup(join(there, "patchbay.db")));
    },
  ],
  [
    "a backup put in the place of the database",
    "here",
    async () => {
      await opened(here, (store) => store.backup(join(folder.path, "backup")));
      await opened(here, async () => {});
      // Includes the database: a closed connection holds its file lock until it is garbage collected.
      for (const part of ["", "-wal", "-shm"]) rmSync(join(here, `patchbay.db${part}`), { force: true });
      copyFileSync(join(folder.path, "backup"), join(here, "patchbay.db"));
    },
  ],
  [
    "an earlier copy laid over the directory",
    "here",
    async () => {
      run("cp", "-a", here, there);
      await opened(here, async () => {});
      run("sh", "-c", `cp -a ${there}/. ${here}/`);
    },
  ],
  [
    "an earlier copy in the place of the directory",
    "here",
    async () => {
      run("cp", "-a", here, there);
      run("rm", "-rf", here);
      run("cp", "-a", there, here);
    },
  ],
  [
    "an earlier copy that brought only what differs",
    "here",
    async () => {
      run("cp", "-a", here, there);
      await opened(here, async () => {});
      for (const mark of marksOf(here)) rmSync(join(here, mark));
      for (const name of [...marksOf(there), "patchbay.db"])
        run("cp", "-a", join(there, name), join(here, name));
    },
  ],
];
test.each(copies)(
  "%s is detected as a copy: queued jobs are held, sent ones are not run again",
  async (_, at, copy) => {
    await copy();
    const directory = at === "here" ? here : there;
    const store = await openStore({ directory });
    expect(store.home.copied).toMatchObject({ held: 3, sending: 1, why: expect.any(String) });
    const rows = await store.jobs.page({}, 10);
    expect(rows.map(({ host, status }) => `${host} ${status}`).sort()).toEqual([
      "r1 running",
      "r2 held",
      "r3 held",
      "r4 held",
    ]);
    expect(await store.recovery.runningOf({ name: "n1", generation: 1 })).toMatchObject([
      { sending: true, retries: 0 },
    ]);
    // Not even an expired one is deleted automatically.
    expect(await store.jobs.lanesAfter(0)).toEqual([]);
    await closeStore(store);
    // From then on it is a directory in its own right.
    expect(await copiedAt(directory)).toBeUndefined();
    if (directory !== here) {
      expect(await copiedAt(here)).toBeUndefined();
      expect(await statuses(here)).toEqual(asItWas);
    }
  },
);

test("a start interrupted while it takes over a copy is completed by the next one", async () => {
  run("cp", "-a", here, there);
  const kept = join(folder.path, "kept");
  run("cp", "-a", there, kept);
  await opened(there, async (store) => expect(store.home.copied).toBeDefined());
  // The database knows its new home, the files do not yet.
  for (const mark of marksOf(there)) rmSync(join(there, mark));
  for (const name of ["home.id", ...marksOf(kept)]) run("cp", "-a", join(kept, name), join(there, name));
  expect(await copiedAt(there)).toMatchObject({ held: 0 });
  expect(await copiedAt(there)).toBeUndefined();
});

test("a released job of a copy keeps its position and its full ttl", async () => {
  run("cp", "-r", here, there);
  await opened(there, async (store) => {
    const held = await store.jobs.page({ status: "held" }, 10);
    const [job] = held.filter(({ host }) => host === "r3");
    const released = await store.held.release([job?.id ?? "", "unknown"], by);
    expect(released).toMatchObject([{ id: job?.id, lane: "pinned_r3", strategy: "pinned", share: "k1" }]);
    expect(await store.held.release([job?.id ?? ""], by)).toEqual([]);
    expect((await store.jobs.lanesAfter(0)).map(({ lane }) => lane)).toEqual(["pinned_r3"]);
    expect(await store.held.releaseAll()).toBe(2);
  });
});

test("in a copy, a job that waited for a window returns to its window when released", async () => {
  const hour = 3_600_000;
  const notBefore = Date.now() + hour;
  const job = await opened(here, async (store) => {
    const windowed = newJob(store, { host: "r9", notBefore, windowEnd: notBefore + hour });
    await store.jobs.insert([windowed]);
    return windowed;
  });
  run("cp", "-r", here, there);
  await opened(there, async (store) => {
    const ofReason = (heldFor: "held" | "window") => store.jobs.page({ heldFor, ids: [job.id] }, 10);
    expect(await ofReason("window")).toEqual([]);
    expect(await ofReason("held")).toHaveLength(1);
    expect(await store.held.release([job.id], by)).toMatchObject([{ id: job.id, status: "held" }]);
    expect(await ofReason("held")).toEqual([]);
    expect(await ofReason("window")).toMatchObject([{ notBefore, windowEnd: notBefore + hour }]);
    expect(await store.held.release([job.id], by)).toMatchObject([{ id: job.id, status: "queued" }]);
  });
});

test("schedules of a copy stay stopped until released, and its pending firings are not submitted", async () => {
  const by = { keyId: "k1", name: "ada", from: null };
  const next = { dueAt: Date.now() - 60_000, fireAt: Date.now() - 60_000 };
  await opened(here, async (store) => {
    const values = {
      name: "s1",
      state: "active",
      why: null,
      spec: '{"overlap":"skip"}',
      request: null,
    } as const;
    await store.schedules.add({ id: "s1", owner: "k1", ...values, anchor: 0, next }, by);
    const life = await store.nodes.acquire({ ...facts, name: "n1", home: store.home.id });
    if (life) await store.schedules.run(life, "s1", by);
  });
  run("cp", "-a", here, there);
  await opened(there, async (store) => {
    expect(await store.schedules.find("s1")).toMatchObject({
      state: "paused",
      why: expect.stringContaining("copied"),
      next: undefined,
    });
    expect(await store.schedules.firings("s1", 10)).toMatchObject([{ status: "missed" }]);
    expect(await store.schedules.look()).toMatchObject({ inMs: undefined, open: 0 });
    await store.held.releaseAll();
    expect(await store.schedules.find("s1")).toMatchObject({ state: "active", why: null, next });
  });
  await opened(here, async (store) =>
    expect(await store.schedules.find("s1")).toMatchObject({ state: "active", next }),
  );
});

test("a change of a copy pauses: a wave that was under way is read and submitted anew", async () => {
  const submitter = { submitterKind: "key", submitter: "ada", holder: "k1", ticket: null } as const;
  const target = { host: "h", wave: 1, sha256: "a", beforeVersion: 1 };
  const submitted = (bulkId: string, changePart: string) => ({
    ...{ id: bulkId, caller: "k1", driver: "netmiko", operation: "query" as const },
    ...{ submitter: { kind: "key" as const, name: "ada" }, changeId: "c1", changePart },
  });
  await opened(here, async (store) => {
    const begin = async (id: string, state: "running" | "returning") => {
      await store.changes.add({ id, name: id, needed: 0, request: "{}", ...submitter }, by);
      const devices = [0, 1].map((position) => ({ ...target, position, device: `${id}-${position}` }));
      await store.changes.setTargets({ id, step: 1 }, devices, new Map(), 1);
      const targets = [{ position: 0, state: "pushing" as const }];
      const move = { state, wave: 1, phase: "pushing" as const, sliceTo: 0, targets };
      await store.changes.move({ id, step: 1 }, move, { what: "started", by: null });
    };
    await begin("c1", "running");
    await begin("c2", "returning");
    await store.jobs.insert([newJob(store, { bulkId: "b1" })], {
      bulk: submitted("b1", "wave.1.reading"),
      changeStep: 2,
    });
    expect(await store.changes.bulks("c1")).toHaveLength(1);
  });
  run("cp", "-a", here, there);
  await opened(there, async (store) => {
    expect(await store.changes.find("c1")).toMatchObject({
      ...{ state: "paused", phase: "reading", step: 3, reason: expect.stringContaining("copied") },
      ...{ sliceFrom: null, sliceTo: null },
    });
    expect(await store.changes.bulks("c1")).toEqual([]);
    expect(await store.changes.targets("c1", {}, 10)).toMatchObject([
      { state: "unknown", touched: true },
      { state: "waiting", touched: null },
    ]);
    expect(await store.changes.find("c2")).toMatchObject({
      state: "needs_person",
      endedAt: expect.any(Number),
    });
  });
  // A copy of the copy, in which the wave is under way again.
  await opened(there, async (store) => {
    await store.changes.move(
      { id: "c1", step: 3 },
      { state: "running", phase: "reading" },
      { what: "resumed", by: null },
    );
    for (const part of ["wave.1.reading", "wave.1.reading.after0"])
      await store.jobs.insert([newJob(store, { bulkId: `again-${part}` })], {
        bulk: submitted(`again-${part}`, part),
        changeStep: 4,
      });
    expect(await store.changes.bulks("c1")).toMatchObject([{ from: null }, { from: 0 }]);
  });
  const further = `${there}-further`;
  run("cp", "-a", there, further);
  await opened(further, async (store) => expect(await store.changes.bulks("c1")).toEqual([]));
  await opened(here, async (store) => {
    expect(await store.changes.find("c1")).toMatchObject({ state: "running", phase: "pushing" });
    expect(await store.changes.bulks("c1")).toHaveLength(1);
  });
});

test("login sessions do not come with a copy or a backup, in which one that has since ended would live again", async () => {
  const token = "pbs_token";
  await opened(here, async (store) => {
    const keyId = await store.keys.add({ name: "ada", key: "pb_key", scope: "read", hosts: [] }, by);
    await store.loginSessions.add({ token, holder: keyId ?? "", address: null, agent: null }, by);
  });
  run("cp", "-a", here, there);
  await opened(there, async (store) => {
    expect(await store.loginSessions.find(token)).toBeUndefined();
    expect(await store.keys.find("pb_key")).toMatchObject({ name: "ada" });
  });
  await opened(here, async (store) => expect(await store.loginSessions.find(token)).toBeDefined());
});

test("a directory of a version without markers is taken over unchanged", async () => {
  const place = { at: join(here, "patchbay.db"), shared: false };
  const link = await openConnection(place);
  await link.batch([
    { sql: "delete from meta where key in ('home', 'home_step')", args: {} },
    { sql: "update nodes set home = 'old'", args: {} },
  ]);
  link.close();
  for (const mark of marksOf(here)) rmSync(join(here, mark));
  writeFileSync(join(here, "home.id"), "old\n");
  expect(await copiedAt(here)).toBeUndefined();
  expect(await statuses(here)).toEqual(asItWas);
  run("cp", "-a", here, there);
  expect(await copiedAt(there)).toMatchObject({ held: 3 });
});

test("a used directory whose database is missing or empty is rejected", async () => {
  const file = join(here, "patchbay.db");
  renameSync(file, `${file}.away`);
  await expect(openStore({ directory: here })).rejects.toMatchObject({
    kind: "Unavailable",
    message: expect.stringMatching(/patchbay\.db is missing, though .*patchbay restore/),
  });
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, "");
  await expect(openStore({ directory: here })).rejects.toMatchObject({
    message: expect.stringMatching(/patchbay\.db is empty, though/),
  });
  rmSync(file);
  rmSync(join(here, "home.id"));
  await opened(here, async (store) => expect(await store.jobs.page({}, 10)).toEqual([]));
});
