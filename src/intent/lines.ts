/** Differences by the number of devices that have them: counted device by device, in pieces that others do not notice. */
import { createHash } from "node:crypto";
import { intentLimits } from "../api/intent.ts";
import { invalid } from "../base/issues.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { createFairSemaphore } from "../base/share/fair-semaphore.ts";
import { abortReason } from "../base/time/deadline.ts";
import { giveWay } from "../base/time/yield.ts";
import type { CountedLine, Store } from "../store/port.ts";

type Asked = Parameters<Store["intents"]["lines"]>[0];

/** Devices of one piece: as many as take about so long. */
const devices = { first: 50, least: 5, most: 500 } as const;
const pieceMs = 5;
/** Each holds all lines that it has found. */
const atOnce = 2;
/** For the pages behind the first one, which so are of the same count. */
const keptMs = 60_000;
const kept = 2;

const nameOf = ({ intent, section, kind, line }: CountedLine) => `${intent}\n${section}\n${kind}\n${line}`;

export function createDriftLines(intents: Pick<Store["intents"], "lines">) {
  const turns = createFairSemaphore({ atOnce, perKey: 1 });
  const lists = createBoundedCache<{ readonly until: number; readonly lines: readonly CountedLine[] }>(kept);

  async function count(asked: Asked, whose: string, signal: AbortSignal): Promise<CountedLine[]> {
    const found = new Map<string, CountedLine>();
    let chars = 0;
    let size: number = devices.first;
    for (let at = 0; at < asked.names.length; ) {
      await giveWay(whose);
      if (signal.aborted) throw abortReason(signal);
      const names = asked.names.slice(at, at + size);
      const from = performance.now();
      const piece = await intents.lines({ ...asked, names }, intentLimits.firstDevices);
      for (const line of piece) {
        const name = nameOf(line);
        const former = found.get(name);
        if (former === undefined) chars += name.length;
        found.set(name, former === undefined ? line : sumOf(former, line));
      }
      if (found.size > intentLimits.lines || chars > intentLimits.lineChars)
        throw invalid(
          "select",
          `has devices with more than ${intentLimits.lines} different lines: ask for fewer devices, or for an \`intent\`, a \`section\` or a \`text\``,
        );
      at += names.length;
      const fitting = Math.round((size * pieceMs) / Math.max(0.1, performance.now() - from));
      size = Math.max(devices.least, Math.min(devices.most, fitting, 2 * size));
    }
    return [...found]
      .sort(([a, one], [b, other]) => other.devices - one.devices || (a < b ? -1 : 1))
      .map(([, line]) => line);
  }

  return {
    /**
     * @param isFurther a page behind the first one
     * @throws ServiceError Validation: too many different lines; TooManyRequests
     */
    async counted(
      asked: Asked,
      whose: string,
      isFurther: boolean,
      signal: AbortSignal,
    ): Promise<readonly CountedLine[]> {
      const { names, intent, section, text } = asked;
      const key = createHash("sha256")
        .update(JSON.stringify([names, intent, section, text]))
        .digest("hex");
      const former = isFurther ? lists.get(key) : undefined;
      if (former !== undefined && former.until > performance.now()) return former.lines;
      const lines = await turns.runSoon(whose, signal, () => count(asked, whose, signal));
      lists.set(key, { until: performance.now() + keptMs, lines });
      return lines;
    },
  };
}

/** Pieces come in the order of names. */
const sumOf = (one: CountedLine, other: CountedLine): CountedLine => ({
  ...one,
  devices: one.devices + other.devices,
  first:
    one.first.length < intentLimits.firstDevices
      ? [...one.first, ...other.first].slice(0, intentLimits.firstDevices)
      : one.first,
});
