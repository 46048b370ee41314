/** One agent: requests of net-snmp over a socket of the kit, as promises that end with their task. */
import snmp, { type Options, type Session, type Varbind } from "net-snmp";
import { type Context, PluginError, type UdpSocket, withDetail } from "patchbay/plugin";
import type { Tools } from "./connection.ts";

export type { Varbind } from "net-snmp";

export interface Agent {
  get(oids: readonly string[], ctx: Context): Promise<readonly Varbind[]>;
  next(oid: string, ctx: Context): Promise<readonly Varbind[]>;
  bulk(oid: string, most: number, ctx: Context): Promise<readonly Varbind[]>;
  /** Sent once: a second one after a lost answer would set it again. */
  set(varbinds: readonly Varbind[], ctx: Context): Promise<readonly Varbind[]>;
  open(): boolean;
  close(): void;
}

/** An agent that could not fit its answer: ask for less. */
export class TooBig extends Error {}

const statusWords: Readonly<Record<number, string>> = {
  2: "noSuchName",
  3: "badValue",
  4: "readOnly",
  5: "genErr",
  6: "noAccess",
  7: "wrongType",
  8: "wrongLength",
  9: "wrongEncoding",
  10: "wrongValue",
  11: "noCreation",
  12: "inconsistentValue",
  13: "resourceUnavailable",
  14: "commitFailed",
  15: "undoFailed",
  16: "authorizationError",
  17: "notWritable",
  18: "inconsistentName",
};
const tooBig = 1;

export async function openAgent({ connection, udp }: Tools, ctx: Context): Promise<Agent> {
  const { host, port, version, timeoutMs, repeats } = connection;
  const socket = await udp.open({ host, port }, ctx);
  const where = `${host}:${port}`;
  let hasAnswered = false;
  /** What arrived and was no SNMP, since the last answer. */
  let nonsense: string | undefined;
  const session = sessionOn(socket, connection, (error) => session.cancelRequests(error));
  session.on("error", (error) => {
    nonsense = error instanceof Error ? error.message.slice(0, 200) : "it cannot be read";
  });

  function ask<T>(
    send: (reply: (error: Error | null, answer?: T) => void) => void,
    ctx: Context,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = () => {
        reject(ctx.signal.reason);
        session.cancelRequests(new Error("cancelled"));
      };
      if (ctx.signal.aborted) return stop();
      ctx.signal.addEventListener("abort", stop, { once: true });
      send((error, answer) => {
        ctx.signal.removeEventListener("abort", stop);
        if (error === null && answer !== undefined) {
          hasAnswered = true;
          nonsense = undefined;
          resolve(answer);
        } else reject(faultOf(error ?? new Error("there is no answer")));
      });
    });
  }

  function faultOf(error: Error): Error {
    if (error instanceof PluginError) return error;
    if (error instanceof snmp.RequestFailedError) {
      hasAnswered = true;
      if (error.status === tooBig) return new TooBig();
      const word = statusWords[error.status] ?? `error ${error.status}`;
      const [, oid] = /: ([\d.]+)$/.exec(error.message) ?? [];
      return new PluginError(
        "CommandError",
        `The agent answered ${word}${oid === undefined ? "" : ` for ${oid}`}.`,
        {
          status: error.status,
        },
      );
    }
    if (/^Unknown cipher/i.test(error.message))
      return new PluginError("DriverError", "priv_protocol: this runtime lacks the cipher, which Bun has.", {
        outcome: "none",
      });
    if (error instanceof snmp.RequestTimedOutError) return silent();
    if (error instanceof snmp.ResponseInvalidError && error.code === snmp.ResponseInvalidCode.EAuthFailure)
      return new PluginError(
        "AuthenticationFailed",
        `The agent at ${where} refused the login: ${error.message.replace(/ \(.*/, "").toLowerCase()}.`,
      );
    return new PluginError(
      "DriverError",
      `The agent's answer is not valid: ${error.message.slice(0, 300)}`,
      {},
      {
        cause: error,
      },
    );
  }

  function silent(): PluginError {
    const times = repeats === 0 ? "" : ` to ${repeats + 1} requests`;
    if (nonsense !== undefined)
      return new PluginError("DriverError", `What ${where} answered is not SNMP: ${nonsense}`);
    if (hasAnswered)
      return new PluginError(
        "ReadTimeout",
        `The agent at ${where} did not answer${times} within ${timeoutMs / 1000} s each.`,
      );
    const why =
      version === "2c"
        ? "nothing listens there, or it does not accept the community"
        : "nothing listens there";
    return new PluginError(
      "ConnectionTimeout",
      `No answer from ${where}${times} within ${timeoutMs / 1000} s each: ${why}.`,
    );
  }

  const first = ([varbinds = []]: readonly (readonly Varbind[])[]) => varbinds;
  const agent: Agent = {
    get: (oids, ctx) => ask((reply) => session.get(oids, reply), ctx),
    next: (oid, ctx) => ask((reply) => session.getNext([oid], reply), ctx),
    bulk: async (oid, most, ctx) => first(await ask((reply) => session.getBulk([oid], 0, most, reply), ctx)),
    async set(varbinds, ctx) {
      // An engine that is not known yet is asked for first: that request may be repeated.
      if (version === "3" && !hasAnswered) await agent.get(["1.3.6.1.2.1.1.3.0"], ctx).catch(ofLogin);
      session.retries = 0;
      try {
        return await ask((reply) => session.set(varbinds, reply), ctx);
      } catch (error) {
        throw isAnswered(error) ? error : withDetail(error, { outcome: "unknown" });
      } finally {
        session.retries = repeats;
      }
    },
    open: socket.open,
    close() {
      session.close();
      socket.close();
    },
  };
  return agent;
}

