/** Promise P151: the shells of real systems, at a real terminal: output without a line end, long commands, prompts that vary. */
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesCommand } from "../../../plugins/drivers/shared/configuration-query.ts";
import linux from "../../../plugins/platforms/linux.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run } from "../../../scripts/testbed/run.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import { newSsh, scopeOf, targetOf } from "../ssh/support.ts";
import { openOptions } from "./open-options.ts";
import { testContext } from "./test-context.ts";

const long = Array.from({ length: 200 }, (_, at) => String(at).padStart(4, "0")).join("");
const wide = "x".repeat(511);

/** Each command with its output. */
const commands: readonly (readonly [string, string])[] = [
  ["printf abc", "abc"],
  ["printf 'one\\ntwo'", "one\ntwo"],
  ["printf 'one\\n'", "one"],
  ["printf 100%%", "100%"],
  ["printf ''", ""],
  [`printf ${wide}`, wide],
  [`echo ${long}`, long],
  [`printf ${long}`, long],
  ["echo last", "last"],
];
/** Shows the configuration. A line editor such as fish's draws a program of several narrow lines otherwise. */
const showsFiles = filesCommand(
  (linux.running.files ?? []).map((file) => `/absent${file}`),
  "usual",
);
const files = [showsFiles, `${/' sh (\w+) /.exec(showsFiles)?.[1]} end of files`] as const;
/** Editors that scroll a long line sideways. */
const editors: readonly (readonly [string, string])[] = ["emacs", "vi", "gmacs"].flatMap((editor) => [
  [`set -o ${editor}`, ""] as const,
  [`echo ${long}`, long] as const,
  ["printf abc", "abc"] as const,
]);

const shells = ["bash", "zsh", "fish", "ksh", "mksh", "dash", "tcsh"].filter((name) =>
  existsSync(`/usr/bin/${name}`),
);

/** Whether the newest terminal of the user is in the hands of a line editor, and no longer echoes by itself. */
function takesEcho(user: string): boolean {
  const ps = run(["ps", "-o", "tty=", "--sort=start_time", "-u", user]).stdout;
  const tty = ps
    .split("\n")
    .findLast((line) => line.startsWith("pts/"))
    ?.trim();
  return tty !== undefined && / -icanon\b/.test(run(["stty", "-a", "-F", `/dev/${tty}`]).stdout);
}

describe.skipIf(needs("openssh")).each(shells)("%s over OpenSSH", (shell) => {
  const user = `patchbay-${shell}`;
  let sshd: Sshd;
  let connection: Connection;
  beforeAll(async () => {
    sshd = await startSshd({ user: ensureUser(user, { shell: `/usr/bin/${shell}` }) });
    connection = await newSsh().connect(targetOf(sshd, { connectTimeoutMs: 60_000 }), scopeOf());
  });
  afterAll(async () => {
    await connection?.close();
    await sshd?.stop();
  });

  test.each([511, 80])("each command has its output and nothing else, with %d columns", async (cols) => {
    const ctx = testContext();
    const size = { cols, rows: 1000 };
    const stream = await connection.shell(size, scopeOf());
    const limits = { readTimeoutMs: 30_000, openTimeoutMs: 60_000 };
    const session = await openCliSession(
      openOptions(stream, { platform: { ...linux, terminal: size }, ...limits }),
      ctx,
    );
    const got: string[][] = [];
    const shown = cols === 511 ? [...commands, files] : commands;
    const all = shell.endsWith("ksh") ? [...shown, ...editors] : shown;
    for (const [command] of all) {
      // ksh shows its prompt before it takes the echo over from the terminal: typed in between, a command is echoed twice.
      if (shell.endsWith("ksh")) await expect.poll(() => takesEcho(user), { timeout: 30_000 }).toBe(true);
      got.push([command, await session.send(command, {}, ctx)]);
    }
    await session.close();
    expect(got).toEqual(all.map((pair) => [...pair]));
  });
});
