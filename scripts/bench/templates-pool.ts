/**
 * What the service adds to a small render: HTTP and the round trip to a template process; and the savings of
 * the template cache.
 */

import { adminKey, startService } from "../../src/testkit/service.ts";
import { createRender } from "./templates-task.ts";
import { median } from "./templates-work.ts";

const warmUp = 1_000;
const measured = 2_000;
const source = "interface {{ name }}\n description {{ about | upper }}\n";
const context = { name: "Loopback7", about: "uplink" };

/** Milliseconds; sequential requests. */
export interface PoolFigures {
  readonly requests: number;
  /** p50 of `POST /template/render`, and of the same task in process. */
  readonly http: number;
  readonly inProcess: number;
  readonly onTop: number;
  readonly httpP99: number;
  /** The first render after the start of the service. */
  readonly firstRequest: number;
  /** p50 of a template that is in no cache, over HTTP and in process. */
  readonly newTemplateHttp: number;
  readonly newTemplateInProcess: number;
}

export async function measurePool(): Promise<PoolFigures> {
  const service = await startService({ env: { PATCHBAY_LOG_LEVEL: "warn" } });
  try {
    const overHttp = async (template: string) => {
      const response = await fetch(`${service.url}/template/render`, {
        method: "POST",
        headers: { "X-API-KEY": adminKey, "Content-Type": "application/json" },
        body: JSON.stringify({ template, context }),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(text);
    };
    const render = createRender();
    const contextJson = JSON.stringify(context);
    const inProcess = (template: string) => render(template, contextJson);
    const firstRequest = await timed(() => overHttp(source));
    const same = () => source;
    const other = (n: number) => `{# ${n} #}${source}`;
    const http = await sample(overHttp, same);
    const own = await sample(inProcess, same);
    return {
      requests: measured,
      http: round(median(http)),
      inProcess: round(median(own)),
      onTop: round(median(http) - median(own)),
      httpP99: round([...http].sort((a, b) => a - b)[Math.floor(http.length * 0.99)] ?? 0),
      firstRequest: round(firstRequest),
      newTemplateHttp: round(median(await sample(overHttp, other))),
      newTemplateInProcess: round(median(await sample(inProcess, other))),
    };
  } finally {
    await service.stop();
  }
}

async function sample(
  work: (template: string) => Promise<unknown>,
  template: (n: number) => string,
): Promise<number[]> {
  for (let n = 0; n < warmUp; n++) await work(template(-n));
  const all: number[] = [];
  for (let n = 0; n < measured; n++) all.push(await timed(() => work(template(n + 1))));
  return all;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;
