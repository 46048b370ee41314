/** The whole service as a child, with a driver that does nothing on its real threads, driven over HTTP. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { freePort } from "../../src/testkit/port.ts";

const key = "bench-key-0123456789";

const plugin = `import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
export default defineDriver({
  name: "noop", connection: any, query: any, configure: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  open: async () => ({ query: async () => "ok", configure: async () => "ok" }),
});
`;

export async function measureService(jobs: number): Promise<object> {
  const data = mkdtempSync(join(tmpdir(), "bench-service-"));
  mkdirSync(join(data, "plugins"));
  writeFileSync(join(data, "plugins", "noop.ts"), plugin);
  const port = await freePort();
  const child = Bun.spawn([process.execPath, "src/main.ts", "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      PATCHBAY_DATA_DIR: data,
      PATCHBAY_LISTEN: `127.0.0.1:${port}`,
      PATCHBAY_API_KEY: key,
      PATCHBAY_LOG_LEVEL: "error",
    },
    stdout: "inherit",
    stderr: "inherit",
  });
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { "X-API-KEY": key, "Content-Type": "application/json" },
    });
  try {
    for (let turn = 0; turn < 500; turn++) {
      if (
        await call("/health").then(
          (answer) => answer.ok,
          () => false,
        )
      )
        break;
      await Bun.sleep(20);
    }
    const figures: Record<string, number> = {};
    for (const queue_strategy of ["fifo", "pinned"]) {
      const from = performance.now();
      let next = 0;
      const submit = async () => {
        while (next < jobs) {
          const host = `h${next++ % 500}`;
          const body = JSON.stringify({
            driver: "noop",
            connection_args: { host },
            command: "show version",
            options: { queue_strategy },
          });
          const answer = await call("/device/execute", { method: "POST", body });
          if (answer.status !== 201) throw new Error(await answer.text());
          await answer.arrayBuffer();
        }
      };
      await Promise.all(Array.from({ length: 32 }, submit));
      const submitted = performance.now();
      while (!(await idle(call))) await Bun.sleep(5);
      figures[`${queue_strategy}_submissions_per_s`] = Math.round(jobs / ((submitted - from) / 1000));
      figures[`${queue_strategy}_jobs_per_s`] = Math.round(jobs / ((performance.now() - from) / 1000));
    }
    return figures;
  } finally {
    child.kill();
    await child.exited;
    rmSync(data, { recursive: true, force: true });
  }
}

async function idle(call: (path: string) => Promise<Response>): Promise<boolean> {
  for (const status of ["queued", "running"]) {
    const text = await (await call(`/job?status=${status}&limit=1`)).text();
    if (!text.includes('"data":[]')) return false;
  }
  return true;
}
