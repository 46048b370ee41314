/** Calls of gNMI on one connection, and what its errors mean. */
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type Context,
  type GrpcCallOptions,
  type GrpcConnection,
  type GrpcTarget,
  PluginError,
  withDetail,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { tlsOf } from "../shared/tls.ts";
import type { Tools } from "./connection.ts";
import type { GnmiPath } from "./paths.ts";
import {
  CapabilityRequestSchema,
  type CapabilityResponse,
  CapabilityResponseSchema,
  GetRequestSchema,
  type GetResponse,
  GetResponseSchema,
  type PathSchema,
  SetRequestSchema,
  type SetResponse,
  SetResponseSchema,
  SubscribeRequestSchema,
  type SubscribeResponse,
  SubscribeResponseSchema,
} from "./proto/gnmi_pb.ts";
import { type EncodingName, encodingName, encodings } from "./values.ts";

const maxBytes = 32 * 1024 * 1024;
const service = "/gnmi.gNMI/";

export interface Subscription {
  readonly responses: AsyncIterable<SubscribeResponse>;
  /** Asks again, of a subscription of the mode poll. */
  poll(): void;
  cancel(): void;
}

export interface CallLimits {
  readonly seconds?: number | undefined;
}

export interface Client {
  capabilities(ctx: Context): Promise<CapabilityResponse>;
  /** What the caller chose, or the best that the device has. */
  encoding<Name extends EncodingName>(
    asked: Name | undefined,
    ctx: Context,
  ): Promise<Name | "json" | "json_ietf">;
  get(
    request: MessageInitShape<typeof GetRequestSchema>,
    limits: CallLimits,
    ctx: Context,
  ): Promise<GetResponse>;
  set(
    request: MessageInitShape<typeof SetRequestSchema>,
    limits: CallLimits,
    ctx: Context,
  ): Promise<SetResponse>;
  subscribe(
    request: MessageInitShape<typeof SubscribeRequestSchema>,
    limits: CallLimits,
    ctx: Context,
  ): Subscription;
  alive(): boolean;
  close(): Promise<void>;
}

const unsaid: Pick<CapabilityResponse, "supportedEncodings"> = { supportedEncodings: [] };

export async function openClient(tools: Tools, ctx: Context): Promise<Client> {
  const { timeoutMs } = tools.connection;
  const connection = await tools.grpc.connect(await targetOf(tools), ctx).catch((error: unknown) => {
    throw advised(error);
  });
  return clientOn(connection, timeoutMs);
}

async function targetOf({ connection, files }: Tools): Promise<GrpcTarget> {
  const { host, port, transport, timeoutMs, username, password, fingerprint, tls_name } = connection;
  const login = { username, password: password?.reveal() };
  const metadata = Object.fromEntries(
    Object.entries(login).flatMap(([name, text]) => {
      if (text === undefined || text === "") return [];
      if (/^[\x20-\x7e]+$/.test(text)) return [[name, text]];
      throw new PluginError(
        "DriverError",
        `connection_args.${name}: gRPC carries printable ASCII characters only.`,
        { outcome: "none" },
      );
    }),
  );
  const target = { host, port, connectTimeoutMs: timeoutMs, metadata };
  if (transport === "insecure") return target;
  return {
    ...target,
    tls: {
      ...(await tlsOf(connection, files)),
      ...(fingerprint === undefined ? {} : { fingerprint }),
      ...(tls_name === undefined ? {} : { serverName: tls_name }),
    },
  };
}

function clientOn(connection: GrpcConnection, timeoutMs: number): Client {
  let known: CapabilityResponse | undefined;

  const optionsOf = ({ seconds }: CallLimits): GrpcCallOptions => ({
    timeoutMs: seconds === undefined ? timeoutMs : seconds * 1000,
    maxMessageBytes: maxBytes,
    maxBytes,
  });

  async function unary<Request extends DescMessage, Response extends DescMessage>(
    name: string,
    [requestSchema, request]: readonly [Request, MessageInitShape<Request>],
    responseSchema: Response,
    limits: CallLimits,
    ctx: Context,
  ): Promise<MessageShape<Response>> {
    const bytes = toBinary(requestSchema, create(requestSchema, request));
    const answer = await connection
      .unary(`${service}${name}`, bytes, optionsOf(limits), ctx)
      .catch((error: unknown) => {
        throw advised(error, name);
      });
    return decoded(responseSchema, answer, name);
  }

  const client: Client = {
    async capabilities(ctx) {
      known ??= await unary("Capabilities", [CapabilityRequestSchema, {}], CapabilityResponseSchema, {}, ctx);
      return known;
    },
    async encoding(asked, ctx) {
      if (asked !== undefined) return asked;
      const { supportedEncodings } = await client.capabilities(ctx).catch((error: unknown) => {
        // A device that does not say what it has may still have the usual.
        if (error instanceof PluginError && error.kind === "CommandError") return unsaid;
        throw error;
      });
      const has = (name: "json" | "json_ietf") => supportedEncodings.includes(encodings[name]);
      return !has("json_ietf") && has("json") ? "json" : "json_ietf";
    },
    get: (request, limits, ctx) => unary("Get", [GetRequestSchema, request], GetResponseSchema, limits, ctx),
    set: (request, limits, ctx) => unary("Set", [SetRequestSchema, request], SetResponseSchema, limits, ctx),
    subscribe(request, limits, ctx) {
      const call = connection.call(`${service}Subscribe`, optionsOf(limits), ctx);
      const send = (message: MessageInitShape<typeof SubscribeRequestSchema>) =>
        call.send(toBinary(SubscribeRequestSchema, create(SubscribeRequestSchema, message)));
      send(request);
      return {
        responses: responsesOf(call.messages),
        poll: () => send({ request: { case: "poll", value: {} } }),
        cancel: call.cancel,
      };
    },
    alive: connection.alive,
    close: connection.close,
  };
  return client;
}

