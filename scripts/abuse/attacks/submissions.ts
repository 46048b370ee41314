/** Attacks on the queue: concurrent bulks, repeated bulks, growing bulks. */
import { type Attack, flood, tally } from "../attack.ts";
import { type AbusedService, bulk, idle } from "../service.ts";

async function queuedCount({ attacker }: AbusedService): Promise<number> {
  const { text } = await attacker.call("GET", "/job?host=held&status=queued");
  return (JSON.parse(text).data as unknown[]).length;
}

export const submissions: readonly Attack[] = [
  {
    name: "bulks-at-once",
    about: "20 concurrent bulks of 150 against limits of 300 and 200",
    env: { PATCHBAY_SLOTS: "1", PATCHBAY_MAX_QUEUED: "300", PATCHBAY_MAX_QUEUED_PER_KEY: "200" },
    async run(service) {
      const { attacker } = service;
      const hold = await attacker.call("POST", "/device/bulk", {
        ...bulk(1, { command: "wait 600000", options: { ttl: 600 } }),
      });
      const body = bulk(0, { options: { ttl: 600 }, command: "wait 600000" }) as object;
      const devices = Array.from({ length: 150 }, () => ({ host: "held" }));
      const statuses = await flood(
        20,
        20,
        async () => (await attacker.call("POST", "/device/bulk", { ...body, devices })).status,
      );
      const queued = await queuedCount(service);
      await attacker.call("DELETE", "/job?queue=fifo&force=true");
      const exact = statuses["200"] === 1 && statuses["429"] === 19 && queued >= 149 && queued <= 150;
      const breaches = exact ? [] : [`${queued} queued, ${JSON.stringify(statuses)}`];
      return { figures: { hold: hold.status, queued, ...statuses }, breaches };
    },
  },
  {
    name: "bulks-side-by-side",
    about: "20 bulks of 10,000 at the same moment, each of which is answered or told when to come again",
    async run({ attacker, other }, size) {
      const count = Math.round(10_000 * size);
      const breaches = new Set<string>();
      const statuses = await flood(20, 20, async (at) => {
        const { status, retryAfter } = await attacker.call(
          "POST",
          "/device/bulk",
          bulk(count, {}, at * count),
        );
        if (status === 429 && retryAfter === undefined) breaches.add("429 without Retry-After");
        else if (status !== 200 && status !== 429) breaches.add(`a bulk was answered ${status}`);
        return status;
      });
      if (statuses.cut !== undefined) breaches.add(`${statuses.cut} bulks had no answer`);
      await attacker.call("DELETE", "/job?queue=fifo");
      await idle(other);
      return { figures: statuses, breaches: [...breaches] };
    },
  },
  {
    name: "bulk-flood",
    about: "10 concurrent bulks of 10,000, repeatedly",
    async run({ attacker, other }, size) {
      const body = JSON.stringify(bulk(Math.round(10_000 * size)));
      const statuses = await flood(
        Math.max(10, Math.round(30 * size)),
        10,
        async () =>
          (await attacker.call("POST", "/device/bulk", body, { "Content-Type": "application/json" })).status,
      );
      await attacker.call("DELETE", "/job?queue=fifo");
      await idle(other);
      return { figures: statuses };
    },
  },
  {
    name: "same-key",
    about: "the same bulk and Idempotency-Key every 20 ms",
    async run({ attacker, other }, size) {
      const count = Math.round(1_500 * size);
      const body = JSON.stringify(bulk(Math.round(10_000 * size)));
      const headers = { "Content-Type": "application/json", "Idempotency-Key": "again" };
      const seen = new Set<string>();
      const one = async () => {
        const answer = await attacker.call("POST", "/device/bulk", body, headers);
        const id = /"bulk_id":"([^"]+)"/.exec(answer.text)?.[1];
        if (id !== undefined) seen.add(id);
        return answer.status as number | string;
      };
      const all: Promise<number | string>[] = [];
      for (let at = 0; at < count; at++) {
        all.push(one().catch(() => "cut"));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const statuses = tally(await Promise.all(all));
      await attacker.call("DELETE", "/job?queue=fifo");
      await idle(other);
      const breaches = seen.size === 1 ? [] : [`${seen.size} bulks were made of one Idempotency-Key`];
      return { figures: statuses, breaches };
    },
  },
  {
    name: "warnings",
    about: "thousands of unknown fields, for thousands of devices",
    async run({ attacker, other }, size) {
      const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`unknown_field_${at}`, 1]));
      const count = Math.round(1_400 * size);
      const statuses = await flood(10, 5, async () => {
        const answer = await attacker.call("POST", "/device/bulk", bulk(count, { driver_args: fields }));
        return answer.status;
      });
      await attacker.call("DELETE", "/job?queue=fifo");
      await idle(other);
      return { figures: statuses };
    },
  },
  {
    name: "shared-text",
    about: "a small body whose text is copied to thousands of devices",
    async run({ attacker, other }, size) {
      const config = "x".repeat(6_000);
      const { command: _command, ...request } = bulk(10_000) as { command: string };
      const fits = JSON.stringify({ ...request, config });
      const grows = JSON.stringify({ ...request, config: config.repeat(100) });
      const headers = { "Content-Type": "application/json" };
      const statuses = await flood(
        Math.max(4, Math.round(16 * size)),
        8,
        async (at) => (await attacker.call("POST", "/device/bulk", at % 2 ? grows : fits, headers)).status,
      );
      await attacker.call("DELETE", "/job?queue=fifo");
      await idle(other);
      return { figures: statuses };
    },
  },
];
