/**
 * `bun run bench:nodes-far [--quick]`: three nodes whose libSQL server is 10 ms away each way, next to three
 * nodes with a local one: jobs per second, and the latency of a single job. The delay is a TCP proxy, because
 * the kernel's own (`tc netem`) is not available everywhere. Prints JSON.
 */
import process from "node:process";
import { type SlowLine, slowLine } from "../testbed/slow-line.ts";
import { startLibsql, startNodes } from "./rows/shared-nodes.ts";

const quick = process.argv.includes("--quick");
const roundTripMs = 20;
const lines: SlowLine[] = [];

async function behindLine(url: string): Promise<string> {
  const line = await slowLine(Number(new URL(url).port), roundTripMs);
  lines.push(line);
  return `http://127.0.0.1:${line.port}`;
}

async function measure(addressOf?: (url: string) => Promise<string>): Promise<object> {
  const shared = await startNodes(() => startLibsql(addressOf));
  try {
    await shared.grow(3);
    await shared.run(quick ? 1 : 4);
    const { jobsPerS: rate } = await shared.run(quick ? 2 : 10);
    const waits: number[] = [];
    for (let n = 0; n < (quick ? 30 : 150); n++) {
      const body = { driver: "noop", connection_args: { host: `h${n}` }, command: "show version" };
      const from = performance.now();
      const answer = await shared.nodes[n % 3]?.call("POST", "/device/execute", body, 60);
      if (!(await answer?.text())?.includes('"finished"')) throw new Error("a job did not end well");
      waits.push(performance.now() - from);
    }
    waits.sort((a, b) => a - b);
    const at = (share: number) => Math.round((waits[Math.floor(waits.length * share)] ?? 0) * 10) / 10;
    return { jobs_per_s: Math.round(rate), job_alone_ms: { p50: at(0.5), p99: at(0.99) } };
  } finally {
    await shared.stop();
  }
}

const near = await measure();
const far = await measure(behindLine);
for (const line of lines) line.close();
console.log(JSON.stringify({ bench: "nodes-far", quick, round_trip_ms: roundTripMs, near, far }, null, 2));
process.exit(0);
