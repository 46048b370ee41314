/** Starts an HTTP server repeatedly: time to the first 200, and memory at that point. */
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { freePort } from "../../../src/testkit/port.ts";

export interface Start {
  /** Time to the first 200. */
  readonly ms: number;
  /** CPU time of all threads until then. */
  readonly cpuMs: number;
  readonly idle: Idle | undefined;
}

/**
 * In MB (10^6 bytes). The goal applies to `resident` and `children`: all memory of the processes, shared or
 * not.
 */
export interface Idle {
  readonly resident: number;
  /** Proportional set size (PSS): pages shared with others count by their share. */
  readonly share: number;
  /** Memory that the kernel cannot reclaim without swap. */
  readonly dirty: number;
  /** Parts of `resident`. */
  readonly parts: Readonly<Record<Part, number>>;
  /** Part of `resident` that no file backs. */
  readonly anonymous: number;
  /** Child processes; pages that they share count by their share. */
  readonly children: number;
}

export type Part = "program" | "code of ours" | "libSQL" | "other libraries" | "heaps and stacks";

const key = "bench-key-0123456789";
/** Long enough for a garbage collection. */
const settleMs = 3_000;

/** Path of the built program, which is built if missing. */
export async function program(): Promise<string> {
  const path = "dist/patchbay";
  if (!existsSync(path)) {
    const built = Bun.spawn([process.execPath, "scripts/build-binary.ts"], { stdout: "ignore" });
    if ((await built.exited) !== 0) throw new Error("the program could not be built");
  }
  return path;
}

/** Bun with a one-line server: the minimum for any program on it. */
export const bareServer = [
  process.execPath,
  "-e",
  'const at = process.env.PATCHBAY_LISTEN.split(":"); Bun.serve({ hostname: at[0], port: Number(at[1]), fetch: () => new Response("ok") });',
];

/** @param data data directory that is kept; default: a temporary one. */
export async function startOnce(
  command: readonly string[],
  wantsIdle: boolean,
  data?: string,
): Promise<Start> {
  const folder = data ?? dataFolder();
  const port = await freePort();
  const startedAt = performance.now();
  const child = Bun.spawn([...command], {
    env: {
      PATH: process.env.PATH ?? "",
      PATCHBAY_DATA_DIR: folder,
      PATCHBAY_LISTEN: `127.0.0.1:${port}`,
      PATCHBAY_API_KEY: key,
      PATCHBAY_LOG_LEVEL: "warn",
    },
    stdout: "ignore",
    stderr: "inherit",
  });
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      await Bun.sleep(2);
    }
    const ms = performance.now() - startedAt;
    const cpuMs = await cpuOf(child.pid);
    if (wantsIdle) await Bun.sleep(settleMs);
    return { ms, cpuMs, idle: wantsIdle ? await idleOf(child.pid) : undefined };
  } finally {
    child.kill();
    await child.exited;
    if (data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

export function dataFolder(): string {
  return mkdtempSync(join(tmpdir(), "bench-start-"));
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`, { headers: { "X-API-KEY": key } }).then(
    (response) => response.status === 200,
    () => false,
  );
}

async function cpuOf(pid: number): Promise<number> {
  const threads = readdirSync(`/proc/${pid}/task`);
  const texts = await Promise.all(threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/schedstat`)));
  return texts.reduce((sum, text) => sum + Number(text.split(" ")[0] || 0), 0) / 1e6;
}

async function idleOf(pid: number): Promise<Idle> {
  const lists = readdirSync(`/proc/${pid}/task`).map((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`),
  );
  const children = (await Promise.all(lists)).join(" ").trim().split(/\s+/).filter(Boolean);
  const shares = await Promise.all(children.map((child) => megabytes(child, "Pss")));
  return {
    resident: await megabytes(pid, "Rss"),
    share: await megabytes(pid, "Pss"),
    dirty: await megabytes(pid, "Private_Dirty"),
    parts: partsOf(await textOf(`/proc/${pid}/smaps`), readlinkSync(`/proc/${pid}/exe`)),
    anonymous: await megabytes(pid, "Anonymous"),
    children: shares.reduce((sum, share) => sum + share, 0),
  };
}

/** Classified by the mapped file. */
function partsOf(smaps: string, program: string): Record<Part, number> {
  const sums: Record<Part, number> = {
    program: 0,
    "code of ours": 0,
    libSQL: 0,
    "other libraries": 0,
    "heaps and stacks": 0,
  };
  let part: Part = "heaps and stacks";
  for (const line of smaps.split("\n")) {
    const [, rights, file] = /^[\da-f]+-[\da-f]+ (\S+) \S+ \S+ \S+ *(.*)$/.exec(line) ?? [];
    if (rights !== undefined) part = partOf(file ?? "", rights, program);
    const kilobytes = /^Rss: +(\d+) kB/.exec(line)?.[1];
    if (kilobytes !== undefined) sums[part] += (Number(kilobytes) * 1024) / 1e6;
  }
  return sums;
}

/** The runtime maps embedded data after its own data section, which may be writable. */
function partOf(file: string, rights: string, program: string): Part {
  if (file === program) return rights.startsWith("rw") ? "code of ours" : "program";
  if (file.includes("libsql")) return "libSQL";
  return file.startsWith("/") ? "other libraries" : "heaps and stacks";
}

async function megabytes(pid: number | string, name: string): Promise<number> {
  const text = await textOf(`/proc/${pid}/smaps_rollup`);
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024) / 1e6;
}

function textOf(path: string): Promise<string> {
  return Bun.file(path)
    .text()
    .catch(() => "");
}
