/** Failures of the library as sentences for people. They quote no token, code or secret, which the library's causes do. */
import * as oauth from "oauth4webapi";
import { ServiceError } from "../base/errors.ts";

/** Any error of the library, or one of ours. An error that is neither is a defect, and stays as it is. */
export function refusalOf(error: unknown, who: string): unknown {
  if (error instanceof oauth.AuthorizationResponseError) {
    const { error: code, error_description: why } = error;
    const reason = why === undefined ? shown(code) : `${shown(code)}, ${shown(why)}`;
    return new ServiceError("Forbidden", `${who} did not let you in: ${reason}.`);
  }
  if (error instanceof oauth.ResponseBodyError) return ofTokenEndpoint(error.error, who);
  if (error instanceof oauth.WWWAuthenticateChallengeError) return notAccepted(who);
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError)
    return invalid(error, who);
  return error;
}

function ofTokenEndpoint(code: string, who: string): ServiceError {
  if (code === "invalid_grant") {
    const text = "This sign-in was used already, or it took too long. Begin again.";
    return new ServiceError("BadRequest", text);
  }
  if (code === "invalid_client" || code === "unauthorized_client") return notAccepted(who);
  return new ServiceError("Unavailable", `${who} refused to end the sign-in: ${shown(code)}.`);
}

function notAccepted(who: string): ServiceError {
  const text = `${who} does not accept this service: its client id or client secret is not right in the settings, or not registered there.`;
  return new ServiceError("Unavailable", text);
}

const claims: Readonly<Record<string, string>> = {
  iss: "it is of another issuer",
  aud: "it is for another service",
  azp: "it is for another service",
  nonce: "it belongs to another sign-in",
};

/** By parts of the library's messages, where its codes do not tell them apart. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/signature verification/, "its signature is not right"],
  [/"alg"|JWS algorithm/, "it is signed with an algorithm that is not accepted"],
  [/"state"/, "it belongs to another sign-in"],
  [/JWE|decrypt/, "it is encrypted"],
  [/modulusLength/, "its key is too short"],
];

function invalid(
  error: oauth.OperationProcessingError | oauth.UnsupportedOperationError,
  who: string,
): ServiceError {
  const { code, message, cause } = error;
  const sentence = (why: string) =>
    new ServiceError("Forbidden", `${who} sent an answer that is refused: ${why}.`);
  if (code === oauth.JWT_TIMESTAMP_CHECK) {
    const text = `${who} sent a token that has expired or is not valid yet: its clock and the one here differ by more than a minute. Set both by NTP, then sign in again.`;
    return new ServiceError("Forbidden", text);
  }
  if (code === oauth.KEY_SELECTION)
    return sentence("it is signed with a key that the provider does not publish");
  const known = reasons.find(([pattern]) => pattern.test(message));
  if (known !== undefined) return sentence(known[1]);
  const claim = typeof cause === "object" && cause !== null ? Reflect.get(cause, "claim") : undefined;
  if (typeof claim === "string" && Object.hasOwn(claims, claim)) return sentence(claims[claim] ?? "");
  if (code === oauth.JSON_ATTRIBUTE_COMPARISON) {
    const attribute =
      typeof cause === "object" && cause !== null ? Reflect.get(cause, "attribute") : undefined;
    if (attribute === "issuer")
      return new ServiceError(
        "Unavailable",
        `${who} names another issuer than the settings do: compare the two URLs.`,
      );
    return sentence("its user info is of another person");
  }
  if (
    code === oauth.RESPONSE_IS_NOT_CONFORM ||
    code === oauth.RESPONSE_IS_NOT_JSON ||
    code === oauth.PARSE_ERROR
  ) {
    const status = cause instanceof Response ? ` (status ${cause.status})` : "";
    return new ServiceError(
      "Unavailable",
      `${who} does not answer as an OpenID Connect provider does${status}.`,
    );
  }
  return sentence(`it is not valid (${shown(message)})`);
}

/** Of the provider or the library: short, and in plain characters. */
function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}
