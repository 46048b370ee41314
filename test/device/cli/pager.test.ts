/** Pagers that appear although disabled, endless output, and the effects of a hidden reply. */

import { describe, expect, test } from "vitest";
import { secret } from "../../../src/base/secrets/secret.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { type FakeStream, fakeStream } from "./fake-stream.ts";
import { openOptions, patient } from "./open-options.ts";
import { router } from "./router-platform.ts";
import { testContext } from "./test-context.ts";

interface Opened {
  readonly traced: string[];
  readonly session: Awaited<ReturnType<typeof openCliSession>>;
  readonly ctx: ReturnType<typeof testContext>;
}

/** @param answer reaction to a line; everything before the first `show` is a prompt */
async function openOn(
  answer: (typed: string, stream: FakeStream) => void,
  platform: PlatformPlugin = router,
): Promise<Opened & { stream: FakeStream }> {
  let ready = false;
  const stream: FakeStream = fakeStream((typed) => {
    if (ready) return answer(typed, stream);
    for (const line of typed.split("\n").slice(0, -1)) stream.feed(`${line}\r\nR1#`);
  });
  stream.feed("R1#");
  const ctx = testContext();
  const traced: string[] = [];
  const session = await openCliSession(
    openOptions(stream, {
      platform,
      password: secret("login-canary"),
      ...patient,
      trace: (direction, text) => traced.push(`${direction} ${text}`),
    }),
    ctx,
  );
  ready = true;
  return { session, ctx, stream, traced };
}

const pagers: [string, string, string, PlatformPlugin["pager"]][] = [
  [
    "IOS",
    " --More-- ",
    `${"\b".repeat(10)}${" ".repeat(10)}${"\b".repeat(10)}`,
    { prompt: /--More--/, press: " " },
  ],
  ["VRP", "  ---- More ----", `\x1b[42D${" ".repeat(42)}\x1b[42D`, { prompt: /---- More ----/, press: " " }],
  ["Junos", "---(more 45%)---", `\r${" ".repeat(40)}\r`, { prompt: /---\(more(?: \d+%)?\)---/, press: " " }],
  ["less", ":", "\r\x1b[K", { prompt: /:|lines \d+-\d+/, press: " " }],
  ["FortiOS", "--More-- ", "\r         \r", { prompt: /--More--/, press: " " }],
  [
    "ProCurve",
    "-- MORE --, next page: Space, next line: Enter, quit: Control-C",
    "\x1b[2K\r",
    { prompt: /-- MORE --, next page: Space.*/, press: " " },
  ],
];

describe("a pager", () => {
  test.each(pagers)("of %s leaves no trace in the output", async (_, shown, gone, pager) => {
    const page = Array.from({ length: 60 }, (_, at) => `${" ".repeat(at % 4)}line ${at}`);
    let at = 0;
    const next = (stream: FakeStream) => {
      const lines = page.slice(at, at + 20).map((line) => `${line}\r\n`);
      at += 20;
      stream.feed(lines.join("") + (at < page.length ? shown : "R1#"));
    };
    const { session, ctx } = await openOn(
      (typed, stream) => {
        if (typed === " ") {
          stream.feed(gone);
          next(stream);
        } else {
          stream.feed(typed.replace("\n", "\r\n"));
          next(stream);
        }
      },
      { ...router, pager: pager ?? { prompt: /--More--/, press: " " } },
    );
    expect(await session.send("show run", {}, ctx)).toBe(page.join("\n"));
  });
});

test("each stop in an output gets its own key and is not taken for a question", async () => {
  const { session, ctx, stream } = await openOn(
    (typed, stream) => {
      if (typed === "show run\n") stream.feed("show run\r\none\r\n--More--");
      else if (typed === " ") stream.feed("\rtwo     \r\nPress Enter to continue...");
      else if (typed === "\n") stream.feed("\r\x1b[Kthree\r\nDisplay the next 15 entries? (y/n) ");
      else stream.feed("\r\x1b[Kfour\r\nR1#");
    },
    {
      ...router,
      pager: {
        prompt: /--More--/,
        press: " ",
        others: [
          { prompt: /Press Enter to continue\.*/, press: "\n" },
          { prompt: /Display the next \d+ entries\? \(y\/n\)/, press: "y" },
        ],
      },
    },
  );
  const output = await session.send("show run", {}, ctx);
  expect(output.split("\n").map((line) => line.trim())).toEqual(["one", "two", "three", "four"]);
  expect(stream.written.slice(-4)).toEqual(["show run\n", " ", "\n", "y"]);
});

describe("on a console", () => {
  test("a log message after the prompt does not hide it", async () => {
    let commands = 0;
    const { session, ctx, stream } = await openOn((typed, stream) => {
      if (typed === "\n") stream.feed("\r\nR1#");
      else {
        commands++;
        stream.feed(
          `${typed.replace("\n", "\r\n")}one\r\ntwo\r\nR1#\r\n*Mar 1 00:01: %SYS-5-CONFIG_I: x\r\n`,
        );
      }
    }, router);
    const quiet = { readTimeoutMs: 3000 };
    expect(await session.send("show it", quiet, ctx)).toBe("one\ntwo");
    expect(commands).toBe(1);
    expect(stream.written.slice(-2)).toEqual(["show it\n", "\n"]);
  });

  test("a slow device gets no extra line end", async () => {
    const { session, ctx, stream } = await openOn((typed, stream) => {
      stream.feed(`${typed.replace("\n", "\r\n")}one\r\ntwo\r\n`);
      setTimeout(() => stream.feed("three\r\nR1#"), 1300);
    });
    expect(await session.send("show it", { readTimeoutMs: 3000 }, ctx)).toBe("one\ntwo\nthree");
    expect(stream.written.at(-1)).toBe("show it\n");
  });
});

