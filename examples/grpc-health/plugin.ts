/** Any server with gRPC's health checking protocol (`grpc.health.v1.Health`): a query is the name of a service. */
import { type Context, defineDriver, type GrpcConnection, PluginError, secret, v } from "patchbay/plugin";

const statuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
const whole = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

export default defineDriver({
  name: "grpc-health",
  version: "1.0.0",
  connection: v.object({
    host: v.string(),
    port: whole(1, 65_535),
    token: v.optional(secret(v.string())),
    timeout: v.optional(whole(1, 60), 10),
    /** A CA as PEM, or `insecure` for no TLS. */
    ca: v.optional(v.string()),
  }),
  query: v.object({
    /** How many statuses to wait for, as they change. */
    changes: v.optional(whole(1, 1_000)),
    seconds: v.optional(whole(1, 600), 30),
  }),
  strategy: "fifo",
  target: ({ host, port }) => ({ host, port }),
  commands: "names",
  repeatable: () => true,

  async open({ connection, grpc }, ctx) {
    const { host, port, token, timeout, ca } = connection;
    const server = await grpc.connect(
      {
        host,
        port,
        connectTimeoutMs: timeout * 1000,
        ...(ca === "insecure" ? {} : { tls: ca === undefined ? {} : { ca } }),
        ...(token === undefined ? {} : { metadata: { authorization: `Bearer ${token.reveal()}` } }),
      },
      ctx,
    );
    return {
      query(command, { changes, seconds }, ctx) {
        const name = typeof command === "string" ? command : command.send;
        return changes === undefined
          ? check(server, name, timeout * 1000, ctx)
          : watch(server, name, { changes, timeoutMs: seconds * 1000 }, ctx);
      },
      describe: async (ctx) => ({ host, status: await check(server, "*", timeout * 1000, ctx) }),
      close: () => server.close(),
    };
  },
});

async function check(server: GrpcConnection, name: string, timeoutMs: number, ctx: Context): Promise<string> {
  const options = { timeoutMs, maxMessageBytes };
  return statusOf(await server.unary("/grpc.health.v1.Health/Check", requestFor(name), options, ctx));
}

/** Until so many statuses have come. */
async function watch(
  server: GrpcConnection,
  name: string,
  { changes, timeoutMs }: { readonly changes: number; readonly timeoutMs: number },
  ctx: Context,
): Promise<string[]> {
  const found: string[] = [];
  const options = { timeoutMs, maxMessageBytes, maxBytes: changes * maxMessageBytes };
  const call = server.call("/grpc.health.v1.Health/Watch", options, ctx);
  call.send(requestFor(name));
  call.finish();
  for await (const message of call.messages) {
    found.push(statusOf(message));
    ctx.output(`${name} ${found.at(-1)}\n`);
    // Leaving the loop cancels the call.
    if (found.length === changes) break;
  }
  return found;
}

/** A status has two bytes. */
const maxMessageBytes = 64;

/** `HealthCheckRequest { string service = 1; }`; `*` asks for the server as a whole, whose name is empty. */
function requestFor(name: string): Uint8Array {
  const text = Buffer.from(name === "*" ? "" : name);
  if (text.byteLength > 127)
    throw new PluginError("DriverError", "The name of a service has at most 127 bytes.", { outcome: "none" });
  return Buffer.from([0x0a, text.byteLength, ...text]);
}

/** `HealthCheckResponse { ServingStatus status = 1; }`; the first status is left out. */
function statusOf(message: Uint8Array): string {
  const [tag, number = 0, ...rest] = message;
  const status = statuses[number];
  if ((tag !== undefined && tag !== 0x08) || status === undefined || rest.length > 0)
    throw new PluginError("DriverError", "The server's answer is no HealthCheckResponse.");
  return status;
}
