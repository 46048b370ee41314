/** Pipelined lines: the result of a push and the device's final state equal those of sending line by line. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtins } from "../../../../plugins/index.ts";
import { ServiceError } from "../../../../src/base/errors.ts";
import { matchAnswers } from "../../../../src/device/cli/exchange/pipeline-answers.ts";
import { openCliSession } from "../../../../src/device/cli/session.ts";
import type { ConfigureOptions } from "../../../../src/plugin/kit/cli.ts";
import { runs } from "../../../support/runs.ts";
import { type EchoForm, type EchoingDevice, echoingDevice } from "../echoing-device.ts";
import { openOptions, push } from "../open-options.ts";
import { router } from "../router-platform.ts";
import { simulatedTerminal } from "../simulated-terminal.ts";
import { testContext } from "../test-context.ts";

const platform = { ...router, prepare: [], pipelines: true, keys: {} } as const;
const forms: readonly EchoForm[] = ["editor", "both", "terminal"];
const oneWrite: EchoingDevice = { form: "editor", refuses: [], thinksMs: 0, packets: [100_000] };
const routes = (count: number) =>
  Array.from({ length: count }, (_, at) => `ip route 10.0.${at}.0/24 blackhole ${at}`);

async function pushed(device: EchoingDevice, lines: readonly string[], options: Partial<ConfigureOptions>) {
  const router = echoingDevice(device);
  const { stream } = router;
  const ctx = testContext();
  const limits = { readTimeoutMs: 60_000, openTimeoutMs: 60_000 };
  const session = await openCliSession(openOptions(stream, { platform, ...limits }), ctx);
  const before = stream.written.length;
  const result = await session.configure(lines, { ...push, ...options }, ctx).then(
    ({ transcript }) => ({ transcript, error: undefined }),
    (error: unknown) => ({ transcript: undefined, error }),
  );
  const written = stream.written.slice(before);
  const prompt = session.prompt();
  await session.close();
  return { ...router, ...result, written, prompt, warnings: ctx.warnings };
}

function failure(error: unknown) {
  if (!(error instanceof ServiceError)) throw new Error(`no refusal: ${String(error)}`);
  const { command, matched, output, sent = [], ahead = [], partial } = error.detail ?? {};
  const behind = ahead as { line: string; taken?: boolean; output?: string }[];
  return { kind: error.kind, command, matched, output, sent, behind, partial: String(partial) };
}

describe("a window of pipelined lines", () => {
  test("is sent in one write after a line of its kind was answered with the same prompt", async () => {
    const lines = routes(70);
    const { written, transcript, taken } = await pushed(oneWrite, lines, { pipeline: true });
    const plain = await pushed(oneWrite, lines, {});
    expect(taken).toHaveLength(70);
    expect(transcript).toBe(plain.transcript);
    // enter, the first line alone, 32, 32, 5, leave
    expect(written.map((text) => text.split("\n").length - 1)).toEqual([1, 1, 32, 32, 5, 1]);
  });

  test("never holds a line of a kind that has opened a mode, however often the prompt stays", async () => {
    const opened = (names: readonly string[]) =>
      names.flatMap((name, at) => [`interface ${name}`, `description a${at}`]);
    const lines = [...opened(["Lo1", "Lo2", "Lo3", "Ethernet 1", "Ethernet 2", "Lo99"]), "shutdown"];
    const device = { ...oneWrite, refuses: [99] };
    const plain = await pushed(device, lines, {});
    const ahead = await pushed(device, lines, { pipeline: true });
    expect(failure(ahead.error).command).toBe("interface Lo99");
    expect(ahead.taken).toEqual(plain.taken);
  });

  test("is optional and limited to half of a terminal's input queue", async () => {
    expect((await pushed(oneWrite, routes(10), {})).written).toHaveLength(12);
    const long = routes(70).map((line) => `${line} ${"x".repeat(180)}`);
    const { written } = await pushed(oneWrite, long, { pipeline: true });
    for (const text of written) expect(text.length).toBeLessThanOrEqual(2048);
  });

  test("ends before a line that changes mode, triggers help, or is of a new kind", async () => {
    const lines = [
      "vlan 1",
      "exit",
      "vlan 2",
      "exit",
      "vlan 3",
      "interface Lo1",
      "description a",
      "interface Lo2",
    ];
    const { written } = await pushed(oneWrite, lines, { pipeline: true });
    expect(written).toHaveLength(lines.length + 2);
    const help = ["no vlan 1", "no vlan 2", "no vlan 3?", "no vlan 4"];
    expect((await pushed(oneWrite, help, { pipeline: true })).written).toHaveLength(help.length + 2);
  });

  test.each(forms)("stops at a refused line and reports the lines sent after it (%s)", async (form) => {
    await Promise.all(
      routes(40).map(async (line, at, lines) => {
        const device = { ...oneWrite, form, refuses: [at] };
        const { error, taken, refused, prompt } = await pushed(device, lines, { pipeline: true });
        const { command, matched, sent, behind } = failure(error);
        expect(command).toBe(line);
        expect(matched).toBe(`% Unknown command: ${line}`);
        expect(refused).toEqual([line]);
        expect(sent).toEqual(lines.slice(0, sent.length));
        expect(behind).toEqual(sent.slice(at + 1).map((line) => ({ line, taken: true, output: "" })));
        expect(taken).toHaveLength(sent.length - 1);
        expect(sent.length - at).toBeLessThanOrEqual(32);
        expect(prompt).toBe("R1#");
      }),
    );
  });

  test("is not used if the platform does not support it", async () => {
    const { stream } = echoingDevice(oneWrite);
    const ctx = testContext();
    const session = await openCliSession(openOptions(stream, { platform: { ...router, prepare: [] } }), ctx);
    await session.configure(routes(5), { ...push, pipeline: true }, ctx);
    expect(stream.written.slice(-7).filter((text) => text.split("\n").length > 2)).toEqual([]);
    expect(ctx.warnings).toEqual([expect.stringContaining("the lines were sent one by one: test_ios")]);
  });
});

test("a pipelined push that is cut off anywhere reports the typed lines and the last answered one", async () => {
  const lines = routes(40);
  const whole = await cutAfter(Number.POSITIVE_INFINITY, lines);
  expect(whole.error).toBeUndefined();
  const places = Array.from({ length: 60 }, (_, at) => Math.floor((whole.shown * (at + 0.5)) / 60));
  const cuts = await Promise.all(places.map((bytes) => cutAfter(bytes, lines)));
  for (const { error, typed, answered } of cuts) {
    if (!(error instanceof ServiceError)) throw new Error(String(error));
    const { outcome, sent = [], confirmed } = error.detail ?? {};
    expect(error.kind).toBe("ConnectionLost");
    expect(sent).toEqual(typed);
    expect(outcome).toBe(typed.length > 0 ? "unknown" : "none");
    expect(confirmed).toBe(lines[answered - 1]);
  }
});

/** @param bytes number of bytes of the device's output in the push until the connection is lost */
async function cutAfter(bytes: number, lines: readonly string[]) {
  const { stream } = echoingDevice(oneWrite);
  const ctx = testContext();
  const session = await openCliSession(openOptions(stream, { platform, readTimeoutMs: 60_000 }), ctx);
  const before = stream.written.length;
  let shown = "";
  const { feed } = stream;
  stream.feed = (data) => {
    const text = String(data).slice(0, Math.max(0, bytes - shown.length));
    shown += text;
    feed(text);
    if (shown.length >= bytes) stream.lose();
  };
  const error = await session.configure(lines, { ...push, pipeline: true }, ctx).then(
    () => undefined,
    (error: unknown) => error,
  );
  const typed = stream.written.slice(before).flatMap((text) => text.split("\n"));
  const answered = shown.split("R1(config)#").length - 2;
  return { error, shown: shown.length, typed: typed.filter((line) => lines.includes(line)), answered };
}

