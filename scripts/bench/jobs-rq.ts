/** Redis with python3-rq for comparison: the same no-op jobs on the same machine in the same run. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/testkit/port.ts";

const python = "/usr/bin/python3";
const redisServer = "/usr/bin/redis-server";

/**
 * @returns jobs per second of one fork worker and one simple worker; undefined if the packages are not
 * installed.
 */
export async function measureRq(jobs: number): Promise<Record<string, number> | undefined> {
  const present =
    spawnSync(python, ["-c", "import rq"]).status === 0 && spawnSync(redisServer, ["--version"]).status === 0;
  if (!present) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "bench-rq-"));
  const port = await freePort();
  // Debian's default configuration: snapshots only, so Redis does not write each job to disk as we do.
  const redis = spawn(redisServer, ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder], {
    stdio: "ignore",
  });
  writeFileSync(join(folder, "noop.py"), "def nothing(host):\n    return {'show version': 'ok'}\n");
  writeFileSync(join(folder, "bench.py"), script(port, jobs));
  try {
    const run = spawnSync(python, ["bench.py"], { cwd: folder, encoding: "utf8", timeout: 300_000 });
    if (run.status !== 0) throw new Error(run.stderr);
    return JSON.parse(run.stdout.trim().split("\n").at(-1) ?? "{}");
  } finally {
    redis.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

function script(port: number, jobs: number): string {
  return `import json, logging, time
from redis import Redis
from rq import Queue, Worker, SimpleWorker
import noop
logging.disable(logging.CRITICAL)
redis = Redis(port=${port})
for _ in range(100):
    try:
        redis.ping(); break
    except Exception:
        time.sleep(0.05)
figures = {}
for name, kind, count in (("fork", Worker, ${jobs}), ("simple", SimpleWorker, ${jobs * 5})):
    queue = Queue(name, connection=redis)
    began = time.perf_counter()
    for at in range(count):
        queue.enqueue(noop.nothing, "h%d" % at)
    submitted = time.perf_counter()
    kind([queue], connection=redis).work(burst=True)
    ended = time.perf_counter()
    figures[name + "_submissions_per_s"] = round(count / (submitted - began))
    figures[name + "_jobs_per_s"] = round(count / (ended - submitted))
print(json.dumps(figures))
`;
}
