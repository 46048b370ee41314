/** How a source of the inventory is asked: with what a credential gave. */
import { ServiceError } from "../base/errors.ts";

/** What a credential source has given. */
export interface Login {
  readonly username?: string | undefined;
  readonly token?: string | undefined;
}

export function refusal(host: string, status: number): ServiceError {
  if (status === 401 || status === 403)
    return new ServiceError(
      "AuthenticationFailed",
      `${host} answered ${status}: it does not take the credential.`,
    );
  return new ServiceError("CommandError", `${host} answered ${status}.`);
}
