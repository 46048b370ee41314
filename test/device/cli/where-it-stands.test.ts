/**
 * Promise P39: whatever the device's name, modes, delays and packet boundaries, a push only finishes in the
 * context where it began, a correct password is never reported as refused, and a kept session carries nothing
 * from one job to the next.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import cisco from "../../../plugins/platforms/cisco.ts";
import type { ServiceError } from "../../../src/base/errors.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { CliSession } from "../../../src/plugin/kit/cli.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { type Model, type ModelDevice, modelDevice } from "./model-device.ts";
import { openOptions, push } from "./open-options.ts";
import { testContext } from "./test-context.ts";

const letters = "abcXYZ019";
const hostname = fc
  .tuple(
    fc.constantFrom(...letters),
    fc.string({ unit: fc.constantFrom(...letters, ..."-_.&~*+:,|^"), maxLength: 40 }),
    fc.constantFrom(...letters),
  )
  .map((parts) => parts.join(""));
const mode = fc.oneof(
  fc.constantFrom(
    "dhcp-config",
    "ca-trustpoint",
    "cfg-crypto-trans",
    "config-if-Et1,3,5",
    "config-router-af",
  ),
  fc
    .string({ unit: fc.constantFrom(...letters, ..."-_.,/ "), minLength: 1, maxLength: 24 })
    .map((text) => `x${text}y`),
);
const line = fc.oneof(
  fc.constantFrom(
    "description R1#",
    "no shutdown",
    "ip address 192.0.2.1 255.255.255.0",
    "exit",
    "end",
    "bogus",
  ),
  mode.map((name) => `mode ${name}`),
  mode.map((name) => `mode ${name}`),
  hostname.map((name) => `hostname ${name}`),
);
const thinks = [0, 0, 15, 15, 30, 800];

function models(seed: number, count: number): readonly [Model, readonly string[], boolean][] {
  const model = fc.record({
    hostname,
    secret: fc.constantFrom("sesame", "Password:", "a"),
    thinksMs: fc.constantFrom(...thinks),
    lineMs: fc.constantFrom(0, 15, 60),
    packets: fc.array(fc.constantFrom(1, 2, 3, 7, 40, 1000), { minLength: 1, maxLength: 4 }),
    gapMs: fc.constantFrom(0, 0, 0, 2, 13),
    starts: fc.constantFrom("exec" as const, "privileged" as const),
    saveAsks: fc.boolean(),
  });
  const lines = fc.array(line, { minLength: 1, maxLength: 6 });
  return fc.sample(fc.tuple(model, lines, fc.boolean()), { seed, numRuns: count });
}

const ios = cisco.find(({ name }) => name === "cisco_ios") as PlatformPlugin;
const withContexts: PlatformPlugin = {
  ...ios,
  context: { pattern: /\/(CTX\d)(?=[>#(])/, enter: "changeto context {context}", leave: "changeto system" },
};

function open(device: ModelDevice, password: string, platform = ios): Promise<CliSession> {
  return openCliSession(
    openOptions(device.stream, {
      platform,
      secret: secret(password),
      readTimeoutMs: 20_000,
      openTimeoutMs: 60_000,
    }),
    testContext(),
  );
}

/** Runs all cases concurrently, each with its own device. A failure names its case. */
async function forAll<T>(cases: readonly T[], run: (testCase: T) => Promise<void>): Promise<void> {
  await Promise.all(
    cases.map((testCase) =>
      run(testCase).catch((error: unknown) => {
        throw new Error(`${JSON.stringify(testCase)}: ${String(error)}`, { cause: error });
      }),
    ),
  );
}

const stands = ({ level, mode, context }: ModelDevice) => ({ level, mode, context });

test("P39: only a push that ends in the context where it began is finished", async () => {
  let finished = 0;
  await forAll(models(39, 100), async ([model, lines, save]) => {
    const device = modelDevice(model);
    const session = await open(device, model.secret);
    const start = stands(device);
    expect(start.level).toBe("privileged");
    expect(device.passwords).toEqual(model.starts === "exec" ? [model.secret] : []);
    const failure = await session.configure(lines, { ...push, save }, testContext()).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(stands(device)).toEqual(start);
    if (failure === undefined) {
      finished++;
      const entered = device.configured.filter((text) => text !== "end");
      expect(entered).toEqual(lines.filter((text) => text !== "end"));
      expect(lines).not.toContain("bogus");
      expect(device.saves).toBe(save ? 1 : 0);
    } else {
      expect(failure).toMatchObject({ kind: "CommandError" });
      const { detail } = failure as ServiceError;
      expect(["bogus", "exit", "end"]).toContain(detail?.command);
      // Nothing was typed after the line at which it stopped.
      expect(device.configured.filter((text) => text !== "end").length).toBeLessThanOrEqual(lines.length);
    }
    await session.close();
  });
  expect(finished).toBeGreaterThan(10);
});

test("P39: a wrong password is rejected after one attempt, a correct one is never rejected", async () => {
  await forAll(models(40, 40), async ([model, , right]) => {
    const device = modelDevice({ ...model, starts: "exec" });
    const opening = open(device, right ? model.secret : "wrong-word");
    if (right) expect((await opening).level()).toBe("privileged");
    else await expect(opening).rejects.toMatchObject({ kind: "AuthenticationFailed" });
    expect(device.passwords).toEqual([right ? model.secret : "wrong-word"]);
  });
});

test("P39: a login slower than the line end that wakes a console does not shift the answers", async () => {
  const cases = models(42, 16).map(([model]) => model);
  await forAll(cases, async (model) => {
    const device = modelDevice({ ...model, landsMs: 2400 });
    const session = await open(device, model.secret);
    for (const command of ["show one", "bad", "show two"]) {
      const expected =
        command === "bad" ? "% Invalid input detected at '^' marker." : "one line\nanother line";
      expect(await session.send(command, {}, testContext())).toBe(expected);
    }
  });
});

test("P39: a kept session is in the context where it was opened, or is closed", async () => {
  const doings = [
    "show it",
    "changeto context CTX1",
    "changeto context CTX2",
    "configure terminal",
    "disable",
    "bad",
  ];
  const jobs = fc.sample(fc.array(fc.constantFrom(...doings), { minLength: 1, maxLength: 4 }), {
    seed: 41,
    numRuns: 60,
  });
  let kept = 0;
  await forAll(
    models(41, 60).map(([model], at) => [model, jobs[at] ?? []] as const),
    async ([model, commands]) => {
      const device = modelDevice(model);
      const session = await open(device, model.secret, withContexts);
      const start = stands(device);
      const prompt = session.prompt();
      for (const command of commands) await session.send(command, {}, testContext());
      if (!(await session.reusable(testContext()))) return;
      kept++;
      expect(stands(device)).toEqual(start);
      expect(session.prompt()).toBe(prompt);
    },
  );
  expect(kept).toBeGreaterThan(10);
});
