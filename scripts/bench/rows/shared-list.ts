/** `GET /job` of all stored jobs over HTTP: time and memory, next to bare reads of the same rows. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import Libsql from "libsql";
import { startSqld } from "../../testbed/sqld.ts";
import { cpuSeconds } from "../process-cpu.ts";
import { startService } from "../service.ts";
import { fillDirectory, storedKey } from "../stored.ts";
import type { SpeedFigure } from "./row.ts";
import { withPostgres } from "./shared-postgres.ts";

const texts = {
  asked: JSON.stringify({
    ...{ of: "command", brief: "show version", all: true, length: 12 },
    ...{ sha256: "a".repeat(64), cut: false },
  }),
  result: JSON.stringify({ type: "finished", retval: { "show version": "y".repeat(800) }, error: null }),
};
const pageRows = 400;
const page = `select * from jobs where seq < ? order by seq desc limit ${pageRows}`;

export async function measureList(on: "file" | "sqld" | "postgres", quick: boolean): Promise<SpeedFigure> {
  const jobs = Number(process.env.BENCH_STORED ?? (quick ? 10_000 : 100_000));
  const folder = mkdtempSync(join(tmpdir(), "bench-list-"));
  const data = join(folder, "data");
  mkdirSync(data);
  try {
    await fillDirectory(data, { jobs, hosts: 500, texts });
    if (on === "postgres") return await ofPostgres(data, jobs);
    return on === "file" ? await ofFile(data, jobs) : await ofServer(folder, jobs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ofFile(data: string, jobs: number): Promise<SpeedFigure> {
  const database = new Libsql(join(data, "patchbay.db"));
  const statement = database.prepare(page).raw(true);
  const bare = await least(async () => {
    for (let before = jobs + 1; before > 1; before -= pageRows) statement.all(before);
  });
  database.close();
  return listed(data, {}, jobs, { name: "bare reads of the same rows", value: bare });
}

async function ofServer(folder: string, jobs: number): Promise<SpeedFigure> {
  const database = join(folder, "server");
  const inside = join(database, "dbs", "default");
  mkdirSync(inside, { recursive: true });
  copyFileSync(join(folder, "data", "patchbay.db"), join(inside, "data"));
  // Makes sqld accept a database file that it did not write.
  writeFileSync(join(inside, ".sentinel"), "");
  const server = await startSqld({ database });
  try {
    const client = createClient({ url: server.url });
    const bare = await least(async () => {
      for (let before = jobs + 1; before > 1; before -= pageRows)
        await client.execute({ sql: page, args: [before] });
    }, 1);
    client.close();
    const node = join(folder, "node");
    mkdirSync(node);
    const floor = { name: "the same rows by the server's own client", value: bare };
    return await listed(node, { PATCHBAY_DATABASE_URL: server.url }, jobs, floor);
  } finally {
    await server.stop();
  }
}

/** The file is moved there, which is measured as well. */
async function ofPostgres(data: string, jobs: number): Promise<SpeedFigure> {
  return withPostgres(async ({ url, server }) => {
    const moved = await movedTo(data, url);
    const bare = await least(async () => {
      for (let before = jobs + 1; before > 1; before -= pageRows)
        await server.sql(page.replace("?", String(before)), "bench");
    }, 1);
    const floor = { name: "the same rows by a client of its own", value: bare };
    const figure = await listed(data, { PATCHBAY_DATABASE_URL: url }, jobs, floor);
    return { ...figure, details: { ...figure.details, ...moved } };
  });
}

async function movedTo(data: string, url: string) {
  const from = performance.now();
  const move = Bun.spawn(
    [process.execPath, "src/main.ts", "store", "move", "file", url, "--data-dir", data],
    {
      env: { PATH: process.env.PATH ?? "", PATCHBAY_MASTER_KEY: storedKey },
      stdout: "ignore",
      stderr: "inherit",
    },
  );
  if ((await move.exited) !== 0) throw new Error("the file was not moved");
  const used = move.resourceUsage();
  return {
    moved_s: Math.round((performance.now() - from) / 100) / 10,
    moved_cpu_s: Number(used?.cpuTime.total ?? 0) / 1e6,
    moved_memory_mb: Math.round((used?.maxRSS ?? 0) / 1024 / 1024),
  };
}

async function listed(
  data: string,
  settings: Readonly<Record<string, string>>,
  jobs: number,
  floor: NonNullable<SpeedFigure["floor"]>,
): Promise<SpeedFigure> {
  const service = await startService(undefined, { PATCHBAY_MASTER_KEY: storedKey, ...settings }, { data });
  try {
    const before = memoryMb(service.pid, "VmRSS");
    let bytes = 0;
    const cpuFrom = cpuSeconds(service.pid);
    const value = await least(async () => {
      bytes = 0;
      const answer = await service.call("GET", "/job");
      if (answer.body === null) throw new Error("the answer has no body");
      for await (const piece of answer.body) bytes += piece.length;
    });
    if (bytes < jobs * 1_000) throw new Error(`${bytes} bytes are no list of ${jobs} jobs`);
    const cpu = (cpuSeconds(service.pid) - cpuFrom) / rounds;
    const memory = { memory_before_mb: before, memory_peak_mb: memoryMb(service.pid, "VmHWM") };
    return { value, floor, details: { jobs, mb: Math.round(bytes / 1e6), cpu_s: cpu, ...memory } };
  } finally {
    await service.stop();
  }
}

const rounds = 3;

/** In seconds. */
async function least(work: () => Promise<void>, times = rounds): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < times; round++) {
    const from = performance.now();
    await work();
    best = Math.min(best, (performance.now() - from) / 1000);
  }
  return best;
}

export function memoryMb(pid: number, field: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(found?.[1] ?? 0) / 1024);
}
