/** Lets a test user become root by its password, which a PAM stack of its own judges as slowly as is wanted. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { withLock } from "./lock.ts";

/** The directory and the judge: what stands behind a password on large networks, in one process. */
export interface SudoRules {
  /** Of sudoers, such as `requiretty`; they win over the others. */
  readonly defaults?: readonly string[];
  /** Default: all, by the password. */
  readonly allowed?: string;
}

export function allowSudo(user: string, delayMs: number, rules: SudoRules = {}): void {
  withLock("sudo", () => {
    const service = `${user}-sudo`;
    // The password is right first, the pause follows: a refusal has its own.
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