describe("answers are assigned to lines with echoes", () => {
  const lines = ["ip route 1", "ip route 2", "ip route 3"];
  const seen = (text: string) => matchAnswers(text, lines, "R1#");

  test.each([
    ["after each prompt", "ip route 1\nR1# ip route 2\n% No\nR1# ip route 3\nR1# "],
    [
      "all at once, and after each prompt",
      "ip route 1\nip route 2\nip route 3\nR1# ip route 2\n% No\nR1# ip route 3\nR1# ",
    ],
    [
      "in pieces before an output",
      "ip route 1\nroute 2\nipR1# ip route 2\n route 3\n% No\nR1# ip route 3\nR1# ",
    ],
    ["after an output", "ip route 1\nR1# ip route 2\n% No\nip route 3\nR1# ip route 3\nR1# "],
    ["all at once only", "ip route 1\nip route 2\nip route 3\nR1# % No\nR1# R1# "],
  ])("%s", (_, text) => {
    const { answers, counted, whole, transcript } = seen(text);
    expect(answers.map(({ output }) => output)).toEqual(["", "% No\n", ""]);
    expect([counted, whole]).toEqual([true, true]);
    expect(transcript).toBe("ip route 1\nR1# ip route 2\n% No\nR1# ip route 3\nR1# ");
  });

  test("even if echoes split a refusal, which is reported", () => {
    const { answers, counted, whole } = seen("ip route 1\nR1# ip route 2\nip ro% No\nR1# ip route 3\nR1# ");
    expect(answers.map(({ output }) => output)).toEqual(["", "ip ro% No\n", ""]);
    expect([counted, whole]).toEqual([true, false]);
  });

  test("only if the number of prompts is right", () => {
    expect(seen("ip route 1\nR1# ip route 2\nR1# ").counted).toBe(false);
    expect(seen("ip route 1\nR1# odd\nR1# ip route 2\nR1# ip route 3\nR1# ").counted).toBe(false);
  });

  test("without the prompts that the device repeats", () => {
    const text = "ip route 1\nR1# R1# \nR1# ip route 2\n% refused\nR1# ip route 3\nR1# ";
    const { answers, counted } = seen(text);
    expect(counted).toBe(true);
    expect(answers.map(({ output }) => output)).toEqual(["", "% refused\n", ""]);
    expect(seen("ip route 1\nR1# R1# ip route 2\nR1# ").counted).toBe(false);
  });
});

