/** The webhook `basic`: its options, the request it sends, the signature, and which responses count as success. */
import { createHmac } from "node:crypto";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { options as optionsSchema } from "../../../plugins/webhooks/basic/options.ts";
import plugin from "../../../plugins/webhooks/basic/plugin.ts";
import deliver, { signature } from "../../../plugins/webhooks/basic/webhook.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/plugin/index.ts";
import { taskContext } from "../../plugin/context.ts";

const url = "https://hooks.example/in";
const payload = '{"event":"job.finished"}';
const notUsed = () => Promise.reject(new Error("not used"));

async function attempt(callersOptions: Record<string, unknown>, status = 200) {
  const requests: { url: string; request: HttpRequest }[] = [];
  const answer: HttpAnswer = { status, headers: {}, body: "" };
  const delivered = await deliver(
    {
      options: v.parse(optionsSchema, { url, ...callersOptions }),
      payload,
      settings: {},
      log: taskContext().log,
      files: { localFile: notUsed, localFolder: notUsed, keyFile: notUsed, discoverKeys: notUsed },
      http: {
        async request(to, request) {
          requests.push({ url: to, request });
          return answer;
        },
        session: notUsed,
      },
    },
    taskContext(),
  );
  return { delivered, requests };
}

describe("the options of a webhook", () => {
  test.each([
    ["no URL", {}, "url"],
    ["another scheme", { url: "ftp://hooks.example" }, "url"],
    ["a read-only method", { url, method: "GET" }, "method"],
    [
      "a header that frames the message",
      { url, headers: { "Content-Length": "1" } },
      "headers.Content-Length",
    ],
    ["a line break in a header", { url, headers: { "X-A": "a\r\nX-B: b" } }, "headers.X-A"],
    ["a timeout of zero", { url, timeout: 0 }, "timeout"],
    ["an event that does not exist", { url, events: ["job.begun"] }, "events.0"],
    ["an empty secret", { url, secret: "" }, "secret"],
    ["no events", { url, events: [] }, "events"],
    ["a login of three parts", { url, auth: ["user", "password", "x"] }, "auth.2"],
  ])("are rejected with %s", (_what, given, path) => {
    const result = v.safeParse(optionsSchema, given);
    expect(result.issues?.map((issue) => v.getDotPath(issue))).toContain(path);
  });

  test("become its delivery plan", () => {
    const chosen = v.parse(optionsSchema, {
      url,
      max_retries: 1,
      retry_intervals: [5],
      events: ["job.failed"],
    });
    expect(plugin.plan(chosen)).toEqual({
      receiver: "https://hooks.example",
      retries: 1,
      intervals: [5],
      timeout: 5,
      events: ["job.failed"],
      includeResult: true,
    });
  });
});

test("default if null, and accept numbers as strings", () => {
  const unset = { name: null, method: null, headers: null, cookies: null, auth: null, events: null };
  const chosen = v.parse(optionsSchema, {
    ...{ ...unset, retry_intervals: null, include_result: null, secret: null },
    ...{ url, timeout: "7.5", max_retries: "1" },
  });
  expect(chosen).toMatchObject({ name: "basic", method: "POST", timeout: 7.5, include_result: true });
  expect(plugin.plan(chosen)).toMatchObject({ retries: 1, intervals: [10, 30, 120] });
  expect(v.parse(optionsSchema, { url, auth: ["user", ""] }).auth?.[0]).toBe("user");
});

describe("a webhook delivery", () => {
  test("sends the message as JSON with the given headers, cookies and login", async () => {
    const { requests } = await attempt({
      method: "PUT",
      headers: { "X-Team": "core" },
      cookies: { a: "1", b: "2" },
      auth: ["robot", "pass-word"],
      timeout: 2,
    });
    const { headers, ...request } = requests[0]?.request ?? {};
    expect(requests[0]?.url).toBe(url);
    expect(request).toMatchObject({ method: "PUT", body: payload, timeoutMs: 2_000 });
    expect(headers).toEqual({
      "Content-Type": "application/json",
      "User-Agent": "patchbay",
      "X-Team": "core",
      Cookie: "a=1; b=2",
      Authorization: `Basic ${Buffer.from("robot:pass-word").toString("base64")}`,
    });
  });

  test("is signed over time and body if there is a secret", async () => {
    const { requests } = await attempt({ secret: "shared-word" });
    const signed = String(requests[0]?.request.headers?.["X-Patchbay-Signature"]);
    const seconds = /^t=(\d+),/.exec(signed)?.[1] ?? "";
    const hash = createHmac("sha256", "shared-word").update(`${seconds}.${payload}`).digest("hex");
    expect(signed).toBe(`t=${seconds},v1=${hash}`);
    expect(signature("shared-word", payload, 1_999)).not.toBe(signature("shared-word", payload, 2_000));
    expect(signature("shared-word", payload, 2_000)).toBe(signature("shared-word", payload, 2_999));
  });

  test.each([
    [200, { ok: true, status: 200 }],
    [204, { ok: true, status: 204 }],
    [301, { ok: false, status: 301, message: "answered 301" }],
    [500, { ok: false, status: 500, message: "answered 500" }],
  ])("is judged by its status: %i", async (status, expected) => {
    expect((await attempt({}, status)).delivered).toEqual(expected);
  });
});
