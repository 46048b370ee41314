import { expect, test } from "vitest";
import env from "../../plugins/credentials/env/plugin.ts";
import { mayUseCredential } from "../../src/auth/credentials.ts";
import { namedCredential } from "../../src/registry/named-credential.ts";
import { sourceOf } from "./support.ts";

const kept = {
  core_username: "admin",
  core_password: "core-word",
  core_switches_password: "switch-word",
  edge_secret: "edge-word",
};

test("a reference returns the fields set for it, and no others", async () => {
  const resolve = await sourceOf(env, kept);
  expect(await resolve({ ref: "core" })).toEqual({ username: "admin", password: "core-word" });
  expect(await resolve({ ref: "core-switches" })).toEqual({ password: "switch-word" });
  expect(await resolve({ ref: "EDGE" })).toEqual({ secret: "edge-word" });
});

test("what is written in another way is the same credential: its name decides which keys may use it", async () => {
  const resolve = await sourceOf(env, kept);
  const key = { hosts: [], credentials: ["env:*", "!env:core-switches"] };
  for (const ref of ["core-switches", "core_switches", "CORE-switches", "Core_Switches"]) {
    expect(await resolve({ ref })).toEqual({ password: "switch-word" });
    const named = namedCredential(env, { name: "env", ref });
    expect([ref, named.name, mayUseCredential(key, named)]).toEqual([ref, "env:core-switches", false]);
  }
});

test("an unset reference is rejected with the variable that would set it", async () => {
  const resolve = await sourceOf(env, kept);
  await expect(resolve({ ref: "lab" })).rejects.toThrow(
    'There is no credential "lab" in the settings of this node: set PATCHBAY_PLUGIN_ENV_LAB_PASSWORD',
  );
});

test.each([{ ref: "../core" }, { ref: "" }, { ref: "core", more: 1 }, {}])(
  "%j is rejected as a reference",
  async (reference) => {
    const resolve = await sourceOf(env, kept);
    await expect(resolve(reference)).rejects.toThrow();
  },
);
