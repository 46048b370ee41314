/** NAPALM's recorded devices: runs each case as a job of the napalm driver on a replay device. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as v from "valibot";
import type { JobRecord } from "../../src/api/jobs/job.ts";
import { pause } from "../../src/base/time/deadline.ts";
import type { Service } from "../../src/testkit/service.ts";
import {
  login,
  type ReplayCase,
  type ReplayDevice,
  replayCases,
  replayFolder,
  startReplay,
} from "../testbed/replay.ts";
import { each, type Outcome } from "./ask.ts";

export const recordedDrivers: readonly string[] = [...new Set(replayCases().map(({ driver }) => driver))];

const expectation = v.object({
  call: v.looseObject({ method: v.string(), kwargs: v.record(v.string(), v.unknown()) }),
  expected: v.unknown(),
});

/** The conformance test's own comparison. */
async function comparison() {
  const { difference, expectations } = v.parse(
    v.looseObject({ difference: v.function(), expectations: v.function() }),
    await import(pathToFileURL(join(replayFolder(), "compare.mjs")).href),
  );
  return {
    expectations: (one: ReplayCase) => v.parse(v.array(expectation), expectations(one)),
    difference: (expected: unknown, given: unknown, shift: number | undefined) =>
      v.parse(v.optional(v.string()), difference(expected, given, { shift })),
  };
}

export interface ReplayWay {
  /** HTTP instead of HTTPS, if the device supports it. */
  readonly plain?: boolean;
}

/** @returns the reason for each case that fails */
export async function recorded(
  service: Pick<Service, "call" | "ended">,
  driver: string,
  width: number,
  way: ReplayWay = {},
): Promise<Outcome[]> {
  const compare = await comparison();
  const cases = replayCases().filter((one) => one.driver === driver);
  return each(cases, width, async (one) => {
    const device = await startReplay(one);
    try {
      for (const { call, expected } of compare.expectations(one)) {
        const job = await asked(service, requestOf(one, call, device, way));
        if (job.status !== "finished") return { id: one.id, why: job.result?.error?.message ?? job.status };
        const clock = v.parse(v.optional(v.number()), one.clock);
        const shift = clock === undefined ? undefined : Date.now() / 1000 - clock;
        const why = compare.difference(expected, job.result?.retval?.[call.method], shift);
        if (why !== undefined) return { id: one.id, why };
      }
      return { id: one.id };
    } finally {
      await device.close();
    }
  });
}

const attempts = 5;
const againMs = 1_000;

/** Retries a request that a busy store refused. */
async function asked(service: Pick<Service, "call" | "ended">, body: object): Promise<JobRecord> {
  for (let attempt = 1; ; attempt++) {
    const { status, body: answer } = await service.call<{ id: string }>("POST", "/device/execute", body);
    if (status === 201) return service.ended(answer.data.id);
    if (status !== 503 || attempt === attempts)
      throw new Error(`submission failed: ${status} ${JSON.stringify(answer)}`);
    await pause(againMs);
  }
}

/** The request of a caller. */
function requestOf(
  { driver }: ReplayCase,
  { method, kwargs }: v.InferOutput<typeof expectation>["call"],
  { port, http_port }: ReplayDevice,
  { plain = false }: ReplayWay,
) {
  const overHttp = http_port === undefined ? {} : { transport: plain ? "http" : "https" };
  return {
    driver: "napalm",
    connection_args: {
      device_type: driver,
      hostname: "127.0.0.1",
      username: login.username,
      password: login.password,
      optional_args: {
        port: plain && http_port !== undefined ? http_port : port,
        secret: login.secret,
        ...overHttp,
      },
    },
    command: method,
    driver_args: { kwargs },
    options: { queue_strategy: "fifo" },
  };
}
