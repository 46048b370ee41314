/** The connection test: runs immediately, outside of the queue, and explains failures. */

import type { Body } from "../api/body.ts";
import { canonicalHost } from "../api/identity.ts";
import type { TestAnswer } from "../api/jobs/request.ts";
import { testRequest } from "../api/jobs/request.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { taskReach } from "../auth/reach.ts";
import { ServiceError, toErrorData } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import { createDeadline, onAbort } from "../base/time/deadline.ts";
import {
  type Admission,
  accountNamed,
  accountWord,
  type CredentialUse,
  type LoginGate,
} from "../limits/port.ts";
import type { DriverPlugin } from "../plugin/index.ts";
import type { Pool } from "../pool/port.ts";
import type { Store } from "../store/port.ts";
import {
  type CheckedConnection,
  checkConnection,
  overlaid,
  targetOf,
  validatedWithStandIns,
} from "./request/device/connection.ts";
import { type ReachTools, requireReach } from "./request/device/request-reach.ts";
import { type SelectionTools, withDevice } from "./request/device/selection.ts";
import { unknownDriver } from "./request/operation.ts";
import { ignoredIn } from "./request/unknown-members.ts";
import { checkShape } from "./request/validate.ts";

export interface ConnectionTestTools extends ReachTools, SelectionTools {
  readonly store: Pick<Store, "audit">;
  readonly pool: Pool;
  readonly loginGate: LoginGate;
  readonly credentialUse: CredentialUse;
  readonly admission: Pick<Admission, "connectionTests">;
  readonly iso: (ms: number) => string;
  now(): number;
}

/** Default timeout. */
const defaultTimeoutS = 20;
const maxWarnings = 20;
/** Grace period after the driver's own timeout. */
const graceMs = 2_000;

export function createConnectionTest(tools: ConnectionTestTools) {
  const { store, plugins, pool, loginGate, admission, iso, now } = tools;

  return async (body: Body, caller: Caller, signal: AbortSignal): Promise<TestAnswer> => {
    requireScope(caller, "operate");
    const request = checkShape(testRequest, body.value);
    const deviceRequest = await withDevice(tools, request, false, caller);
    const driver = plugins.get("driver", deviceRequest.driver);
    if (!driver) return refuse([unknownDriver(deviceRequest.driver, plugins)]);
    const connectionArgs = overlaid(driver, deviceRequest.connection, request.driver_args);
    const checked = await checkConnection(driver, connectionArgs, plugins);
    if (checked.issues.length > 0) refuse(checked.issues);
    await requireReach(tools, caller, { ...checked, urls: [] });
    const leave = admission.connectionTests.take(shareOf(caller));
    try {
      await tools.credentialUse.note({ ...checked, keyId: caller.keyId });
      const target = checked.target ?? targetOf(driver, await validatedWithStandIns(driver, connectionArgs));
      const answer = await test(driver, { ...checked, target }, request.driver_args ?? {}, caller, signal);
      const warnings = [...ignoredIn(request, Object.keys(testRequest.entries), ""), ...checked.warnings];
      const outcome = answer.success ? "success" : "failed";
      await store.audit.add({
        caller,
        action: "device.test",
        host: checked.host,
        outcome,
        detail: driver.name,
      });
      return warnings.length > 0 ? { ...answer, warnings: warnings.slice(0, maxWarnings) } : answer;
    } finally {
      leave();
    }
  };

  async function test(
    driver: DriverPlugin,
    { connection, credential, host, hosts, through, target: reached }: CheckedConnection,
    args: Record<string, unknown>,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<TestAnswer> {
    const seconds =
      numberOf(reached?.timeout) ?? numberOf(connection.timeout) ?? driver.timeout ?? defaultTimeoutS;
    const account = accountNamed(connection.username, credential);
    const target: Target = { host, port: reached?.port, user: accountWord(account), seconds };
    const deadline = createDeadline(
      seconds * 1000 + graceMs,
      () => new ServiceError("ConnectionTimeout", "late"),
    );
    const unlisten = onAbort(signal, () =>
      deadline.abort(new ServiceError("Cancelled", "The caller has disconnected.")),
    );
    const from = performance.now();
    try {
      const key = canonicalHost(host);
      const pass = await loginGate.enter(key, account, deadline.signal, undefined, through);
      try {
        const named = hosts.map((host) => host.host);
        const task = {
          kind: "probe" as const,
          driver: driver.name,
          connection,
          args,
          reach: [...taskReach(caller.hosts, named)],
          whose: shareOf(caller),
        };
        const device_info = await pool.run(task, {
          deadline,
          answer: async (question) =>
            question.about === "hops" ? pass.enterHops(question.logins, deadline.signal) : undefined,
        });
        pass.accepted();
        const connection_time = Math.round(performance.now() - from) / 1000;
        return { success: true, connection_time, error_message: null, device_info, timestamp: iso(now()) };
      } catch (error) {
        if (error instanceof ServiceError) pass.failed(error);
        throw error;
      } finally {
        pass.leave();
      }
    } catch (error) {
      const error_message = explain(error, target);
      return {
        success: false,
        connection_time: null,
        error_message,
        device_info: null,
        timestamp: iso(now()),
      };
    } finally {
      unlisten();
      deadline.dispose();
    }
  }
}

interface Target {
  host: string;
  port: number | undefined;
  user: string;
  seconds: number;
}

/** Driver messages that name the host, perhaps a jump host, and say more than the standard texts. */
const telling = /^(Authentication failed for|Connection refused by|Host key of) /;

/** The standard text for each kind of failure, or the message of the driver. */
function explain(error: unknown, { host, port, user, seconds }: Target): string {
  const place = port === undefined ? host : `${host}:${port}`;
  const { kind, message } = toErrorData(error, "DriverError");
  // The sentence that clients of 0.2 know; the job says more.
  const changed = `Host key of ${host} does not match the known one`;
  if (message.startsWith(changed)) return changed;
  if (telling.test(message)) return message;
  switch (kind) {
    case "ConnectionTimeout":
    case "JobTimeout":
    case "ReadTimeout":
      return `Connection to ${place} timed out after ${seconds} seconds`;
    case "AuthenticationFailed":
      return `Authentication failed for ${user}@${host}${/^Private key /.test(message) ? `: ${message}` : ""}`;
    case "ConnectionRefused":
      return `Connection refused by ${place}`;
    case "HostKeyMismatch":
      return changed;
    default:
      return message;
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
