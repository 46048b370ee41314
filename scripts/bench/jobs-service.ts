/** The whole service as a child process, with a no-op driver on its real threads, driven over HTTP. */
import { type BenchService, startService } from "./service.ts";

/** Source of a no-op driver. */
export const noopDriver = `import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
export default defineDriver({
  name: "noop", connection: any, query: any, configure: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  open: async () => ({ query: async () => "ok", configure: async () => "ok" }),
});
`;

export async function measureService(jobs: number): Promise<object> {
  const service = await startService(noopDriver);
  try {
    const figures: Record<string, number> = {};
    for (const queue_strategy of ["fifo", "pinned"]) {
      const from = performance.now();
      let next = 0;
      const submit = async () => {
        while (next < jobs) {
          const host = `h${next++ % 500}`;
          const answer = await service.call("POST", "/device/execute", {
            driver: "noop",
            connection_args: { host },
            command: "show version",
            options: { queue_strategy },
          });
          if (answer.status !== 201) throw new Error(await answer.text());
          await answer.arrayBuffer();
        }
      };
      await Promise.all(Array.from({ length: 32 }, submit));
      const submitted = performance.now();
      while (!(await idle(service))) await Bun.sleep(5);
      figures[`${queue_strategy}_submissions_per_s`] = Math.round(jobs / ((submitted - from) / 1000));
      figures[`${queue_strategy}_jobs_per_s`] = Math.round(jobs / ((performance.now() - from) / 1000));
    }
    return figures;
  } finally {
    await service.stop();
  }
}

async function idle({ call }: BenchService): Promise<boolean> {
  for (const status of ["queued", "running"]) {
    const text = await (await call("GET", `/job?status=${status}&limit=1`)).text();
    if (!text.includes('"data":[]')) return false;
  }
  return true;
}
