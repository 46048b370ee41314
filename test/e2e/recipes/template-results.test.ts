/** Parsed data reaches the caller unchanged, with key order and number types, over every route. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

let service: Service;
let device: SimulatedDevice;

beforeAll(async () => {
  device = await simulated("cisco_ios", { hostname: "SW1" });
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  await device.stop();
});

/** JavaScript objects would reorder 10 and 20 and lose 2.0; 2**60 exceeds the precision of its numbers. */
const data = '[{"20":2.0,"10":1,"b":{"7":0.5,"3":null},"a":1152921504606846976}]';
const template = `<macro>
def keys(data):
    return [{"20": 2.0, "10": 1, "b": {"7": 0.5, "3": None}, "a": 2**60}]
</macro>
<group name="clock">
{{ time }} UTC {{ rest | ORPHRASE }}
</group>
<output macro="keys"/>`;

async function textOf(path: string, body?: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(service.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "X-API-KEY": adminKey, "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.text();
}

const operation = () => ({
  driver: "netmiko",
  command: "show clock",
  connection_args: device.connection,
  parsing: { name: "ttp", template, args: { structure: "list" } },
});

test("a parse request", async () => {
  const text = await textOf("/template/parse/ttp", { template, context: "x", args: { structure: "list" } });
  expect(text).toBe(`{"code":200,"message":"success","data":[${data}]}`);
});

test("the result of a job: by id, in a list, on a page, and with Prefer: wait", async () => {
  const result = `"result":{"type":"success","retval":{"show clock":[${data}]},"error":null}`;
  expect(await textOf("/device/execute", operation(), { Prefer: "wait=20" })).toContain(result);
  const { id } = await service.run(operation());
  for (const path of [`/job?id=${id}`, "/job", "/job?limit=2"]) expect(await textOf(path)).toContain(result);
});

test("a rendered context", async () => {
  const body = `{"template":"{{ d }} {{ d|tojson }}","context":{"d":{"20":2.0,"10":1,"a":1152921504606846976}}}`;
  const { body: answer } = await service.call("POST", "/template/render", body);
  expect(answer.data).toBe(
    "{'20': 2.0, '10': 1, 'a': 1152921504606846976} " + '{"10": 1, "20": 2.0, "a": 1152921504606846976}',
  );
});
