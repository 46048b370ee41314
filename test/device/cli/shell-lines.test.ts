/**
 * Lines for the shells that run here, typed at their real line editors: tabs and exclamation marks stay what they are;
 * here-documents, loops and open quotes are read to their end.
 */
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import linux from "../../../plugins/platforms/linux.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import type { CliSession } from "../../../src/plugin/kit/cli.ts";
import type { Context } from "../../../src/plugin/kit/kit.ts";
import { newSsh, scopeOf, targetOf } from "../ssh/support.ts";
import { openOptions, push } from "./open-options.ts";
import { testContext } from "./test-context.ts";

const bourne = ["bash", "dash", "zsh", "ksh", "mksh"];
const shells = [...bourne, "tcsh"].filter(
  (shell) => existsSync(`/bin/${shell}`) || existsSync(`/usr/bin/${shell}`),
);
const limits = { readTimeoutMs: 60_000, openTimeoutMs: 60_000 };
/** Lines are pushed where the login lands: the user may not become root. */
const { config: _root, ...platform } = linux;

describe.skipIf(needs("openssh")).each(shells)("%s", (shell) => {
  let sshd: Sshd;
  let connection: Connection;
  beforeAll(async () => {
    const path = existsSync(`/bin/${shell}`) ? `/bin/${shell}` : `/usr/bin/${shell}`;
    sshd = await startSshd({ user: ensureUser(`patchbay-${shell}`, { shell: path }) });
    connection = await newSsh().connect(targetOf(sshd, { connectTimeoutMs: 60_000 }), scopeOf());
  });
  afterAll(async () => {
    await connection?.close();
    await sshd?.stop();
  });

  async function opened(): Promise<{ session: CliSession; ctx: Context & { warnings: string[] } }> {
    const ctx = testContext();
    const stream = await connection.shell({ cols: 511, rows: 1000 }, scopeOf());
    return { session: await openCliSession(openOptions(stream, { platform, ...limits }), ctx), ctx };
  }

  async function outputsOf(commands: readonly string[]): Promise<string[]> {
    const { session, ctx } = await opened();
    const outputs: string[] = [];
    for (const [at, command] of commands.entries()) {
      outputs.push(await session.send(command, { following: () => commands.slice(at + 1) }, ctx));
    }
    await session.close();
    expect(ctx.warnings).toEqual([]);
    return outputs;
  }

  test("a tab and the history change nothing", async () => {
    const commands = ["printf '%s\\n' 'a\tb'", "echo 'q!w !! !$'", 'echo "^((?' + '!Not).)"'];
    expect(await outputsOf(commands)).toEqual(["a\tb", "q!w !! !$", "^((?" + "!Not).)"]);
  });

  test("an unfinished text is read to its end", async () => {
    // In csh, the end of a quoted document is quoted too.
    const document =
      shell === "tcsh"
        ? ["cat <<EOF", "  one\ttwo", "", "> it's", "EOF"]
        : ["cat <<'EOF'", "  one\ttwo", "", "$ > it's", "EOF"];
    const loop =
      shell === "tcsh"
        ? ["foreach x (1 2)", "echo row $x", "end"]
        : ["for x in 1 2", "do echo row $x", "done"];
    const quote = shell === "tcsh" ? [] : ["echo 'a", "b'"];
    const outputs = await outputsOf([...document, ...loop, ...quote, "echo end"]);
    expect(outputs.filter((text) => text !== "")).toEqual([
      document.slice(1, -1).join("\n"),
      "row 1\nrow 2",
      ...(quote.length > 0 ? ["a\nb"] : []),
      "end",
    ]);
  });

  test("text for a program ends with Ctrl-D", async () => {
    const file = `/tmp/patchbay-lines-${shell}-${process.pid}`;
    const { session, ctx } = await opened();
    await session.configure([`cat > ${file}`, "one", "two?", "\x04", `tail -1 ${file}`], push, ctx);
    expect(await session.send(`cat ${file}; rm ${file}`, {}, ctx)).toBe("one\ntwo?");
    await session.close();
  });

  test("a document without an end fails at once, and the session goes on", async () => {
    const { session, ctx } = await opened();
    const pushed = session.configure(["cat <<EOF", "one"], push, ctx);
    await expect(pushed).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining('The line "cat <<EOF" opened a block that no later line ends'),
      detail: { sent: ["cat <<EOF", "one"] },
    });
    expect(await session.send("echo back", {}, ctx)).toBe("back");
    await session.close();
  });
});
