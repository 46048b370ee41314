/** Requests of tests, and their callers. */
import type { Caller } from "../../src/auth/port.ts";

export const admin: Caller = { keyId: "k1", name: "admin", scope: "admin", hosts: [], from: "127.0.0.1" };

export function bodyOf(value: object): { text: string; value: unknown } {
  const text = JSON.stringify(value);
  return { text, value: JSON.parse(text) };
}

export function query(host: string, command: string | string[], more: object = {}): object {
  return {
    driver: "netmiko",
    connection_args: { host, device_type: "cisco_ios", username: "u", password: "canary-password" },
    command,
    ...more,
  };
}

export function configure(host: string, config: unknown, more: object = {}): object {
  const { command: _command, ...rest } = query(host, "x") as Record<string, unknown>;
  return { ...rest, config, ...more };
}
