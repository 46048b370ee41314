/** Attacks on a service with many stored jobs: exports that are not read, and filters that find nothing. */
import { type Attack, flood, pause, tally } from "../attack.ts";
import { head, openRaw } from "../raw.ts";

const longAnswers = ["/job/export?format=zip", "/job/export?format=csv", "/job/export", "/job"];

/** No single index answers these, and no job fits: all stored jobs are looked through. */
const wideFilters = [
  "status=failed&driver=none",
  "error_type=ReadTimeout&operation=config",
  "driver=none",
  "status=failed&queue=none",
  "status=failed&tag=none",
];

function unread(name: string, paths: readonly string[]): Attack {
  return {
    name,
    about: `24 exports of all stored jobs that are not read: ${paths.join(", ")}`,
    stored: 60_000,
    async run({ port, attacker }, size) {
      const readers = Array.from({ length: 24 }, (_, at) => {
        const path = paths[at % paths.length] ?? "";
        return openRaw(head("GET", path, { "X-API-KEY": attacker.key }), { port });
      });
      await pause(2_000 + 18_000 * size);
      const open = readers.filter((one) => !one.closed()).length;
      for (const reader of readers) reader.end();
      return { figures: { readers: readers.length, open } };
    },
  };
}

export const stored: readonly Attack[] = [
  unread("unread-zips", longAnswers.slice(0, 1)),
  unread("unread-exports", longAnswers),
  {
    name: "read-exports",
    about: "16 exports of all stored jobs side by side, read to the end",
    stored: 60_000,
    async run({ attacker }) {
      const statuses: number[] = [];
      const one = async (_: unknown, at: number) => {
        const response = await attacker.open(longAnswers[at % longAnswers.length] ?? "");
        for await (const _chunk of response.body ?? []);
        statuses.push(response.status);
      };
      await Promise.all(Array.from({ length: 16 }, one));
      const counts = tally(statuses);
      return { figures: counts, breaches: counts["200"] === 16 ? [] : ["an export was not whole"] };
    },
  },
  {
    name: "wide-filters",
    about: "16 lists at once whose filters no index answers, and that find nothing",
    stored: 60_000,
    async run({ attacker }, size) {
      const statuses = await flood(
        Math.max(40, Math.round(600 * size)),
        16,
        async (at) =>
          (await attacker.call("GET", `/job?${wideFilters[at % wideFilters.length]}&limit=50`)).status,
      );
      return { figures: statuses };
    },
  },
];
