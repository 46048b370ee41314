/** The row `noop-sqld`: no-op jobs over HTTP, on a libSQL server, next to the store alone. */
import { startSqld } from "../../testbed/sqld.ts";
import type { SpeedRow } from "./row.ts";
import { measureNoop, storeAlone } from "./shared-noop.ts";

export default {
  name: "noop-sqld",
  title: "no-op jobs over HTTP, on a libSQL server",
  unit: "jobs/s",
  better: "more",
  goal: 4000,
  async measure({ quick }) {
    const floor = await withServer((url) => storeAlone(quick, url));
    return withServer((url) => measureNoop(quick, floor, url));
  },
} satisfies SpeedRow;

async function withServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = await startSqld();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}
