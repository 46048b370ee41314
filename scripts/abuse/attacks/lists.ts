/** Attacks on reads: lists of large results, and clients that do not read. */
import { type Attack, flood, pause, tally } from "../attack.ts";
import { head, openRaw, type Raw } from "../raw.ts";
import { type AbusedService, bulk, idle, job } from "../service.ts";

/** Creates `count` jobs of the attacker, each with a result of one megabyte. */
async function largeResults({ attacker }: AbusedService, count: number): Promise<void> {
  const statuses = await flood(count, 8, async (at) => {
    const { status } = await attacker.call("POST", "/device/execute", job(`l${at}`, "bytes 1000000"));
    return status;
  });
  if (statuses["201"] !== count) throw new Error(`jobs were not taken: ${JSON.stringify(statuses)}`);
  await idle(attacker);
}

function silentReaders({ port, attacker }: AbusedService, count: number, path: string): Raw[] {
  return Array.from({ length: count }, () =>
    openRaw(head("GET", path, { "X-API-KEY": attacker.key }), { port }),
  );
}

async function readWhole({ attacker }: AbusedService, path: string): Promise<number> {
  const response = await attacker.open(path);
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return bytes;
}

const large = (size: number) => Math.round(1_500 * size);

export const lists: readonly Attack[] = [
  {
    name: "list",
    about: "one list of 1,500 jobs of a megabyte each, read to the end",
    prepare: (service, size) => largeResults(service, large(size)),
    async run(service, size) {
      const megabytes = Math.round((await readWhole(service, "/job?status=finished")) / 1e6);
      const short = megabytes < large(size) ? ["the list was not whole"] : [];
      return { figures: { megabytes }, breaches: short };
    },
  },
  {
    name: "unread-lists",
    about: "10, 20, then 40 clients that request those lists and do not read",
    prepare: (service, size) => largeResults(service, large(size)),
    async run(service, size) {
      const readers: Raw[] = [];
      for (const count of [10, 20, 40]) {
        readers.push(...silentReaders(service, count, "/job?status=finished"));
        await pause(200 + 8_000 * size);
      }
      const open = readers.filter((one) => !one.closed()).length;
      for (const reader of readers) reader.end();
      return { figures: { readers: readers.length, open } };
    },
  },
  {
    name: "unread-pages",
    about: "pages of 500 and single records of 10 MB that the client does not read",
    async prepare(service, size) {
      await largeResults(service, large(size) / 3);
      for (let at = 0; at < 3; at++)
        await service.attacker.call(
          "POST",
          "/device/execute",
          job(`big${at}`, `bytes ${Math.round(1e7 * Math.max(0.3, size))}`),
        );
      await idle(service.attacker);
    },
    async run(service, size) {
      const { text } = await service.attacker.call("GET", "/job?host=big0&status=finished&limit=1");
      const id = /"id":"([^"]+)"/.exec(text)?.[1] ?? "";
      const readers = [
        ...silentReaders(service, 20, "/job?limit=500"),
        ...silentReaders(service, 20, `/job?id=${id}`),
      ];
      await pause(200 + 10_000 * size);
      for (const reader of readers) reader.end();
      return { figures: { readers: readers.length, found: id === "" ? "no" : "yes" } };
    },
  },
  {
    name: "waiting",
    about: "thousands of submissions with Prefer: wait on a device that does not answer",
    async run(service, size) {
      const count = Math.round(3_000 * size);
      const wait = { Prefer: `wait=${Math.round(2 + 8 * size)}` };
      // Not `fetch`, which allows at most 256 concurrent requests.
      const waiting = Array.from({ length: count }, (_, at) => {
        const body = JSON.stringify(job(`w${at}`, "wait 600000", { ttl: 15 }));
        const headers = {
          ...wait,
          "X-API-KEY": service.attacker.key,
          "Content-Type": "application/json",
          "Content-Length": String(body.length),
        };
        const text = head("POST", "/device/execute", headers) + body;
        return openRaw(text, { port: service.port, read: true });
      });
      await pause(4_000 + 10_000 * size);
      const statuses = tally(waiting.map((one) => one.text().slice(9, 12) || "none"));
      for (const one of waiting) one.end();
      await service.attacker.call("DELETE", "/job?queue=fifo&force=true");
      return { figures: statuses };
    },
    // The other key's jobs need a free slot; hoarding slots is a case for fair scheduling, not for this
    // attack.
    env: { PATCHBAY_SLOTS: "5000" },
  },
  {
    name: "cancel",
    about: "40,000 queued jobs cancelled by one request",
    env: { PATCHBAY_SLOTS: "4" },
    async run({ attacker, other }, size) {
      const wanted = Math.round(40_000 * size);
      const hang = { command: "wait 600000", options: { ttl: 900, queue_strategy: "fifo" } };
      const devices = Array.from({ length: Math.min(wanted, 10_000) }, () => ({ host: "192.0.2.1" }));
      const took: number[] = [];
      for (let left = wanted; left > 0; left -= devices.length) {
        const answer = await attacker.call("POST", "/device/bulk", { ...bulk(0, hang), devices });
        took.push(answer.status);
      }
      const from = performance.now();
      const answer = await attacker.call("DELETE", "/job?host=192.0.2.1&force=true");
      const ms = Math.round(performance.now() - from);
      const ids: unknown[] = answer.status === 200 ? JSON.parse(answer.text).data : [];
      await idle(other);
      const breaches =
        ids.length === wanted ? [] : [`${ids.length} of ${wanted} cancelled, status ${answer.status}`];
      return { figures: { ...tally(took), cancelled: ids.length, ms }, breaches };
    },
  },
];
