/** Whoever may write into the data directory may make keys: the audit trail says under which account. */

import { userInfo } from "node:os";
import process from "node:process";
import type { Actor } from "../../store/port.ts";

export function atCommandLine(): Actor {
  return { keyId: "command line", name: accountName(), from: null };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
