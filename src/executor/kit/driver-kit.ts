/** Builds the tools of drivers: connects ssh, telnet and cli to the plugin contract. */

import { ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { DialRule } from "../../base/net/dial.ts";
import { createPlatformCompiler } from "../../device/cli/platform.ts";
import { createSsh, type HostKeyStore, type Ssh, withKnownHosts } from "../../device/ssh/connect.ts";
import type {
  Context,
  DriverTools,
  FilesKit,
  SshConnection,
  SshKit,
  SshTarget,
  Target,
} from "../../plugin/index.ts";
import type { HostKey, TransferOptions } from "../../plugin/kit/ssh.ts";
import type { ThreadQuestion, WorkerSettings } from "../../protocol/message-port.ts";
import type { Registry } from "../../registry/registry.ts";
import type { OutputShare } from "../output-shares.ts";
import { createSessionScope, type SessionScope } from "../session-scope.ts";
import { createCliKit } from "./cli-kit.ts";
import { createGrpcKit } from "./grpc-kit.ts";
import { type CheckAddress, checkDevice } from "./http-address.ts";
import { createHttpKit } from "./http-kit.ts";
import { createLeaseGuard, type LeaseGuard } from "./lease-guard.ts";
import { createNetconfKit } from "./netconf-kit.ts";
import { createTransferPlaces, type TransferPlaces } from "./transfer-places.ts";
import { createUdpKit } from "./udp-kit.ts";

export interface DriverKitOptions {
  readonly settings: Pick<WorkerSettings, "leaseValidUntil" | "transferRoots" | "transferRoom"> &
    Partial<Pick<WorkerSettings, "knownHosts" | "agentSocket">>;
  readonly registry: Registry;
  readonly files: FilesKit;
  /** Policy for requests to hosts other than the device. */
  readonly checkUrl: CheckAddress;
  /** What the current task may dial. */
  rule(): DialRule;
  /** What the current task holds in memory. */
  share?(): OutputShare | undefined;
  ask(question: ThreadQuestion): Promise<unknown>;
}

export interface DriverKit {
  /**
   * Checks that the lease of this node is still valid.
   * @throws ServiceError WorkerLost
   */
  checkLease(): void;
  /** Tools for one session. */
  tools<C, S>(
    connection: C,
    target: Target,
    settings: S,
    log: Log,
    scope?: SessionScope,
  ): Omit<DriverTools<C, S>, "hide">;
  scope(): SessionScope;
  /** Keys of the store and of the operator's files. */
  readonly hostKeys: Pick<HostKeyStore, "knownKeys">;
}

export function createDriverKit({
  settings,
  registry,
  files,
  checkUrl,
  ask,
  rule,
  share = () => undefined,
}: DriverKitOptions): DriverKit {
  const { agentSocket, knownHosts = [] } = settings;
  const stored: HostKeyStore = {
    // The main thread answers from its store.
    knownKeys: async (host, port, route) =>
      (await ask({ about: "knownHostKeys", host, port, route })) as HostKey[],
    learn: async (host, port, key, route) =>
      void (await ask({ about: "learnHostKey", host, port, key, route })),
    offer: async (host, port, key, route) =>
      void (await ask({ about: "offerHostKey", host, port, key, route })),
  };
  const hostKeys = withKnownHosts(stored, knownHosts);
  const open = createSsh({
    hostKeys,
    ...(agentSocket === undefined ? {} : { agentSocket }),
  });
  const ssh: Ssh = { connect: (target, limit) => open.connect(target, limit, rule()) };
  const leaseGuard = createLeaseGuard(settings.leaseValidUntil);
  const places = createTransferPlaces(settings, rule);
  const shared: Pick<DriverTools<unknown, unknown>, "files" | "platform" | "platforms"> = {
    files,
    platform(name) {
      const platform = registry.get("platform", name);
      if (!platform) throw new ServiceError("DriverError", `There is no platform named "${name}".`);
      return platform;
    },
    platforms: () => registry.list("platform"),
  };
  const compile = createPlatformCompiler();
  return {
    hostKeys,
    checkLease: leaseGuard.check,
    scope: () => createSessionScope(leaseGuard),
    tools(connection, target, pluginSettings, log, scope = createSessionScope(leaseGuard)) {
      const check: CheckAddress = (host) => checkDevice(target.host, rule(), checkUrl)(host);
      const http = scope.http(createHttpKit({ check, checkLease: scope.check, share }));
      const sshOfSession = scope.ssh(ssh);
      const guarded = guardedSsh(sshOfSession, scope, rule, places);
      return {
        ...shared,
        ssh: guarded,
        netconf: createNetconfKit(guarded),
        udp: scope.udp(createUdpKit({ check, checkLease: scope.check })),
        grpc: createGrpcKit({ check, checkLease: scope.check, guard: scope.guard, rule, share }),
        cli: createCliKit({ ssh: sshOfSession, leaseGuard: scope, rule, places, compile }),
        http,
        log,
        connection,
        settings: pluginSettings,
      };
    },
  };
}

/** Blocks commands and transfers once the node has lost its lease; reading remaining output is harmless. */
function guardedSsh(ssh: Ssh, leaseGuard: LeaseGuard, rule: () => DialRule, places: TransferPlaces): SshKit {
  return {
    async connect(target: SshTarget, ctx: Context): Promise<SshConnection> {
      leaseGuard.check();
      const connection = await ssh.connect(target, ctx);
      const moving =
        (direction: "upload" | "download") => async (options: TransferOptions, task: Context) => {
          leaseGuard.check();
          return connection[direction]({ ...options, ...(await places.of(task)) }, task);
        };
      return {
        hostKey: connection.hostKey,
        algorithms: connection.algorithms,
        exec(command, options, task) {
          leaseGuard.check();
          return connection.exec(command, options, task, task.output);
        },
        async shell(terminal, task) {
          leaseGuard.check();
          return leaseGuard.guard(await connection.shell(terminal, task));
        },
        async subsystem(name, task) {
          leaseGuard.check();
          return leaseGuard.guard(await connection.subsystem(name, task));
        },
        async forward(to, task) {
          leaseGuard.check();
          // The server resolves the forwarding target, so the key's limits are checked against its name.
          rule().stated(to.host);
          return leaseGuard.guard(await connection.forward(to, task));
        },
        upload: moving("upload"),
        download: moving("download"),
        alive: connection.alive,
        answers: connection.answers,
        onLost: connection.onLost,
        close: connection.close,
      };
    },
  };
}