describe("output limits", () => {
  test("more than 8 MiB of output fails the command, keeping its start and end", async () => {
    const { session, ctx } = await openOn((typed, stream) => {
      stream.feed(typed.replace("\n", "\r\n"));
      const block = `${"x".repeat(98)}\r\n`.repeat(1000);
      for (let i = 0; i < 100; i++) stream.feed(block);
    });
    const sending = session.send("show tech", {}, ctx);
    await expect(sending).rejects.toMatchObject({ kind: "OutputTooLarge" });
    const detail = await sending.catch((error) => error.detail);
    expect(detail.output.length).toBeGreaterThan(1024 * 1024);
    expect(detail.output.length).toBeLessThan(1024 * 1024 + 70 * 1024);
    expect(await session.reusable(ctx)).toBe(false);
  });

  test("the limit counts characters after control sequences are applied", async () => {
    const { session, ctx } = await openOn((typed, stream) => {
      stream.feed(typed.replace("\n", "\r\n"));
      // A line of 511 columns in ten bytes, repeated to 1 MB.
      const block = "\x1b[9999Cy\r\n".repeat(2000);
      for (let i = 0; i < 50; i++) stream.feed(block);
    });
    await expect(session.send("show tech", {}, ctx)).rejects.toMatchObject({ kind: "OutputTooLarge" });
  });

  test("more than 32 MiB of output in one job fails", async () => {
    const { session, ctx } = await openOn((typed, stream) => {
      stream.feed(`${typed.replace("\n", "\r\n")}${`${"x".repeat(1022)}\r\n`.repeat(7 * 1024)}R1#`);
    });
    for (let i = 0; i < 4; i++) await session.send("show tech", {}, ctx);
    await expect(session.send("show tech", {}, ctx)).rejects.toMatchObject({ kind: "OutputTooLarge" });
  });

  test("a given read timeout limits the total time", async () => {
    const { session, ctx } = await openOn((_typed, stream) => {
      const timer = setInterval(() => stream.feed("x"), 5);
      stream.onClose(() => clearInterval(timer));
    });
    await expect(session.send("ping", { readTimeoutMs: 120 }, ctx)).rejects.toMatchObject({
      kind: "ReadTimeout",
      message: expect.stringContaining("Last received"),
    });
    await session.close();
  });

  test("without a read timeout, a device may take any time while it sends output", async () => {
    const { session, ctx } = await openOn((typed, stream) => {
      stream.feed(typed.replace("\n", "\r\n"));
      let sent = 0;
      const timer = setInterval(() => {
        stream.feed(++sent < 12 ? "!" : "\r\ndone\r\nR1#");
        if (sent >= 12) clearInterval(timer);
      }, 60);
    });
    expect(await session.send("copy a b", {}, ctx)).toBe("!!!!!!!!!!!\ndone");
  });
});

describe("secrets in a session", () => {
  test("a hidden reply appears in no output, trace or error", async () => {
    let isPrompting = false;
    const { session, ctx, traced } = await openOn((typed, stream) => {
      if (isPrompting) stream.feed(`${typed.replace("\n", "\r\n")}accepted\r\nR1#`);
      else {
        isPrompting = true;
        stream.feed(`${typed.replace("\n", "\r\n")}New secret: `);
      }
    });
    const text = await session.send(
      { send: "change secret", expect: "New secret: $", reply: "reply-canary", hidden: true },
      {},
      ctx,
    );
    expect(text).toBe("New secret: \naccepted");
    expect(traced.filter((line) => line.startsWith("sent")).join("")).not.toContain("canary");
    expect(JSON.stringify(ctx.announced)).not.toContain("canary");
  });

  test("a reply is not sent if its question does not appear", async () => {
    const typedLines: string[] = [];
    const { session, ctx } = await openOn((typed, stream) => {
      typedLines.push(typed);
      stream.feed(`${typed.replace("\n", "\r\n")}% Invalid input\r\nR1#`);
    });
    const step = { send: "change secret", expect: "New secret:", reply: "reply-canary", hidden: true };
    await expect(session.send(step, {}, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: "The device did not ask for /New secret:/.",
    });
    expect(typedLines).toEqual(["change secret\n"]);
    expect(await session.reusable(ctx)).toBe(true);
  });

  test("a password printed by the device does not appear in an error", async () => {
    const { session, ctx } = await openOn((_typed, stream) =>
      stream.feed("debug: login-canary was used\r\n"),
    );
    const error = await session.send("show x", { readTimeoutMs: 40 }, ctx).catch((caught) => caught);
    expect(error.kind).toBe("ReadTimeout");
    expect(JSON.stringify([error.message, error.detail])).not.toContain("canary");
  });
});

describe("aborting a command", () => {
  test("sends nothing after the signal", async () => {
    const controller = new AbortController();
    const { session, stream } = await openOn(() => {});
    const ctx = testContext(controller.signal);
    const before = stream.written.length;
    controller.abort();
    await expect(session.send("show x", {}, ctx)).rejects.toMatchObject({ kind: "Cancelled" });
    expect(stream.written.length).toBe(before);
  });

  test("reports the command before it is written", async () => {
    const { session, stream } = await openOn((typed, stream) =>
      stream.feed(`${typed.replace("\n", "\r\n")}R1#`),
    );
    const order: string[] = [];
    const ctx = {
      ...testContext(),
      warn() {},
      async announce(lines: readonly string[]) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`announced ${lines.join()} after ${stream.written.length} writes`);
      },
    };
    await session.send("show x", {}, ctx);
    expect(order).toEqual(["announced show x after 1 writes"]);
    expect(stream.written.length).toBe(2);
  });
});
