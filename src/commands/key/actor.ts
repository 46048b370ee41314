/** The audit actor of key commands: anyone who can write the data directory may create keys. */

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
    // In a container the uid may have no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
