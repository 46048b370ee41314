/** Exports spans in the background in batches from a bounded queue; counts and drops what cannot be sent. */
import { otlpJson, type Span } from "./otlp.ts";

export interface ExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: Readonly<Record<string, string>>;
  /** Called when exporting starts to fail, and when it recovers. */
  onState(working: boolean, reason: string): void;
  readonly maxQueued?: number;
  readonly everyMs?: number;
}

export interface Exporter {
  add(span: Span): void;
  counts(): { readonly sent: number; readonly dropped: number };
  stop(): Promise<void>;
}

const maxAtOnce = 512;
const answerMs = 10_000;
const lastMs = 2_000;
/** Status codes after which the batch is retried. */
const again = new Set([429, 502, 503, 504]);

export function createExporter(options: ExporterOptions): Exporter {
  const { url, headers, service, onState, maxQueued = 8_192, everyMs = 2_000 } = options;
  const queue: Span[] = [];
  let sent = 0;
  let dropped = 0;
  let working = true;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;

  function state(now: boolean, reason: string): void {
    if (now !== working) onState(now, reason);
    working = now;
  }

  async function post(spans: readonly Span[], limitMs: number): Promise<"taken" | "again" | "refused"> {
    try {
      const response = await fetch(url, {
        method: "POST",
        redirect: "error",
        headers: { "Content-Type": "application/json", ...headers },
        body: otlpJson(spans, service),
        signal: AbortSignal.timeout(limitMs),
      });
      await response.body?.cancel();
      state(response.ok, `it answered with ${response.status}`);
      return response.ok ? "taken" : again.has(response.status) ? "again" : "refused";
    } catch (error) {
      state(false, error instanceof Error ? error.message : String(error));
      return "again";
    }
  }

  /** Sends until the queue is empty or the receiver refuses. */
  async function flush(limitMs: number): Promise<void> {
    while (queue.length > 0) {
      const spans = queue.slice(0, maxAtOnce);
      const outcome = await post(spans, limitMs);
      if (outcome === "again") return;
      queue.splice(0, spans.length);
      if (outcome === "taken") sent += spans.length;
      else dropped += spans.length;
    }
  }

  function later(): void {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      sending = flush(answerMs).finally(() => {
        sending = undefined;
        if (queue.length > 0) later();
      });
    }, everyMs);
  }

  return {
    add(span) {
      if (queue.length >= maxQueued || stopped) {
        dropped++;
        return;
      }
      queue.push(span);
      if (sending === undefined) later();
    },
    counts: () => ({ sent, dropped }),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.race([sending, new Promise((resolve) => setTimeout(resolve, lastMs))]);
      if (sending === undefined) await flush(lastMs);
      dropped += queue.splice(0).length;
    },
  };
}
