/** Turns an SFTP status into an error in the server's own words. */
import { messageOf, ServiceError } from "../../../base/errors.ts";

/** Status codes of SFTP version 3. */
export const status = {
  endOfFile: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  noConnection: 6,
  connectionLost: 7,
  unsupported: 8,
} as const;

export function isStatus(error: unknown, code: number): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

export function sftpError(error: Error, path: string): ServiceError {
  const code = "code" in error && typeof error.code === "number" ? error.code : -1;
  if (code === -1 || code === status.noConnection || code === status.connectionLost) {
    return new ServiceError("ConnectionLost", `SFTP was lost: ${error.message}`, undefined, { cause: error });
  }
  return new ServiceError("DriverError", `Remote file ${path}: ${error.message}`, undefined, {
    cause: error,
  });
}

/** Whether the server replied with this status. */
export function saysStatus(error: unknown, code: number): boolean {
  return error instanceof ServiceError && isStatus(error.cause, code);
}

/** Whether the server does not know the request, whatever it announced. */
export function lacksRequest(error: unknown): boolean {
  return saysStatus(error, status.unsupported);
}

/** The server's own words, without the file that they are about. */
export function messageOfServer(error: unknown): string {
  return error instanceof ServiceError && error.cause instanceof Error
    ? error.cause.message
    : messageOf(error);
}
