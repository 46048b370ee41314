/**
 * Simulates a power cut at each moment at which somebody learned something: the service's writes and fsyncs
 * are recorded, and unsynced writes are lost or partly applied. What was acknowledged is known, what was
 * started is not started again.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { namedFaults } from "../../../src/testkit/simulator/faults.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import {
  afterCut,
  compileRecorder,
  type Disk,
  databaseFiles,
  type Entry,
  emptyDisk,
  proceed,
  readRecord,
} from "./storage-record.ts";

const pushes = 12;
/** Together they fill more than the thousand pages after which SQLite checkpoints the WAL. */
const large = 12;
const largeBytes = 300_000;

describe.skipIf(needs("gcc"))("a power cut", () => {
  let folder: string;
  let device: SimulatedDevice;
  let silent: SimulatedDevice;
  let entries: Entry[];
  let left: Buffer[];
  const accepted: string[] = [];
  const dir = (name: string) => join(folder, name);
  const data = (name: string) => join(dir("data"), name);

  beforeAll(async () => {
    folder = tempFolder();
    // Telnet: the record then contains what was sent in plain text.
    device = await simulated("cisco_ios", { transport: "telnet" });
    silent = await simulated("cisco_ios", { transport: "telnet", faults: namedFaults.stall });
    const env = { LD_PRELOAD: compileRecorder(folder), STORAGE_RECORD: dir("record") };
    // The compiled program does not make a new database with libSQL, but copies one made when it was built.
    const service = await startService({ dataDir: dir("data"), env, runtime: "bun" });
    for (let n = 0; n < large; n++) {
      const command = Array.from({ length: 100 }, () => randomBytes(largeBytes / 100).toString("base64"));
      accepted.push(await submit(service, silent, "127.0.0.2", { command }));
    }
    for (let n = 0; n < pushes; n++) accepted.push(await push(service, n));
    while (entered().length < 4) await pause(20);
    await service.kill();
    entries = readRecord(dir("record"));
    left = databaseFiles.map((name) => readFileSync(data(name)));
  });
  afterAll(async () => {
    await device?.stop();
    await silent?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A line carries the number of its job. */
  const push = (service: Service, n: number) =>
    submit(service, device, "127.0.0.1", { config: ["interface Loopback1", ` description ${markerOf(n)}`] });
  const markerOf = (n: number) => `marker-${n}.`;
  const entered = () => device.commands().filter((line) => line.includes("marker-"));

  async function submit(service: Service, to: SimulatedDevice, host: string, what: object): Promise<string> {
    const { port, username, password, secret } = to;
    const device_type = "cisco_ios_telnet";
    const answer = await service.call<{ id: string }>("POST", "/device/execute", {
      driver: "netmiko",
      connection_args: { device_type, host, port, username, password, secret },
      ...what,
      options: { ttl: 3600 },
    });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body.data.id;
  }

  /** What others had learned when the power was cut. */
  interface Learnt {
    readonly answered: Set<string>;
    readonly begun: Set<string>;
  }

  function learn(learnt: Learnt, text: string): boolean {
    const before = learnt.answered.size + learnt.begun.size;
    if (text.startsWith("HTTP/1.1 201"))
      for (const id of accepted) if (text.includes(id)) learnt.answered.add(id);
    for (let n = 0; n < pushes; n++)
      if (text.includes(markerOf(n)) && !text.startsWith("HTTP/"))
        learnt.begun.add(accepted[large + n] ?? "");
    return learnt.answered.size + learnt.begun.size > before;
  }

  /** What a database with these bytes contains: jobs, and those that must never start again. */
  function readBack(files: readonly Buffer[]): Learnt {
    // Its own folder: a closed connection holds its files until it is garbage collected.
    const cut = tempFolder();
    for (const [at, name] of databaseFiles.entries()) writeFileSync(join(cut, name), files[at] ?? "");
    const database = new Libsql(join(cut, "patchbay.db"));
    try {
      expect(database.prepare("pragma quick_check").raw(true).all()).toEqual([["ok"]]);
      const idsOf = (where: string) =>
        new Set(database.prepare(`select id from jobs where ${where}`).raw(true).all().flat().map(String));
      return {
        answered: idsOf("true"),
        begun: idsOf("sending_at is not null or status not in ('queued', 'running')"),
      };
    } finally {
      database.close();
      rmSync(cut, { recursive: true });
    }
  }

  /** Calls `look` before each message that tells somebody something. */
  function atEach(record: readonly Entry[], look: (disk: Disk, learnt: Learnt) => void): Learnt {
    const disk = emptyDisk();
    const learnt: Learnt = { answered: new Set(), begun: new Set() };
    for (const entry of record) {
      proceed(disk, entry);
      if (entry.kind === "sent" && learn(learnt, entry.text)) look(disk, learnt);
    }
    return learnt;
  }

  test("records all writes: replaying them yields the files of the killed service", () => {
    // The last write may have been recorded but not executed.
    const states = [
      entries,
      entries.slice(
        0,
        entries.findLastIndex(({ kind }) => kind === "change"),
      ),
    ];
    const same = states.map((record) => {
      const disk = emptyDisk();
      for (const entry of record) proceed(disk, entry);
      return afterCut(disk, () => true).every((bytes, at) => bytes.equals(left[at] ?? Buffer.alloc(0)));
    });
    expect(same).toContain(true);
    const learnt = atEach(entries, () => {});
    expect([...learnt.answered]).toEqual(accepted);
    expect(learnt.begun.size).toBeGreaterThanOrEqual(4);
    const toDatabase = entries.filter((entry) => entry.kind === "synced" && entry.file === 0);
    expect(toDatabase.length).toBeGreaterThan(0);
  });

  test("nothing that was answered or started depends on unsynced writes", () => {
    atEach(entries, (disk, learnt) => {
      const found = readBack(afterCut(disk, () => false));
      expect([...learnt.answered.difference(found.answered)]).toEqual([]);
      expect([...learnt.begun.difference(found.begun)]).toEqual([]);
    });
  });

  test("survives the loss of some unsynced sectors", () => {
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state / 2 ** 32;
    };
    atEach(entries, (disk, learnt) => {
      const share = random();
      const found = readBack(afterCut(disk, () => random() < share));
      expect([...learnt.answered.difference(found.answered)]).toEqual([]);
      expect([...learnt.begun.difference(found.begun)]).toEqual([]);
    });
  });

  test("would lose jobs without its syncs, which the recording detects", () => {
    const unsynced = entries.filter(({ kind }) => kind !== "synced");
    let lost = 0;
    const disk = emptyDisk();
    for (const entry of unsynced) proceed(disk, entry);
    for (const bytes of afterCut(disk, () => false)) lost += bytes.length === 0 ? 1 : 0;
    expect(lost).toBe(databaseFiles.length);
  });

  test("starts on the remaining data, knows every job and restarts none", async () => {
    const disk = emptyDisk();
    for (const entry of entries) proceed(disk, entry);
    for (const [at, bytes] of afterCut(disk, () => false).entries())
      writeFileSync(data(databaseFiles[at] ?? ""), bytes);
    rmSync(data("patchbay.db-shm"), { force: true });
    const begun = new Set(entered());
    const service = await startService({ dataDir: dir("data") });
    try {
      expect(service.output()).not.toContain("store.copied");
      const jobs = await Promise.all(accepted.map((id) => service.job(id)));
      expect(jobs.map(({ id }) => id)).toEqual(accepted);
      await service.call("DELETE", "/job?host=127.0.0.2&force=true");
      for (const [n, id] of accepted.slice(large).entries()) {
        const { status } = await service.ended(id);
        const line = entered().filter((one) => one.includes(markerOf(n)));
        expect(line.length).toBeLessThanOrEqual(1);
        if (status === "finished") expect(line).toHaveLength(1);
        if (begun.has(line[0] ?? "")) expect(jobs[large + n]?.status).not.toBe("queued");
      }
    } finally {
      await service.stop();
    }
  });
});
