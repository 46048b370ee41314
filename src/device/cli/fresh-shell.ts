/** Sessions whose commands change state that no prompt shows: each job gets an unused shell. */
import type { CliSession } from "../../plugin/kit/cli.ts";
import type { Context } from "../../plugin/kit/kit.ts";

export interface FreshShellOptions {
  readonly first: CliSession;
  /** Opens another shell on the same connection. If absent, the session serves one job. */
  readonly open?: (ctx: Context) => Promise<CliSession>;
  /** Closes the connection of the shells. */
  readonly end: () => Promise<void>;
}

export function createFreshShells({ first, open, end }: FreshShellOptions): CliSession {
  let shell = first;
  let used = false;

  function using(): CliSession {
    used = true;
    return shell;
  }

  async function reusable(ctx: Context): Promise<boolean> {
    if (!used) return shell.reusable(ctx);
    if (open === undefined) return false;
    await shell.close();
    try {
      shell = await open(ctx);
      used = false;
      return true;
    } catch (error) {
      ctx.log.debug("shell.not_opened", { reason: String(error) });
      return false;
    }
  }

  return {
    prompt: () => shell.prompt(),
    level: () => shell.level(),
    home: () => shell.home(),
    announce: (lines, ctx) => shell.announce(lines, ctx),
    send: (command, options, ctx) => using().send(command, options, ctx),
    toLevel: (level, ctx) => shell.toLevel(level, ctx),
    configure: (lines, options, ctx) => using().configure(lines, options, ctx),
    keep: (options, ctx, holdSeconds) => shell.keep(options, ctx, holdSeconds),
    leaveOpen: (kept, fingerprint, ctx) => using().leaveOpen(kept, fingerprint, ctx),
    reopen: (open, fingerprint, ctx) => using().reopen(open, fingerprint, ctx),
    extend: (kept, seconds, ctx) => using().extend(kept, seconds, ctx),
    confirm: (kept, options, ctx) => using().confirm(kept, options, ctx),
    undo: (kept, ctx) => using().undo(kept, ctx),
    upload: (file, ctx) => using().upload(file, ctx),
    download: (file, ctx) => using().download(file, ctx),
    reusable,
    async close() {
      await shell.close();
      await end();
    },
  };
}
