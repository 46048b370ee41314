/** `kit.grpc`: calls over HTTP/2 to one checked server. */
import { requireDescriptor } from "../../base/files/descriptors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import type { DialRule } from "../../base/net/dial.ts";
import { abortReason } from "../../base/time/deadline.ts";
import type { GrpcKit } from "../../plugin/index.ts";
import type { OutputShare } from "../output-shares.ts";
import type { CheckAddress } from "./http-address.ts";

export interface GrpcKitOptions {
  readonly check: CheckAddress;
  /** @throws ServiceError WorkerLost */
  checkLease(): void;
  /** Watches the stream: nothing is sent after the lease or the task has ended. */
  guard(stream: ByteStream): ByteStream;
  rule(): Pick<DialRule, "whose">;
  /** What the current task holds in memory; undefined: nobody counts it. */
  share?(): OutputShare | undefined;
}

export function createGrpcKit({ check, checkLease, guard, rule, share }: GrpcKitOptions): GrpcKit {
  return {
    async connect(to, ctx) {
      if (ctx.signal.aborted) throw abortReason(ctx.signal);
      requireDescriptor();
      const address = await check(to.host);
      checkLease();
      const { host, port, connectTimeoutMs, tls, metadata = {} } = to;
      const { whose } = rule();
      // Loaded on first use: most nodes never speak HTTP/2.
      const [{ openStream }, { openSession }] = await Promise.all([
        import("../../device/grpc/connect.ts"),
        import("../../device/grpc/session.ts"),
      ]);
      const startedAt = performance.now();
      const stream = guard(
        await openStream({ host, port, connectTimeoutMs, tls }, ctx, pinned(whose), async () => [address]),
      );
      const leftMs = Math.max(0, connectTimeoutMs - (performance.now() - startedAt));
      return openSession(
        stream,
        { host, port, connectTimeoutMs: leftMs, isSecure: tls !== undefined, metadata },
        ctx,
        share,
      );
    },
  };
}

/** Exactly the address that was checked is dialled. */
const pinned = (whose: string | undefined): DialRule => ({
  limited: true,
  whose,
  addresses() {},
  stated() {},
  keepsHostKey: () => false,
});
