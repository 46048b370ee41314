/**
 * OTLP traces: a request, its job, attempt, session and commands form one tree, without secrets or device
 * names.
 */
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../../src/testkit/receiver.ts";
import { type Service, startService } from "../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "./devices.ts";

const attribute = v.object({ key: v.string(), value: v.record(v.string(), v.unknown()) });
const spanShape = v.object({
  traceId: v.string(),
  spanId: v.string(),
  parentSpanId: v.optional(v.string()),
  name: v.string(),
  startTimeUnixNano: v.pipe(v.string(), v.regex(/^\d{19}$/)),
  endTimeUnixNano: v.string(),
  attributes: v.array(attribute),
  status: v.object({ code: v.optional(v.number()), message: v.optional(v.string()) }),
});
const payload = v.object({
  resourceSpans: v.array(v.object({ scopeSpans: v.array(v.object({ spans: v.array(spanShape) })) })),
});
type Span = v.InferOutput<typeof spanShape>;

const spansOf = ({ received }: Receiver): Span[] =>
  received.flatMap(({ body }) =>
    v
      .parse(payload, JSON.parse(body))
      .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
const header = (trace: string, sampled: boolean) => ({
  traceparent: `00-${trace.repeat(16)}-${"cd".repeat(8)}-0${sampled ? 1 : 0}`,
});

let device: SimulatedDevice;
let collector: Receiver;
let service: Service;
beforeAll(async () => {
  device = await simulated("cisco_ios", { hostname: "SW1" });
  collector = await startReceiver(200);
  service = await startService({
    env: {
      PATCHBAY_OTLP_URL: collector.url,
      PATCHBAY_OTLP_HEADERS: "authorization=Bearer canary-token",
      PATCHBAY_OTLP_PERCENT: "0",
    },
  });
});
afterAll(async () => {
  await service.stop();
  collector.close();
  await device.stop();
});

const body = (command: string) => ({
  driver: "netmiko",
  connection_args: device.connection,
  command,
});

async function run(command: string, headers: Record<string, string>): Promise<void> {
  const { body: answer } = await service.call<{ id: string }>(
    "POST",
    "/device/execute",
    body(command),
    headers,
  );
  await service.ended(answer.data.id);
}

test("continues a caller's trace as one tree down to the commands", async () => {
  await run("show clock", header("ab", true));
  const ofTrace = () => spansOf(collector).filter(({ traceId }) => traceId === "ab".repeat(16));
  await expect
    .poll(() =>
      ofTrace()
        .map(({ name }) => name)
        .sort(),
    )
    .toEqual(["POST /device/execute", "attempt", "command", "job", "session"]);
  const parentOf = (name: string) => {
    const parent = ofTrace().find((span) => span.name === name)?.parentSpanId;
    return ofTrace().find(({ spanId }) => spanId === parent)?.name ?? parent;
  };
  expect(parentOf("command")).toBe("attempt");
  expect(parentOf("session")).toBe("attempt");
  expect(parentOf("attempt")).toBe("job");
  expect(parentOf("job")).toBe("POST /device/execute");
  expect(parentOf("POST /device/execute")).toBe("cd".repeat(8));
  expect(collector.received[0]?.headers.authorization).toBe("Bearer canary-token");
});

test("contain no address, command or secret", () => {
  const sent = collector.received.map((request) => request.body).join("\n");
  for (const word of ["127.0.0.1", "show clock", device.password, "SW1", "canary-token"])
    expect(sent).not.toContain(word);
  expect(service.output()).not.toContain("canary-token");
});

test("name the type of a failure; unsampled traces are not sent", async () => {
  await run("show nonsense", header("aa", false));
  const refused = { ...body("show clock"), connection_args: { ...body("").connection_args, port: 1 } };
  const { body: answer } = await service.call<{ id: string }>(
    "POST",
    "/device/execute",
    refused,
    header("bb", true),
  );
  await service.ended(answer.data.id);
  const failed = () =>
    spansOf(collector).filter(({ name, status }) => name === "attempt" && status.code === 2);
  await expect.poll(() => failed().map(({ status }) => status.message)).toEqual(["ConnectionRefused"]);
  expect(spansOf(collector).some(({ traceId }) => traceId === "aa".repeat(16))).toBe(false);
});

test("an unreachable collector blocks nothing, and lost spans are counted", async () => {
  const away = await startReceiver(400);
  const other = await startService({ env: { PATCHBAY_OTLP_URL: away.url, PATCHBAY_OTLP_PERCENT: "100" } });
  const job = await other.run(body("show clock"));
  expect(job.status).toBe("finished");
  await away.got(1);
  const text = async () =>
    (await fetch(`${other.url}/metrics`, { headers: { "X-API-KEY": other.key } })).text();
  await expect.poll(text).toMatch(/patchbay_trace_spans_total\{outcome="dropped"\} [1-9]/);
  expect(await other.stop()).toBe(0);
  away.close();
});
