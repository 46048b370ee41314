/** Statuses of gRPC: their names, and the errors that they are here. */
import { type ErrorDetail, type ErrorKind, ServiceError } from "../../base/errors.ts";

const names: readonly string[] = [
  ...["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS"],
  ...["PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE"],
  ...["UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"],
];

const kinds: Readonly<Record<number, ErrorKind>> = {
  4: "ReadTimeout",
  14: "ConnectionLost",
  16: "AuthenticationFailed",
};

const longest = 1_000;

/** @param words as the server sent them: percent-encoded */
export function statusError(code: number, words: string, host: string): ServiceError {
  const name = names[code] ?? `status ${code}`;
  const said = decoded(words).replace(/\s+/g, " ").trim().slice(0, longest);
  const detail: ErrorDetail = { grpc_status: code, grpc_code: name };
  return new ServiceError(
    kinds[code] ?? "CommandError",
    `${host} refused the call (${name})${said === "" ? "." : `: ${said.replace(/\.?$/, ".")}`}`,
    code === 16 ? { ...detail, outcome: "none" } : detail,
  );
}

function decoded(words: string): string {
  // What is cut may end within a character.
  const text = words.slice(0, longest * 4);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Answers of what is in front of a gRPC server, or is none. */
export function httpError(status: number, host: string): ServiceError {
  if (status === 401)
    return new ServiceError("AuthenticationFailed", `${host} rejected the login (HTTP status 401).`, {
      outcome: "none",
    });
  return new ServiceError(
    "DriverError",
    `${host} answered with HTTP status ${status}: it does not speak gRPC here.`,
    { status, reason: "no_http2", ...(status >= 400 && status < 500 ? { outcome: "none" } : {}) },
  );
}
