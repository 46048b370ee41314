/** Lets a test user become root with its password; a PAM stack delays the check as configured. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { withLock } from "./lock.ts";

/** Simulates the directory and policy checks behind a password on large networks. */
export interface SudoRules {
  /** sudoers defaults such as `requiretty`, which take precedence. */
  readonly defaults?: readonly string[];
  /** Default: all commands, with the password. */
  readonly allowed?: string;
}

export function allowSudo(user: string, delayMs: number, rules: SudoRules = {}): void {
  withLock("sudo", () => {
    const service = `${user}-sudo`;
    // Check the password before the delay: a rejection has its own delay.
    writeFileSync(
      `/etc/pam.d/${service}`,
      `auth required pam_unix.so nodelay\nauth optional pam_exec.so quiet /bin/sleep ${delayMs / 1000}\naccount required pam_permit.so\nsession required pam_permit.so\n`,
      { mode: 0o644 },
    );
    mkdirSync("/etc/sudoers.d", { recursive: true, mode: 0o750 });
    const file = `/etc/sudoers.d/${user}`;
    const text = [
      `Defaults:${user} pam_service=${service}, pam_login_service=${service}, timestamp_timeout=0, !lecture, !fqdn`,
      ...(rules.defaults ?? []).map((setting) => `Defaults:${user} ${setting}`),
      `${user} ALL=(ALL:ALL) ${rules.allowed ?? "ALL"}`,
    ];
    writeFileSync(file, `${text.join("\n")}\n`, { mode: 0o440 });
    chmodSync(file, 0o440);
  });
}
