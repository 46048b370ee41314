/** Attacks on the inventory: selectors that take long over a hundred thousand devices. */
import { type Attack, flood } from "../attack.ts";
import type { AbusedService } from "../service.ts";

const perRequest = 5_000;

async function fill({ other }: AbusedService, total: number): Promise<void> {
  for (let from = 0; from < total; from += perRequest) {
    const devices = Array.from({ length: Math.min(perRequest, total - from) }, (_, index) => {
      const at = from + index;
      const host = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
      return { name: `sw-${at}-${"v".repeat(50)}`, host, driver: "noop", site: "berlin", tags: ["lab"] };
    });
    const { status, text } = await other.call("POST", "/inventory/device", { devices });
    if (status !== 200) throw new Error(`devices were not taken: ${status} ${text.slice(0, 200)}`);
  }
}

const wild = Array.from({ length: 60 }, (_, at) => `name:${"*v".repeat(24)}*x${at}*`).join(" or ");
const single = `name:${Array.from({ length: 14 }, () => `*${"?v".repeat(55)}x`).join(",")}`;

export const inventory: readonly Attack[] = [
  {
    name: "selectors",
    about: "12 clients with selectors of thousands of wildcards over 100,000 devices, half of which leave",
    prepare: (service, size) => fill(service, Math.round(100_000 * size)),
    async run({ attacker }, size) {
      const asks: ((select: string, signal: AbortSignal) => Promise<Response>)[] = [
        (select, signal) => attacker.open(`/inventory/device?select=${select}`, { signal }),
        (select, signal) => attacker.open(`/inventory/export?format=csv&select=${select}`, { signal }),
        (select, signal) => attacker.open(`/job?select=${select}`, { signal }),
        (select, signal) =>
          attacker.open("/device/bulk", {
            method: "POST",
            signal,
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({
              driver: "noop",
              command: "show",
              select: decodeURIComponent(select),
            }),
          }),
      ];
      const statuses = await flood(Math.max(12, Math.round(96 * size)), 12, async (at) => {
        const ask = asks[at % asks.length];
        const leaving = new AbortController();
        const timer = at % 2 === 0 ? undefined : setTimeout(() => leaving.abort(), 500);
        try {
          const response = await ask?.(encodeURIComponent(at % 3 === 0 ? single : wild), leaving.signal);
          await response?.text();
          return response?.status ?? 0;
        } finally {
          clearTimeout(timer);
        }
      });
      return { figures: statuses };
    },
  },
];
