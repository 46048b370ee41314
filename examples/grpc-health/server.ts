/** A test double of a server for the driver grpc-health, over grpc-js: its statuses change as the test says. */
import { EventEmitter } from "node:events";
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  status,
} from "@grpc/grpc-js";

export interface HealthServer {
  readonly port: number;
  /** Watches that are open. */
  watches: number;
  /** Tells those who watch. */
  tell(serving: number, padding?: number): void;
  close(): void;
}

const bytes = (buffer: Buffer) => buffer;
const common = {
  ...{ requestSerialize: bytes, requestDeserialize: bytes, responseSerialize: bytes },
  ...{ responseDeserialize: bytes, requestStream: false },
};

export async function startHealthServer(token: string): Promise<HealthServer> {
  const changes = new EventEmitter().setMaxListeners(0);
  const message = (serving: number, padding = 0) => Buffer.from([0x08, serving, ...Buffer.alloc(padding)]);
  const fault = (metadata: Metadata, name: string) => {
    if (metadata.get("authorization")[0] !== `Bearer ${token}`)
      return { code: status.UNAUTHENTICATED, details: "wrong token" };
    return name === "absent" ? { code: status.NOT_FOUND, details: "no such service" } : undefined;
  };
  const nameIn = (request: Buffer) => request.subarray(2).toString();
  const check: handleUnaryCall<Buffer, Buffer> = ({ metadata, request }, reply) => {
    const refused = fault(metadata, nameIn(request));
    if (refused !== undefined) return reply(refused);
    reply(null, nameIn(request) === "large" ? message(1, 1_000_000) : message(1));
  };
  const watch: handleServerStreamingCall<Buffer, Buffer> = (call) => {
    const refused = fault(call.metadata, nameIn(call.request));
    if (refused !== undefined) return void call.destroy(Object.assign(new Error(refused.details), refused));
    const told = (serving: number, padding?: number) => void call.write(message(serving, padding));
    health.watches++;
    changes.on("told", told);
    call.on("cancelled", () => {
      health.watches--;
      changes.off("told", told);
    });
    told(1);
  };
  const server = new Server();
  server.addService(
    {
      check: { path: "/grpc.health.v1.Health/Check", responseStream: false, ...common },
      watch: { path: "/grpc.health.v1.Health/Watch", responseStream: true, ...common },
    },
    { check, watch },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
  const health: HealthServer = {
    port,
    watches: 0,
    tell: (serving, padding) => void changes.emit("told", serving, padding),
    close: () => server.forceShutdown(),
  };
  return health;
}