async function* responsesOf(messages: AsyncIterable<Uint8Array>): AsyncIterable<SubscribeResponse> {
  try {
    for await (const message of messages) yield decoded(SubscribeResponseSchema, message, "Subscribe");
  } catch (error) {
    throw advised(error, "Subscribe");
  }
}

function decoded<Schema extends DescMessage>(
  schema: Schema,
  bytes: Uint8Array,
  name: string,
): MessageShape<Schema> {
  try {
    return fromBinary(schema, bytes, { readUnknownFields: false });
  } catch (error) {
    throw new PluginError(
      "DriverError",
      `The answer to ${name} is no message of gNMI: ${messageOf(error).slice(0, 200)}`,
    );
  }
}

/** What to do about a connection that did not come about. */
const advice: Readonly<Record<string, string>> = {
  unknown_ca:
    "Give its CA as connection_args.ca_file, pin the certificate with fingerprint, or accept any with verify: false.",
  wrong_name: "Give the name that it has as connection_args.tls_name, or pin it with fingerprint.",
  expired: "Renew it, or pin it with connection_args.fingerprint.",
  other_certificate:
    "If it was renewed, give the new connection_args.fingerprint; otherwise somebody else answers.",
  client_certificate:
    "Give connection_args.client_cert_file and client_key_file, signed by a CA that the device knows.",
  no_tls: 'Check the port, or set connection_args.transport to "insecure".',
  wants_tls: "Leave connection_args.transport out.",
  no_http2: "Check the port: devices have gNMI on 9339, 57400, 6030, 50051 or 32767.",
};

/** What to do about a status. */
const statusAdvice: Readonly<Record<number, string>> = {
  7: "The user may not do that, or the login is wrong.",
  12: "The device lacks this call or an option of it: the query capabilities says what it has.",
  16: "Check username and password.",
};

function advised(error: unknown, name?: string): unknown {
  if (!(error instanceof PluginError)) return error;
  const { grpc_status: status, reason } = error.detail ?? {};
  const more =
    typeof reason === "string"
      ? advice[reason]
      : typeof status === "number"
        ? statusAdvice[status]
        : undefined;
  const told = name === undefined ? {} : { command: name };
  const kind = kinds.find((one) => one === error.kind);
  if (more === undefined || kind === undefined) return withDetail(error, told);
  return new PluginError(kind, `${error.message} ${more}`, { ...error.detail, ...told }, { cause: error });
}

const kinds = [
  ...(["HostUnreachable", "DriverError", "ConnectionLost", "CommandError", "AuthenticationFailed"] as const),
];

/** Of a request: the target behind a gateway stands in the prefix. */
export function prefixOf(
  path: GnmiPath | undefined,
  target: string | undefined,
): MessageInitShape<typeof PathSchema> | undefined {
  if (path === undefined && target === undefined) return undefined;
  return { ...(path === undefined ? {} : protoPath(path)), ...(target === undefined ? {} : { target }) };
}

export const protoPath = ({ origin, elem }: GnmiPath): MessageInitShape<typeof PathSchema> => ({
  origin,
  elem: elem.map(({ name, key }) => ({ name, key: { ...key } })),
});

export const capabilitiesOf = ({ supportedModels, supportedEncodings, gnmiVersion }: CapabilityResponse) => ({
  version: gnmiVersion,
  encodings: supportedEncodings.map(encodingName),
  models: supportedModels.map(({ name, organization, version }) => ({ name, organization, version })),
});

export const depthOf = (level: number) => ({ ext: { case: "depth", value: { level } } }) as const;