/** Whether it is certain that nothing was set. */
const isAnswered = (error: unknown): boolean =>
  error instanceof TooBig ||
  (error instanceof PluginError &&
    ["CommandError", "AuthenticationFailed", "ConnectionRefused"].includes(error.kind));

/** An agent that refuses this one object may accept another. */
function ofLogin(error: unknown): void {
  if (error instanceof PluginError && error.kind === "CommandError") return;
  throw error;
}

function sessionOn(
  socket: UdpSocket,
  connection: Tools["connection"],
  failed: (error: Error) => void,
): Session {
  const { port, timeoutMs, repeats, version, community, username, password, priv_password, context } =
    connection;
  const dgramModule = {
    createSocket(type: unknown) {
      const dgram = socket.dgram.createSocket(type);
      dgram.on("error", (error: Error) => failed(error));
      return dgram;
    },
  };
  const options: Options = {
    port,
    version: version === "3" ? snmp.Version3 : snmp.Version2c,
    transport: socket.family,
    retries: repeats,
    timeout: timeoutMs,
    reportOidMismatchErrors: true,
    dgramModule,
    ...(context === undefined ? {} : { context }),
  };
  if (version === "2c") return snmp.createSession(socket.address, community?.reveal() ?? "", options);
  const auth = connection.auth_protocol ?? (password === undefined ? "none" : "sha256");
  const priv = connection.priv_protocol ?? (priv_password === undefined ? "none" : "aes");
  const { noAuthNoPriv, authNoPriv, authPriv } = snmp.SecurityLevel;
  const user = {
    name: username ?? "",
    level: auth === "none" ? noAuthNoPriv : priv === "none" ? authNoPriv : authPriv,
    ...(auth === "none"
      ? {}
      : { authProtocol: snmp.AuthProtocols[auth] ?? "", authKey: password?.reveal() ?? "" }),
    ...(priv === "none"
      ? {}
      : { privProtocol: snmp.PrivProtocols[priv] ?? "", privKey: priv_password?.reveal() ?? "" }),
  };
  return snmp.createV3Session(socket.address, user, options);
}
