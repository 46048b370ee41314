/**
 * Pipelined lines on real terminals: bash, whose line editor echoes after each prompt, and dash, with the
 * terminal's echo only.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { linuxUser, type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { ensureUser, type TestUser } from "../../../scripts/testbed/users.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { ByteStream } from "../../../src/base/net/byte-stream.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { newSsh, scopeOf, targetOf } from "../ssh/support.ts";
import { openOptions, push } from "./open-options.ts";
import { testContext } from "./test-context.ts";

/** For tests only: programs run by the shell may consume the lines sent after them. */
const shell: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "test_shell",
  levels: { shell: { prompt: /[^\n]{0,100}[$] / } },
  home: "shell",
  config: "shell",
  errors: [/^[^\n]{0,80}not found$/],
  pipelines: true,
};
const lines = Array.from({ length: 45 }, (_, at) => `[ ${at} != 20 ] || nosuchcommand`);
const shells: readonly (readonly [string, () => TestUser])[] = [
  ["bash", linuxUser],
  ["dash", () => ensureUser("patchbay-dash", { shell: "/bin/dash" })],
];

describe.skipIf(needs("openssh")).each(shells)("%s over OpenSSH", (_, user) => {
  let sshd: Sshd;
  let connection: Connection;
  beforeAll(async () => {
    sshd = await startSshd({ user: user() });
    connection = await newSsh().connect(targetOf(sshd, { connectTimeoutMs: 60_000 }), scopeOf());
  });
  afterAll(async () => {
    await connection?.close();
    await sshd?.stop();
  });

  async function pushed(lines: readonly string[], pipeline: boolean, size = Number.POSITIVE_INFINITY) {
    const ctx = testContext();
    const stream = inPieces(await connection.shell({ cols: 511, rows: 1000 }, scopeOf()), size);
    const limits = { readTimeoutMs: 60_000, openTimeoutMs: 60_000 };
    const session = await openCliSession(openOptions(stream, { platform: shell, ...limits }), ctx);
    const result = await session.configure(lines, { ...push, pipeline }, ctx).then(
      // The prompt's trailing space may arrive after the prompt was detected.
      ({ transcript }) => ({
        transcript: transcript.replaceAll(/\$ +/g, "$"),
        detail: undefined,
        said: "pushed",
      }),
      (error: unknown) => ({
        transcript: undefined,
        detail: error instanceof ServiceError ? error.detail : {},
        said: String(error),
      }),
    );
    await session.close();
    return { ...result, warnings: ctx.warnings };
  }

  const sizes = [Number.POSITIVE_INFINITY, 300, 57];
  test.each(sizes)(
    "the transcript equals that of line-by-line sending, written in pieces of %d",
    async (size) => {
      const good = lines.filter((_, at) => at !== 20);
      const plain = await pushed(good, false);
      const ahead = await pushed(good, true, size);
      expect(ahead.detail).toBeUndefined();
      if (ahead.warnings.length === 0) expect(ahead.transcript).toBe(plain.transcript);
    },
  );

  test.each(sizes)("a refused line is reported correctly, written in pieces of %d", async (size) => {
    const { detail, ...rest } = await pushed(lines, true, size);
    expect(detail, JSON.stringify(rest)).toMatchObject({
      command: lines[20],
      taken: lines.slice(0, 20),
    });
    // With fragmented input, an echo may appear within an answer; it still belongs to its line.
    expect(detail?.ahead).toMatchObject(lines.slice(21, 33).map((line) => ({ line, taken: true })));
  });
});

/** Delivers input in small pieces while earlier lines are already running. */
function inPieces(stream: ByteStream, size: number): ByteStream {
  let before = Promise.resolve();
  return {
    ...stream,
    write(data) {
      const text = typeof data === "string" ? data : new TextDecoder().decode(data);
      for (let at = 0; at < text.length; at += size) {
        const piece = text.slice(at, at + size);
        before = before.then(() => {
          stream.write(piece);
          return new Promise((resolve) => setTimeout(resolve, 1));
        });
      }
    },
  };
}
