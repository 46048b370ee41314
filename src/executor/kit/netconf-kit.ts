/** `kit.netconf`: NETCONF sessions over the SSH connections of the kit. */
import { openSession, type StreamSession } from "../../device/netconf/session.ts";
import type {
  Context,
  NetconfKit,
  NetconfSession,
  NetconfTarget,
  SshConnection,
  SshKit,
} from "../../plugin/index.ts";

const defaultMaxBytes = 32 * 1024 * 1024;
const defaultReplyMs = 60_000;

export function createNetconfKit(ssh: SshKit): NetconfKit {
  return {
    async open(target: NetconfTarget, ctx: Context): Promise<NetconfSession> {
      const connection = await ssh.connect(target.ssh, ctx);
      try {
        const stream = await connection.subsystem(target.subsystem ?? "netconf", ctx);
        const options = {
          capabilities: target.capabilities ?? [],
          chunked: target.chunked ?? true,
          helloTimeoutMs: target.helloTimeoutMs ?? target.ssh.connectTimeoutMs,
          maxBytes: target.maxBytes ?? defaultMaxBytes,
          replyTimeoutMs: target.replyTimeoutMs ?? defaultReplyMs,
        };
        return sessionOf(await openSession(stream, options, ctx), connection);
      } catch (error) {
        await connection.close();
        throw error;
      }
    },
  };
}

/** The connection serves only this session and is closed with it. */
function sessionOf(session: StreamSession, connection: SshConnection): NetconfSession {
  session.onLost(() => void connection.close());
  const { version, sessionId, capabilities } = session;
  const capabilityUris = new Set(capabilities.flatMap((uri) => [uri, uri.split("?")[0] ?? uri]));
  return {
    version,
    sessionId,
    capabilities,
    supports: (capability) => capabilityUris.has(capability),
    rpc: async (operation, options, ctx) => {
      const reply = await session.rpc(operation, options, ctx);
      ctx.output(`${reply.source}\n`);
      return reply;
    },
    alive: () => session.alive() && connection.alive(),
    onLost: session.onLost,
    async close() {
      await session.close();
      await connection.close();
    },
  };
}
