/** GET /settings, GET /metrics and GET /licenses: who may see what. */
import { describe, expect, test } from "vitest";
import { callerWith, createApp, keys } from "../doubles/fixtures.ts";

const setting = {
  name: "slots",
  value: "200",
  origin: "file",
  variable: "PATCHBAY_SLOTS",
  about: "maximum number of concurrent jobs on this node",
} as const;
const app = (hosts: readonly string[] = []) =>
  createApp(
    {},
    {
      settings: () => [setting],
      licences: async () => [{ title: "Patchbay 1: Apache-2.0", text: "the text" }],
      authenticate: async (key) => ({ ...callerWith(key === keys.read ? "read" : "admin"), hosts }),
    },
  );

describe("settings", () => {
  test("are shown to an admin key that reaches all hosts", async () => {
    expect((await app().send("/settings")).body.data).toEqual([setting]);
  });

  test("and to no other key", async () => {
    expect((await app().send("/settings", { key: keys.read })).status).toBe(403);
    const limited = await app(["10.0.0.0/8"]).send("/settings");
    expect(limited.body).toMatchObject({
      code: -1,
      message: "Reading settings needs an admin key that may reach all hosts.",
    });
    expect(limited.text).not.toContain("slots");
  });
});

test("shows metrics of the whole node only to keys that reach all hosts", async () => {
  expect((await app().send("/metrics", { key: keys.read })).status).toBe(200);
  for (const key of [keys.read, keys.admin]) {
    const limited = await app(["10.0.0.0/8"]).send("/metrics", { key });
    expect([limited.status, limited.body.message]).toEqual([403, expect.stringContaining("all hosts")]);
  }
});

test("shows licences to every key", async () => {
  expect((await app(["10.0.0.0/8"]).send("/licenses", { key: keys.read })).body.data).toEqual([
    { title: "Patchbay 1: Apache-2.0", text: "the text" },
  ]);
});
