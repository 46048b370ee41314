/** Builds the authentication of an inventory source from a credential. */
import { ServiceError } from "../base/errors.ts";

/** The resolved values of a credential. */
export interface Login {
  readonly username?: string | undefined;
  readonly token?: string | undefined;
}

export function refusal(host: string, status: number): ServiceError {
  if (status === 401 || status === 403)
    return new ServiceError(
      "AuthenticationFailed",
      `${host} answered ${status}: it rejected the credential.`,
    );
  return new ServiceError("CommandError", `${host} answered ${status}.`);
}
