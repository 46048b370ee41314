/** Opens a CLI session: SSH shell or Telnet at the bottom, the terminal layer on top, file transfer beside it. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import type { DialRule } from "../../base/net/dial.ts";
import { createFreshShells } from "../../device/cli/fresh-shell.ts";
import type { createPlatformCompiler } from "../../device/cli/platform.ts";
import { type OpenOptions, openCliSession } from "../../device/cli/session.ts";
import type { Ssh } from "../../device/ssh/connect.ts";
import type { Connection } from "../../device/ssh/connection.ts";
import type { CliKit, CliTarget, Context, PlatformPlugin } from "../../plugin/index.ts";
import type { LeaseGuard } from "./lease-guard.ts";
import type { TransferPlaces } from "./transfer-places.ts";

/** Wide enough that lines do not wrap, high enough that most pagers do not start. */
const defaultTerminal = { cols: 511, rows: 1000 };

export function createCliKit({
  ssh,
  leaseGuard,
  rule,
  places,
  compile,
}: {
  ssh: Ssh;
  leaseGuard: LeaseGuard;
  places: TransferPlaces;
  /** Shared by all sessions: a platform is compiled once. */
  compile: ReturnType<typeof createPlatformCompiler>;
  rule(): DialRule;
}): CliKit {
  return {
    async open(target, ctx) {
      leaseGuard.check();
      const opened =
        target.transport === "telnet"
          ? await overTelnet(target, ctx, rule())
          : await overSsh(ssh, target, ctx);
      const { connection } = opened;
      if (target.platform.hiddenState !== true) {
        const stream = connection === undefined ? opened.stream : withConnection(opened.stream, connection);
        return openCliSession(optionsOf(target, stream, connection), ctx);
      }
      if (connection === undefined) {
        const first = await openCliSession(optionsOf(target, opened.stream, undefined), ctx);
        return createFreshShells({ first, end: async () => {} });
      }
      return overShells(target, opened.stream, connection, ctx);
    },
  };

  function optionsOf(target: CliTarget, stream: ByteStream, connection: Connection | undefined): OpenOptions {
    return {
      stream: leaseGuard.guard(stream),
      transport: target.transport,
      platform: target.platform,
      host: target.ssh.host,
      username: target.username ?? target.ssh.username,
      delayFactor: target.delayFactor,
      readTimeoutMs: target.readTimeoutMs,
      openTimeoutMs: target.ssh.connectTimeoutMs,
      compile,
      ...(target.ssh.password === undefined ? {} : { password: target.ssh.password }),
      ...(target.secret === undefined ? {} : { secret: target.secret }),
      ...(target.prompt === undefined ? {} : { prompt: target.prompt }),
      ...(target.trace === undefined ? {} : { trace: target.trace }),
      ...(connection === undefined ? {} : { files: filesOf(connection, leaseGuard, places) }),
    };
  }

  /** The connection outlives its shells: each job gets a new one. */
  async function overShells(target: CliTarget, stream: ByteStream, connection: Connection, ctx: Context) {
    const onStream = (shell: ByteStream, ctx: Context) =>
      openCliSession(optionsOf(target, shell, connection), ctx);
    try {
      return createFreshShells({
        first: await onStream(stream, ctx),
        open: async (ctx) => {
          leaseGuard.check();
          return onStream(await connection.shell(terminalOf(target.platform), ctx), ctx);
        },
        end: () => connection.close(),
      });
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }
}

interface Opened {
  stream: ByteStream;
  connection?: Connection;
}

function terminalOf(platform: PlatformPlugin) {
  const { cols, rows, type } = { type: undefined, ...defaultTerminal, ...platform.terminal };
  return type === undefined ? { cols, rows } : { cols, rows, term: type };
}

async function overSsh(ssh: Ssh, { ssh: to, platform }: CliTarget, ctx: Context): Promise<Opened> {
  const connection = await ssh.connect(to, ctx);
  try {
    const shell = await connection.shell(terminalOf(platform), ctx);
    return { connection, stream: shell };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** The connection serves only this terminal and is closed with it. */
function withConnection(stream: ByteStream, connection: Connection): ByteStream {
  return {
    write: stream.write,
    onData: stream.onData,
    onClose: stream.onClose,
    async end() {
      await stream.end();
      await connection.close();
    },
    destroy() {
      stream.destroy();
      connection.destroy();
    },
    ...(stream.heldMs === undefined ? {} : { heldMs: stream.heldMs }),
  };
}

async function overTelnet({ ssh: to, platform }: CliTarget, ctx: Context, rule: DialRule): Promise<Opened> {
  const { host, port, connectTimeoutMs } = to;
  // Loaded on first use: most nodes never speak Telnet.
  const { openTelnet } = await import("../../device/telnet/telnet.ts");
  return { stream: await openTelnet({ host, port, connectTimeoutMs, ...terminalOf(platform) }, ctx, rule) };
}

function filesOf(
  connection: Connection,
  leaseGuard: LeaseGuard,
  places: TransferPlaces,
): NonNullable<OpenOptions["files"]> {
  return {
    async move(direction, localPath, remotePath, by, ctx, more) {
      leaseGuard.check();
      return connection[direction]({ localPath, remotePath, by, ...more, ...(await places.of(ctx)) }, ctx);
    },
    async hash(localPath, algorithm) {
      const hash = createHash(algorithm);
      for await (const chunk of createReadStream(localPath)) hash.update(chunk);
      return hash.digest("hex");
    },
  };
}
