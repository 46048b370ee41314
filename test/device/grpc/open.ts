/** Opens connections of `kit.grpc` to servers on loopback. */
import { createGrpcKit } from "../../../src/executor/kit/grpc-kit.ts";
import { checkUrl } from "../../../src/executor/kit/http-address.ts";
import type { GrpcConnection, GrpcKit, GrpcTls } from "../../../src/plugin/index.ts";
import { taskContext } from "../../plugin/context.ts";

export const loopbackKit = (): GrpcKit =>
  createGrpcKit({
    check: checkUrl({ policy: { allow: ["127.0.0.1"], deny: [] } }),
    checkLease() {},
    guard: (stream) => stream,
    rule: () => ({ whose: undefined }),
  });

export function connectTo(
  port: number,
  tls?: GrpcTls,
  metadata: Readonly<Record<string, string>> = {},
): Promise<GrpcConnection> {
  const to = { host: "127.0.0.1", port, connectTimeoutMs: 10_000, metadata };
  return loopbackKit().connect(tls === undefined ? to : { ...to, tls }, taskContext());
}
