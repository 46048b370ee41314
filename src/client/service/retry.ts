/** Retries jobs: secrets that the service no longer has come from the environment or a prompt. */
import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import type { ClientEnvironment } from "../input/environment.ts";
import type { Terminal } from "../output/terminal.ts";
import { readCredential } from "../rooms/inventory.ts";
import type { Api } from "./api.ts";

export interface RetryFlags {
  readonly only?: string;
  readonly errorType?: readonly string[];
  readonly outcome?: string;
  readonly credential?: string;
  /** If false, does not prompt. */
  readonly password?: boolean;
  readonly force?: boolean;
}

interface Circumstances {
  readonly api: Api;
  readonly environment: ClientEnvironment;
  readonly terminal: Pick<Terminal, "isAttended" | "askHidden" | "note">;
}

/** Request fields that may hold secrets. */
const suppliable = /^(?:connection_args|driver_args|config|options\.webhook)\./;
const issues = v.array(v.object({ path: v.string(), message: v.string() }));

const forceOfApi = "force: true";
/** A text of the service in the words of the command line. */
export const inFlags = (text: string): string => text.replaceAll(forceOfApi, "--force");

/** A second call supplies missing secrets. @throws ServiceError Validation */
export async function retry<S extends v.GenericSchema>(
  path: string,
  schema: S,
  flags: RetryFlags,
  { api, environment, terminal }: Circumstances,
): Promise<v.InferOutput<S>> {
  const body = {
    only: flags.only,
    error_type: flags.errorType,
    outcome: flags.outcome,
    ...(flags.credential === undefined ? {} : { credential: readCredential(flags.credential) }),
    ...(flags.force === true ? { force: true } : {}),
  };
  const send = (body: object) =>
    api
      .call(path, schema, {
        method: "POST",
        body,
        headers: { "Idempotency-Key": randomUUID() },
        patient: true,
      })
      .catch((error: unknown) => {
        if (!(error instanceof ServiceError) || !error.message.includes(forceOfApi)) throw error;
        throw new ServiceError(error.kind, inFlags(error.message), error.detail);
      });
  try {
    return await send(body);
  } catch (error) {
    const missing = missingIn(error);
    if (missing.length === 0 || flags.password === false) throw error;
    const knownValue = (place: string) =>
      place === "connection_args.password"
        ? environment.password?.reveal()
        : place === "connection_args.secret"
          ? environment.secret?.reveal()
          : undefined;
    if (!terminal.isAttended && missing.some((place) => knownValue(place) === undefined)) throw error;
    terminal.note("Secrets are not kept with a request:");
    const secrets: Record<string, unknown> = {};
    for (const place of missing)
      setAt(secrets, place.split("."), knownValue(place) ?? (await terminal.askHidden(`${place}: `)));
    return send({ ...body, ...secrets });
  }
}

/** @returns an empty list if the error has another cause */
function missingIn(error: unknown): string[] {
  if (!(error instanceof ServiceError) || error.kind !== "Validation") return [];
  const read = v.safeParse(issues, error.detail?.issues);
  if (!read.success || read.output.some(({ path }) => !suppliable.test(path))) return [];
  return read.output.map(({ path }) => path);
}

function setAt(
  target: Record<string, unknown>,
  [step = "", ...rest]: readonly string[],
  value: string,
): void {
  if (rest.length === 0) {
    target[step] = value;
    return;
  }
  const below: Record<string, unknown> = {};
  const nested = v.safeParse(v.record(v.string(), v.unknown()), target[step]);
  target[step] = Object.assign(below, nested.success ? nested.output : {});
  setAt(below, rest, value);
}
