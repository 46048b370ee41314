/** `bun run bench:start`: time from start to the first 200 and idle memory, from source and of the binary. JSON. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { freePort } from "../../src/testkit/port.ts";

const runs = 7;
/** Threads and template processes are up by then. */
const settleMs = 1_500;

interface Figures {
  startMs: { median: number; min: number; all: number[] };
  idleMiB: { service: number; children: number };
}

const figures: Record<string, Figures> = { source: await measure([process.execPath, "src/main.ts"]) };
if (existsSync("dist/patchbay")) figures.binary = await measure(["dist/patchbay"]);
console.log(JSON.stringify({ bench: "start", runs, figures }, null, 2));

async function measure(program: string[]): Promise<Figures> {
  const all: number[] = [];
  let idleMiB = { service: 0, children: 0 };
  for (let run = 0; run < runs; run++) {
    const data = mkdtempSync(join(tmpdir(), "bench-start-"));
    const port = await freePort();
    const startedAt = performance.now();
    const child = Bun.spawn([...program, "serve"], {
      env: {
        PATH: process.env.PATH ?? "",
        PATCHBAY_DATA_DIR: data,
        PATCHBAY_LISTEN: `127.0.0.1:${port}`,
        PATCHBAY_API_KEY: "bench-key-0123456789",
        PATCHBAY_LOG_LEVEL: "warn",
      },
      stdout: "ignore",
      stderr: "inherit",
    });
    while (!(await answers(port))) await Bun.sleep(2);
    all.push(Math.round(performance.now() - startedAt));
    if (run === runs - 1) {
      await Bun.sleep(settleMs);
      idleMiB = await memory(child.pid);
    }
    child.kill();
    await child.exited;
    rmSync(data, { recursive: true, force: true });
  }
  const sorted = [...all].sort((a, b) => a - b);
  return { startMs: { median: sorted[runs >> 1] ?? 0, min: sorted[0] ?? 0, all }, idleMiB };
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`, { headers: { "X-API-KEY": "bench-key-0123456789" } }).then(
    (response) => response.status === 200,
    () => false,
  );
}

/** Resident memory; of children their own share (PSS), since they share the program's pages. */
async function memory(pid: number): Promise<{ service: number; children: number }> {
  const children = (await Bun.$`pgrep -P ${pid}`.nothrow().text()).trim().split("\n").filter(Boolean);
  const shares = await Promise.all(children.map((child) => field(`/proc/${child}/smaps_rollup`, "Pss")));
  return {
    service: await field(`/proc/${pid}/status`, "VmRSS"),
    children: shares.reduce((a, b) => a + b, 0),
  };
}

async function field(path: string, name: string): Promise<number> {
  const text = await Bun.file(path)
    .text()
    .catch(() => "");
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) / 1024);
}
