/** What to do about a failed job, by `result.error.type`: shown by the client and the console, beside the message. */
import type { JobErrorKind } from "../errors.ts";

const advice: Readonly<Record<Exclude<JobErrorKind, "Cancelled">, string>> = {
  ConnectionTimeout: "Check the address, the port and the firewalls on the way, or raise timeout.",
  ConnectionRefused: "Check the port, and whether the device accepts connections from this service.",
  HostUnreachable: "Check the address, and the route to it from the machine of the service.",
  AuthenticationFailed:
    "Check the user, the password or key, and the enable secret before you retry: devices lock accounts.",
  AuthBackoff: "Correct the password that failed before, and wait until the back-off ends.",
  HostKeyMismatch:
    "If the device was replaced, compare the new fingerprint with the device and accept it: `patchbay host-key accept`, or, if a known hosts file of the service has the host, correct that. If it was not replaced, suspect a man in the middle.",
  ConnectionLost: "Check whether the device restarted or limits its sessions.",
  ReadTimeout:
    "The message ends with the last output: if the command asks a question, answer it in the request; if it is slow, raise the read timeout.",
  CommandError: "Correct the line, and check what the device accepted before it.",
  ParseError:
    "Correct the template, or, if there is none for the command, install the set (`patchbay templates install`) or give one; or request the output without parsing: the raw output is kept.",
  RenderError: "Correct the template or its values.",
  CheckFailed: "See which check failed, what was pushed, and whether it was rolled back.",
  OutputTooLarge: "Use a command that prints less.",
  JobTimeout: "Find out why the device was slow, or raise ttl.",
  JobExpired: "It waited too long for its turn: raise ttl, or the number of slots.",
  WorkerLost: "The service was stopped, or a driver ended its thread: see the log of the service.",
  ResourceExhausted: "Raise the limit of file descriptors (LimitNOFILE), or lower the number of slots.",
  DriverError: "If the message is not enough, see the log of the service.",
};
const byType = new Map(Object.entries(advice));

/** @returns one or two sentences; undefined for a cancel, and for types that requests have as well. */
export function adviceFor(errorType: string): string | undefined {
  return byType.get(errorType);
}
