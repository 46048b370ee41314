/** Promise P213: however late a device echoes or repeats its prompt, no answer shifts to another command. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { userPattern } from "../../../src/base/regex/pattern.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { type OpenOptions, openCliSession } from "../../../src/device/cli/session.ts";
import { type LateDevice, type Lateness, type LateOptions, lateDevice } from "./late-device.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { router } from "./router-platform.ts";
import { testContext } from "./test-context.ts";

const password = "sesame";
const platform = { ...router, pipelines: true } as const;

async function opened(device: LateDevice, more: Partial<OpenOptions> = {}) {
  const ctx = testContext();
  const options = openOptions(device.stream, { ...patient, platform, secret: secret(password), ...more });
  return { session: await openCliSession(options, ctx), ctx };
}

const prompt: Lateness = { stallMs: 0, repeats: 0, thinksMs: 0 };
const repeating: Lateness = { ...prompt, repeats: 1 };
const stalling: Lateness = { ...prompt, stallMs: 1300 };

/** Runs every kind of exchange, and compares each answer with its command. */
async function exchangesOf(device: LateDevice, more: Partial<OpenOptions> = {}): Promise<void> {
  const { session, ctx } = await opened(device, more);
  expect(session.level()).toBe("privileged");
  expect(await session.send("show one", {}, ctx)).toBe("output of show one");
  expect(await session.send("show one", {}, ctx)).toBe("output of show one");
  const expected = userPattern("#\\s*$", "expect");
  expect(await session.send("show two", { expect: expected }, ctx)).toBe("output of show two");
  await session.toLevel("exec", ctx);
  expect(await session.reusable(ctx)).toBe(true);
  expect(session.level()).toBe("privileged");
  const result = await session.configure(["line one", "line two"], push, ctx);
  expect(result.transcript).toContain("R1(config)#line two");
  await expect(session.configure(["line three", "bogus four", "line five"], push, ctx)).rejects.toMatchObject(
    {
      kind: "CommandError",
      message: expect.stringContaining("bogus four"),
    },
  );
  const ahead = Array.from({ length: 12 }, (_, at) => `line ${at}`);
  const whole = await session.configure(ahead, { ...push, pipeline: true }, ctx);
  expect(whole.transcript).toContain(`R1(config)#${ahead.at(-1)}\nR1(config)#`);
  const lines = [...ahead, "bogus 13", "line 14"];
  await expect(session.configure(lines, { ...push, pipeline: true }, ctx)).rejects.toMatchObject({
    kind: "CommandError",
    message: expect.stringContaining("bogus 13"),
  });
  if (more.transport !== "telnet") expect(ctx.warnings).toEqual([]);
  expect(await session.reusable(ctx)).toBe(true);
  expect(await session.send("show three", {}, ctx)).toBe("output of show three");
  expect(session.level()).toBe("privileged");
  await session.close();
  expect(device.lines.filter((line) => line === password)).toHaveLength(2);
}

describe("a device that is late", () => {
  test.concurrent.each<[string, Partial<LateOptions>]>([
    ["in time", {}],
    ["repeats each prompt", { late: [repeating] }],
    ["repeats each prompt twice", { late: [{ ...prompt, repeats: 2 }] }],
    [
      "stalls before the second line of its preparation",
      { late: [prompt, stalling, ...Array<Lateness>(100).fill(prompt)] },
    ],
    ["stalls before every echo", { late: [{ ...prompt, stallMs: 60 }] }],
    ["repeats its prompt and then stalls", { late: [{ ...repeating, stallMs: 60 }] }],
    ["stalls behind the echo", { late: [{ ...prompt, thinksMs: 60 }] }],
    ["stalls, character by character", { late: [{ ...repeating, stallMs: 60 }], packets: [1] }],
  ])("and %s gives each command its own answer", (_, options) =>
    exchangesOf(lateDevice({ late: [], secret: password, ...options })),
  );
});

describe("a device that answers without an echo", () => {
  test.concurrent.each([
    ["always", () => false],
    ["from a command on", (lines: readonly string[]) => !lines.includes("echo off")],
  ] as const)("%s is waited for once", async (_, echoes) => {
    const device = lateDevice({ late: [], secret: password, echoes });
    const { session, ctx } = await opened(device);
    await session.send("echo off", {}, ctx);
    for (const command of ["show one", "show two", "show three"])
      expect((await session.send(command, { readTimeoutMs: 4000 }, ctx)).trim()).toBe(`output of ${command}`);
    await session.close();
  });
});

const lateFields = {
  stallMs: fc.constantFrom(0, 0, 0, 15, 40),
  repeats: fc.constantFrom(0, 0, 1, 1, 2, 3),
  thinksMs: fc.constantFrom(0, 0, 5, 20),
};
const lateness = fc.record(lateFields);
/** The preparation is written at once: its second line is waited for longest. */
const second = fc.record({ ...lateFields, stallMs: fc.constantFrom(0, 15, 600) });

test("late prompts at any point and any cut of packets never shift an answer", async () => {
  const device = fc.record({
    late: fc
      .tuple(lateness, second, fc.array(lateness, { maxLength: 12 }))
      .map(([one, two, others]) => [one, two, ...others]),
    packets: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 5 }),
    transport: fc.constantFrom("ssh", "telnet"),
    prepare: fc.constantFrom(router.prepare ?? [], ["terminal length 0"], []),
  });
  const samples = fc.sample(device, { numRuns: 150, seed: 7 });
  const failures = await Promise.all(
    samples.map(({ transport, prepare, ...sample }) =>
      exchangesOf(lateDevice({ ...sample, secret: password }), {
        transport,
        platform: { ...platform, prepare },
      }).then(
        () => [],
        (error: unknown) => [{ sample, transport, prepare, error: String(error) }],
      ),
    ),
  );
  expect(failures.flat()).toEqual([]);
});
