/** A device that sends anything at any time: every operation still ends on its own. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import { fakeStream } from "./fake-stream.ts";
import { push } from "./open-options.ts";
import { router } from "./router-platform.ts";
import { testContext } from "./test-context.ts";

const said = fc.constantFrom(
  "R1>",
  "R1#",
  "R1(config)#",
  "R1(config-if)#",
  "\r\n",
  "\n",
  "\r",
  "\b\b",
  "Password: ",
  "% Bad secrets\r\n",
  "% Invalid input\r\n",
  " --More-- ",
  "[confirm]",
  "Are you sure? [y/n]: ",
  "\x1b[2K",
  "\x1b]0;",
  "\x1b[24;1H",
  "enable",
  "configure terminal",
  "show it",
  "interface Lo1",
  "terminal length 0",
  "[OK]",
  "\0",
);
const words = fc.array(fc.oneof(said, said, fc.string({ maxLength: 20 })), { maxLength: 6 });
const endings = fc.constantFrom("\r\nR1#", "\r\nR1#", "\r\nR1#", "\r\nR1(config)#", "\r\nR1>", "R1#", "");
const answer = fc.oneof(
  words,
  fc.tuple(words, endings).map(([some, end]) => [...some, end]),
  endings.map((end) => [end]),
);
/** Its output after each write; then it goes silent or disconnects. */
const device = fc.record({
  greeting: answer,
  answers: fc.array(answer, { minLength: 1, maxLength: 12 }),
  echoes: fc.boolean(),
  closes: fc.boolean(),
  repeats: fc.boolean(),
});

const quickPush = {
  ...push,
  // A save may take a device 100 seconds, which is too long for this test.
  save: false,
  readTimeoutMs: 25,
};

test("an operation on a device that sends anything at any time still ends", async () => {
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(device, fc.constantFrom("ssh", "telnet"), async (script, transport) => {
      let at = 0;
      const stream = fakeStream((typed) => {
        if (script.echoes) stream.feed(typed.replaceAll("\n", "\r\n"));
        const next = script.answers[script.repeats ? at % script.answers.length : at];
        at++;
        if (next !== undefined && at < 200) for (const part of next) stream.feed(part);
        else if (script.closes) stream.lose();
      });
      for (const part of script.greeting) stream.feed(part);
      const ctx = testContext();
      const outcome = await settled(async () => {
        const session = await openCliSession(
          {
            stream,
            transport: transport as "ssh" | "telnet",
            platform: { ...router, questions: [{ ask: /sure\?/, reply: "y" }] },
            host: "h",
            username: "u",
            password: secret("password-canary"),
            secret: secret("enable-canary"),
            delayFactor: 1,
            readTimeoutMs: 25,
            openTimeoutMs: 40,
          },
          ctx,
        );
        opened++;
        try {
          await session.send("show it", { readTimeoutMs: 25 }, ctx);
          await session.configure(["interface Lo1", "banner motd #", "text", "#"], quickPush, ctx);
          await session.reusable(ctx);
        } finally {
          await session.close();
        }
      });
      expect(outcome).not.toBe("hung");
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(ServiceError);
        expect(JSON.stringify([outcome.message, (outcome as ServiceError).detail])).not.toMatch(/canary/);
        expect(stream.destroyed()).toBe(true);
      }
    }),
    { numRuns: 250 },
  );
  expect(opened).toBeGreaterThan(10);
});

/** The outcome; `hung` after far more than the sum of its timeouts. */
async function settled(work: () => Promise<void>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve("hung"), 60_000);
  });
  const done = work().then(
    () => "done",
    (error: unknown) => error,
  );
  const outcome = await Promise.race([done, late]);
  clearTimeout(timer);
  return outcome;
}
