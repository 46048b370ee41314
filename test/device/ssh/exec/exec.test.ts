/** Commands on a real sshd: both streams, environment, sizes, timeouts, signals, prompts, and failure messages. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../../scripts/testbed/openssh.ts";
import { ServiceError } from "../../../../src/base/errors.ts";
import { secret } from "../../../../src/base/secrets/secret.ts";
import type { Connection } from "../../../../src/device/ssh/connection.ts";
import {
  failure,
  marker,
  newSsh,
  runningWith,
  scopeOf,
  targetOf,
  textOf,
  withConnection,
} from "../support.ts";

describe.skipIf(needs("openssh"))("a command on a real sshd", () => {
  let server: Sshd;
  let connection: Connection;
  const scope = scopeOf(120_000);
  beforeAll(async () => {
    server = await startSshd();
    connection = await newSsh().connect(targetOf(server), scope);
  });
  afterAll(async () => {
    await connection?.close();
    await server?.stop();
  });

  test("returns its exit status and both output streams", async () => {
    expect(await connection.exec("echo out; echo err >&2; exit 7", {}, scope)).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      exitStatus: 7,
    });
  });

  test("with much output on stderr does not deadlock", async () => {
    const both = "head -c 4000000 /dev/zero >&2; head -c 4000000 /dev/zero; echo end >&2";
    const { stdout, stderr } = await connection.exec(both, {}, scope);
    expect([stdout.length, stderr.length]).toEqual([4_000_000, 4_000_004]);
  });

  test.each([false, true])(
    "gets environment variables unexpanded, with any characters (terminal: %s)",
    async (pty) => {
      const environment = {
        VALUE: `it's "a" $HOME \`id\` \\ ; \n two \tlines *\n`,
        EMPTY: "",
        LONG: "x".repeat(20_000),
      };
      const command = 'printf %s "[$VALUE$EMPTY]"; printf " %s" "${#LONG}"';
      const { stdout } = await connection.exec(command, { environment, pty }, scope);
      expect(stdout.replaceAll("\r\n", "\n")).toBe(`[${environment.VALUE}] 20000`);
    },
  );

  test.each([false, true])(
    "gets variables that appear in no process list, then its input (terminal: %s)",
    async (pty) => {
      const environment = { CANARY: `canary-${randomUUID()}` };
      const options = { environment, pty, input: "typed\n" };
      const command =
        "read line; echo $line; echo ${#CANARY}; tr '\\0' '\\n' < /proc/$PPID/cmdline; cat /proc/$$/cmdline";
      const { stdout } = await connection.exec(command, options, scope);
      expect(stdout.split(/\r?\n/)).toEqual(expect.arrayContaining(["typed", "43"]));
      expect(stdout).not.toContain(environment.CANARY);
    },
  );

  test("gets variables by request if the server accepts them, even with a forced command", async () => {
    const accepting = await startSshd({
      config: ["AcceptEnv LC_*", 'ForceCommand printf %s "$LC_NAME $OTHER"'],
    });
    await withConnection(targetOf(accepting), async (forced) => {
      const environment = { LC_NAME: "taken", OTHER: "dropped" };
      expect((await forced.exec("true", { environment }, scope)).stdout).toBe("taken ");
    });
    await accepting.stop();
  });

  test.each(["A;id", "A=B", "", "1A", "A B", "Ä"])("is rejected if a variable is named %j", async (name) => {
    const error = await failure(connection.exec("true", { environment: { [name]: "x" } }, scope));
    expect(error.kind).toBe("DriverError");
  });

  test("that reads its input gets end of file", async () => {
    expect((await connection.exec("cat; echo done", {}, scope)).stdout).toBe("done\n");
  });

  test("runs on a terminal only if requested", async () => {
    expect((await connection.exec("tty", { pty: true }, scope)).stdout).toMatch(/^\/dev\/pts\//);
    expect((await connection.exec("tty", {}, scope)).stdout).toContain("not a tty");
  });

  test("that a signal ends reports the signal", async () => {
    const result = await connection.exec("kill -TERM $$", {}, scope);
    expect(result).toMatchObject({ exitStatus: 143, signal: "SIGTERM" });
  });

  test("that keeps printing is killed at its timeout, and its output so far is returned", async () => {
    const marker = `77${process.pid}`;
    const command = `while :; do echo tick; sleep 0.0${marker}; done`;
    const error = await failure(connection.exec(command, { timeoutMs: 3000 }, scope));
    expect(error.kind).toBe("ReadTimeout");
    expect(error.message).toBe("The command did not end within 3 seconds");
    expect(error.detail).toMatchObject({ outcome: "unknown", sent: [command] });
    expect(JSON.stringify(error.detail?.partial)).toContain("tick");
    // It was killed, not left running.
    let left = "x";
    while (left !== "") {
      left = (await connection.exec(`pgrep -f "[s]leep 0.0${marker}"`, {}, scope)).stdout;
    }
  });

  test("that is silent is killed at its timeout, with its child processes", async () => {
    const mark = `3${Date.now()}`;
    const command = `sleep ${mark} & sleep ${mark}; true`;
    const error = await failure(connection.exec(command, { timeoutMs: 500 }, scope));
    expect(error.kind).toBe("ReadTimeout");
    await expect.poll(() => runningWith(mark)).toEqual([]);
  });

  test("with too much output fails with its head and tail", async () => {
    const error = await failure(connection.exec("yes", { maxBytes: 3_000_000 }, scope));
    expect(error.kind).toBe("OutputTooLarge");
    const partial = JSON.stringify(error.detail?.partial);
    expect(partial.length).toBeLessThan(2_500_000);
    expect(partial).toContain("bytes omitted]");
    expect(connection.alive()).toBe(true);
  });

  test("that was given up does not harm the connection with late output", async () => {
    for (let round = 0; round < 20; round++)
      await failure(connection.exec("yes", { maxBytes: 100_000 }, scope));
    expect(await connection.exec("echo still there", {}, scope)).toMatchObject({ stdout: "still there\n" });
  });

  test("is cancelled at once", async () => {
    const cancelScope = scopeOf();
    const begun = marker();
    const running = failure(connection.exec(begun.command, {}, cancelScope));
    await begun.seen();
    cancelScope.abort(new ServiceError("Cancelled", "stop"));
    const error = await running;
    expect(error.kind).toBe("Cancelled");
    expect(error.detail).toMatchObject({ outcome: "unknown", sent: [begun.command] });
    await expect(connection.exec("true", {}, cancelScope)).rejects.toThrow("stop");
  });

  describe.each([false, true])("a password prompt of a command (terminal: %s)", (pty) => {
    // As sudo does: prompt on stderr, echo off, then the command.
    const ask = (times: number) =>
      [
        pty ? "stty -echo" : "true",
        ...Array.from(
          { length: times },
          () => "printf 'NONCE-1: ' >&2; read answer || answer=none; echo >&2",
        ),
        'echo "got $answer"',
      ].join("; ");
    const answer = { prompt: /NONCE-1: /, reply: secret("s3cret-reply") };

    test("is answered once; neither prompt nor reply is in the output", async () => {
      const { stdout, stderr } = await connection.exec(ask(1), { pty, answer }, scope);
      expect(stdout + stderr).toContain("got [secret]");
      if (pty) expect(stdout).toBe("got [secret]\r\n");
      expect(stdout + stderr).not.toMatch(/NONCE|s3cret/);
    });

    test("that appears again gets end of file instead of the reply", async () => {
      const { stdout, stderr } = await connection.exec(ask(2), { pty, answer }, scope);
      expect(stdout + stderr).toContain("got none");
    });

    test("that never appears does not affect the command", async () => {
      const result = await connection.exec("echo plain; exit 3", { pty, answer }, scope);
      expect(result.stdout.trim()).toBe("plain");
      expect(result.exitStatus).toBe(3);
    });
  });

  test("may have multi-byte characters split between packets", async () => {
    const { stdout } = await connection.exec("printf '\\303'; sleep 0.1; printf '\\244'", {}, scope);
    expect(stdout).toBe("ä");
  });

  test("can run twenty times at once on one connection", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        connection.exec(`echo ${i}`, {}, scope).then((r) => r.stdout.trim()),
      ),
    );
    expect(results).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
  });

  test("whose session is killed fails as ConnectionLost, not as an empty success", async () => {
    await withConnection(targetOf(server), async (doomed) => {
      const ownLimit = scopeOf();
      const { stdout } = await doomed.exec("echo $PPID", {}, ownLimit);
      const begun = marker();
      const running = failure(doomed.exec(begun.command, {}, ownLimit));
      await begun.seen();
      process.kill(Number(stdout), "SIGKILL");
      const error = await running;
      expect(error.kind).toBe("ConnectionLost");
      expect(error.message).toBe(`Connection to ${server.host}:${server.port} was lost`);
      expect(error.detail).toMatchObject({ outcome: "unknown", sent: [begun.command] });
      expect((await failure(doomed.exec("true", {}, ownLimit))).kind).toBe("ConnectionLost");
    });
  });

  test("and a shell: text flows both ways, and each kind of end is reported", async () => {
    const size = { cols: 100, rows: 40 };
    const stream = await connection.shell(size, scope);
    const seen = textOf(stream);
    stream.write("PS1='> '; stty size; echo $TERM\n");
    await seen.has(/40 100\r\nvt100\r\n/);
    const closed = new Promise<unknown>((resolve) => stream.onClose(resolve));
    stream.write("exit\n");
    expect(await closed).toBeUndefined();
    await stream.end();

    const second = await connection.shell(size, scope);
    let closes = 0;
    second.onClose(() => closes++);
    await second.end();
    second.destroy();
    second.write("too late");
    expect(closes).toBe(1);

    await withConnection(targetOf(server), async (doomed) => {
      const third = await doomed.shell(size, scopeOf());
      const lost = new Promise((resolve) => third.onClose(resolve));
      doomed.destroy();
      expect(await lost).toMatchObject({ kind: "ConnectionLost" });
      const late = new Promise((resolve) => third.onClose(resolve));
      expect(await late).toMatchObject({ kind: "ConnectionLost" });
    });
  });

  test("and an unknown subsystem: opening it fails with its name", async () => {
    const error = await failure(connection.subsystem("netconf", scope));
    expect(error.kind).toBe("DriverError");
    expect(error.message).toContain("did not open the subsystem netconf");
  });
});
