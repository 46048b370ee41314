/** P31 at the HTTP layer: whatever fails, no secret of a request appears in a response or in the log. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Body } from "../../../src/api/body.ts";
import {
  bulkRequest,
  executeRequest,
  parseRequest,
  renderRequest,
  testRequest,
} from "../../../src/api/jobs/request.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { checkShape } from "../../../src/jobs/request/validate.ts";
import { type Answered, createApp, keys, type LogLine } from "../doubles/fixtures.ts";

let made = 0;
const canaries: string[] = [];
beforeEach(() => {
  canaries.length = 0;
});

/** Contains quotes and a backslash, which JSON escapes. */
function canary(tail = ""): string {
  const value = `canary-${++made}-q7Zx${tail}`;
  canaries.push(value);
  return value;
}

const secretFields = () => ({
  username: "ops",
  password: canary('"\\'),
  secret: canary(),
  pkey: canary(),
  passphrase: canary(),
  proxy_password: canary(),
  proxy_pkey: canary(),
  proxy_passphrase: canary(),
  optional_args: { secret: canary() },
});

const requestWithSecrets = () => ({
  driver: "netmiko",
  connection_args: { device_type: "cisco_ios", host: "192.0.2.1", ...secretFields() },
  devices: [{ host: "192.0.2.2", ...secretFields() }],
  command: ["show version", { send: "reload", reply: canary(), hidden: true }],
  driver_args: { sudo: true, sudo_password: canary(), environment: { TOKEN: canary() } },
  options: {
    webhook: {
      url: `https://hooks.example/?token=${canary()}`,
      headers: { Authorization: `Bearer ${canary()}` },
      cookies: { session: canary() },
      auth: ["user", canary()],
      secret: canary(),
    },
  },
  template: `password ${canary()}`,
  context: { enable: canary() },
});

const forms = (value: string) => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").replace(/=+$/, ""),
  Buffer.from(value).toString("hex"),
];

function expectNoCanary(answer: Answered, lines: LogLine[]): void {
  // The raw log fields: encoding them as JSON would escape the quotes once more.
  const logged = lines.flatMap((line) => [line.event, ...valuesOf(line.fields)]);
  const everything = [answer.text, ...[...answer.headers].flat(), ...logged].join("\n");
  const found = [...canaries, ...Object.values(keys)]
    .flatMap(forms)
    .filter((form) => everything.includes(form));
  expect(found).toEqual([]);
}

const paths = [
  "/device/execute",
  "/device/bulk",
  "/device/test-connection",
  "/template/render",
  "/template/render/jinja2",
  "/template/parse",
];

/** A fake `Jobs` whose methods all do the same with a body. */
function jobsThat(act: (body: Body) => never): Partial<Jobs> {
  const run = async (body: Body) => act(body);
  return { submit: run, bulk: run, testConnection: run, render: run, parse: run };
}

const schemas = [executeRequest, bulkRequest, testRequest, renderRequest, parseRequest];
const throwing: [string, (body: Body) => never][] = [
  [
    "an error that quotes the body",
    (body) => {
      throw new Error(`cannot read ${body.text}`);
    },
  ],
  [
    "an error that quotes the values",
    (body) => {
      throw new TypeError(`unexpected ${valuesOf(body.value).join(" and ")}`);
    },
  ],
  [
    "the body itself",
    (body) => {
      throw body.text;
    },
  ],
  [
    "an internal error",
    (body) => {
      throw new ServiceError("Internal", body.text, { body: body.value });
    },
  ],
];

function valuesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(valuesOf) : [];
}

describe.each(paths)("POST %s", (path) => {
  test.each(throwing)("reveals nothing if %s is thrown", async (_name, act) => {
    const { send, lines } = createApp(jobsThat(act));
    const answer = await send(path, { body: requestWithSecrets() });
    expect(answer.status).toBe(500);
    expectNoCanary(answer, lines);
  });

  test("reveals nothing if fields have the wrong type", async () => {
    const wrap: ((text: string) => unknown)[] = [
      (text) => [text],
      (text) => ({ [text]: text }),
      (text) => ({ value: text }),
    ];
    for (const change of wrap)
      for (const schema of schemas) {
        const request: Record<string, unknown> = requestWithSecrets();
        for (const [key, value] of Object.entries(request)) {
          const twisted = { ...request, [key]: change(JSON.stringify(value)) };
          const { send, lines } = createApp(
            jobsThat(({ value: sent }) => {
              checkShape(schema, sent);
              throw new ServiceError("Forbidden", "This API key may not reach the device.");
            }),
          );
          expectNoCanary(await send(path, { body: twisted }), lines);
        }
      }
  });

  test.each<[number, string, (text: string) => string, Record<string, string>]>([
    [400, "JSON that ends early", (text) => text.slice(0, -2), {}],
    [400, "JSON with a comma too many", (text) => text.replace(/\}$/, ",}"), {}],
    [400, "two documents", (text) => `${text}${text}`, {}],
    [413, "a body over the limit", (text) => text.replace(/\}$/, `,"pad":"${"x".repeat(10_000)}"}`), {}],
    [415, "another type", (text) => text, { "content-type": "text/plain" }],
    [422, "a dangerous key", (text) => text.replace(/\}$/, ',"__proto__":{}}'), {}],
    [422, "half a character", (text) => text.replaceAll("canary-", "\\ud800canary-"), {}],
    [422, "a list", (text) => `[${text}]`, {}],
    [422, "a number too large", (text) => text.replace(/\}$/, ',"n":1e999}'), {}],
  ])("%i: tells nothing of %s", async (status, _name, twist, headers) => {
    const { send, lines } = createApp();
    const answer = await send(path, {
      method: "POST",
      body: twist(JSON.stringify(requestWithSecrets())),
      headers,
    });
    expect(answer.status).toBe(status);
    expectNoCanary(answer, lines);
  });
});

describe("the API key", () => {
  test.each<[string, (key: string) => { path: string; headers: Record<string, string> }]>([
    ["header", (key) => ({ path: "/job", headers: { "X-API-KEY": key } })],
    ["query", (key) => ({ path: `/job?X-API-KEY=${key}`, headers: {} })],
    ["cookie", (key) => ({ path: "/job", headers: { Cookie: `X-API-KEY=${key}` } })],
    ["bearer", (key) => ({ path: "/job", headers: { Authorization: `Bearer ${key}` } })],
  ])("by %s is never told, whether it is right, wrong or breaks the store", async (_name, means) => {
    const wrong = canary();
    for (const key of [keys.admin, wrong]) {
      const { path, headers } = means(key);
      const authenticate = async () => {
        throw new Error(`no such key: ${key}`);
      };
      for (const app of [createApp(), createApp({}, { authenticate })])
        for (const at of [path, path.replace("/job", "/nothing"), path.replace("/job", "/readyz")])
          for (const method of ["GET", "POST", "DELETE"])
            expectNoCanary(await app.send(at, { key: null, headers, method }), app.lines);
    }
  });
});

test("a page of jobs that fails midway does not log the key", async () => {
  const list: Jobs["list"] = async function* () {
    // A stream starts after two pieces: a failure before that is a normal response.
    yield [];
    yield [];
    throw new Error("gone");
  };
  const { app, lines } = createApp({ list });
  const request = new Request(`http://patchbay.example/job?X-API-KEY=${keys.read}`);
  await (await app.fetch(request, { from: null, extendTimeout() {}, restoreTimeout() {} }))
    .text()
    .catch(() => "");
  expect(lines.some((line) => line.event === "http.stream")).toBe(true);
  expect(JSON.stringify(lines)).not.toContain(keys.read);
});