const names = builtins.flatMap((plugin) =>
  plugin.kind === "platform" && plugin.pipelines === true ? [plugin.name] : [],
);

describe.each(names)("%s, simulated", (name) => {
  const lines = ["interface Loopback7", "description x", "exit", ...routes(20), "hostname R9", ...routes(6)];

  async function on(thinking: number, cutSeed: number, refuses: RegExp | undefined, pipeline: boolean) {
    const faults = cutSeed > 0 ? { cutSeed } : {};
    const device = simulatedTerminal(name, { thinking, faults, ...(refuses && { refuses }) });
    const { cli } = await device.open();
    const options = { ...push, pipeline };
    const result = await cli.configure(lines, options, testContext()).then(
      ({ transcript }) => transcript.replaceAll(/# +/g, "#"),
      (error: unknown) => failure(error),
    );
    await cli.close();
    return result;
  }

  test.each([0, 15])(
    "the transcript equals that of line-by-line sending, thinking %d ms, for any chunk boundaries",
    async (thinking) => {
      const seeds = [0, 1, 2, 3];
      const ahead = await Promise.all(seeds.map((seed) => on(thinking, seed, undefined, true)));
      const plain = await on(thinking, 0, undefined, false);
      expect(ahead).toEqual(seeds.map(() => plain));
    },
  );

  test.each([0, 15])("a refusal at any line is reported correctly, thinking %d ms", async (thinking) => {
    const places = routes(20).map((_, at) => at);
    const results = places.map((at) => on(thinking, at, new RegExp(`^ip route 10\\.0\\.${at}\\.`), true));
    for (const [at, result] of (await Promise.all(results)).entries()) {
      expect(result).toMatchObject({ command: routes(20)[at] });
      const { behind } = typeof result === "string" ? { behind: [] } : result;
      const rest = at === 0 ? [] : routes(20).slice(at + 1);
      expect(behind).toEqual(rest.map((line) => ({ line, taken: true, output: "" })));
    }
  });
});

const line = fc.oneof(
  { weight: 24, arbitrary: fc.nat(99).map((at) => `ip route 10.0.0.0/24 ${at}`) },
  { weight: 6, arbitrary: fc.nat(99).map((at) => `note ${at}`) },
  { weight: 6, arbitrary: fc.nat(99).map((at) => `no vlan ${at}`) },
  fc.nat(99).map((at) => `interface Lo${at}\n description text ${at}\n shutdown\n ip route 1 ${at}`),
  fc.nat(99).map((at) => `vlan ${at}`),
  fc.constantFrom("exit", "", "!", "hostname R7", "nonsense here"),
);
const scenario = fc.record({
  lines: fc.array(line, { minLength: 2, maxLength: 25 }),
  refuses: fc.array(fc.nat(99), { maxLength: 6 }),
  form: fc.constantFrom(...forms),
  thinksMs: fc.constantFrom(0, 0, 1),
  packets: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
  gapMs: fc.constantFrom(0, 0, 1),
});

test("a pipelined push equals a line-by-line push, for any lines, refusals, echoes and chunks", {
  timeout: 120_000,
}, async () => {
  const scenarios = fc.sample(scenario, { numRuns: 200, seed: 19 });
  for (let from = 0; from < scenarios.length; from += 40) {
    await Promise.all(scenarios.slice(from, from + 40).map(compare));
  }
});

test("a refusal is found wherever the terminal's echo of later lines falls into it", {
  timeout: 120_000,
}, async () => {
  const lines = routes(20);
  const sizes = (min: number, max: number) =>
    fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 5 });
  const found = async (device: Omit<EchoingDevice, "refuses" | "thinksMs">, at: number) => {
    const { error } = await pushed({ ...device, refuses: [at], thinksMs: 0 }, lines, { pipeline: true });
    const { command, matched } = failure(error);
    expect(command).toBe(lines[at]);
    if (!String(error).includes("may be a refusal")) expect(matched).toMatch(/^% *Unknown/);
  };
  // The same ones each run: an echo of single characters may be missed, once in some thousands.
  const device = { packets: sizes(4, 120), writes: sizes(2, 12) };
  await fc.assert(
    fc.asyncProperty(fc.record(device), fc.nat(19), (device, at) =>
      found({ form: "terminal", ...device }, at),
    ),
    { numRuns: runs(400), seed: 19 },
  );
  // A line editor shows what the terminal has echoed once more: with few pieces, as a short echo may be
  // missed.
  for (const writes of [12, 16, 24])
    for (const at of [1, 7, 13]) await found({ form: "both", packets: [300], writes: [writes] }, at);
});

const quotes = [
  (line: string) => `WARNING: ${line.slice(3)} is not used`,
  (line: string) => `%PARSER-5-CFGLOG_LOGGEDCMD: User:ops  logged command:${line} `,
  (line: string) => `! Warning: ${line} exists, as ip route 10.0.0.0/24 blackhole 0`,
];
test.each(quotes)("an output that quotes lines stops nothing (%#)", async (quote) => {
  const lines = routes(20);
  const text = lines
    .map((line, at) => `${line}\n${at % 3 === 1 ? `${quote(line)}\n` : ""}`)
    .join("R1(config)# ");
  const { answers, whole, counted } = matchAnswers(`${text}R1(config)# `, lines, "R1(config)#");
  expect([counted, answers.filter(({ mixed }) => mixed)]).toEqual([true, []]);
  expect(whole).toBe(true);
});

test("an output with an echo in it that is no refusal goes on, with a warning", async () => {
  const lines = ["note 1", ...routes(1), "note 3", ...routes(20)];
  const device = { ...oneWrite, form: "terminal", packets: [40], writes: [8] } as const;
  const { error, taken, warnings } = await pushed(device, lines, { pipeline: true });
  expect(error).toBeUndefined();
  expect(taken.map((line) => line.trim())).toEqual(lines);
  expect(warnings).toEqual([expect.stringContaining("none shows a refusal")]);
});

async function compare({ lines: texts, ...device }: EchoingDevice & { readonly lines: readonly string[] }) {
  const lines = texts.flatMap((text) => text.split("\n"));
  const options = { allowExit: true };
  const plain = await pushed(device, lines, options);
  const ahead = await pushed(device, lines, { ...options, pipeline: true });
  const [before = "", now = ""] = [plain, ahead].map(({ transcript, error }) =>
    // The prompt's trailing space may arrive after the prompt was detected.
    (transcript ?? failure(error).partial).replaceAll(/# +/g, "#"),
  );
  const description = JSON.stringify({ lines, device, before, now });
  const mixed = ahead.warnings.length > 0;
  if (plain.error === undefined) {
    expect(ahead.error, description).toBeUndefined();
    if (!mixed) expect(now, description).toBe(before);
    expect(ahead.taken, description).toEqual(plain.taken);
    return;
  }
  const [one, many] = [failure(plain.error), failure(ahead.error)];
  expect(many.command, description).toBe(one.command);
  expect(many.matched, description).toBe(one.matched);
  const typed = many.sent.filter((text) => text !== "");
  expect(typed, description).toEqual([
    ...one.sent.filter((text) => text !== ""),
    ...many.behind.map(({ line }) => line),
  ]);
  for (const { line, taken } of many.behind)
    expect(ahead.refused.includes(line.trim()), description).toBe(taken === false);
  const isKnown = many.behind.every(({ taken }) => taken !== undefined);
  // If part of an echo precedes the refusal, the message includes that echo.
  if (isKnown && device.form !== "both") expect(now.startsWith(before), description).toBe(true);
}
